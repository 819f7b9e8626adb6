"""Greedy decoding over the key-value cache."""

from collections.abc import Callable

import torch
from torch import Tensor

from posemb.model.attention import Cache
from posemb.model.transformer import Transformer

Said = Callable[[int, int], None]


@torch.no_grad()
def decode(
    model: Transformer, prompts: Tensor, ids: Tensor, prefix: int | None = None, said: Said | None = None
) -> Tensor:
    """Continue prompts (B, P), marks included, to the length of their ids (B|1, T) -> the answers (B, T - P).

    The ids are those of the final sequence, drawn once: a method sees the same horizon at every step. Under a mask that
    lets a prompt see all of itself, that is the first `prefix` tokens; None takes the prompts, 0 suits text. `said`, if
    any, is told after each step how many tokens there are, and how many there will be.
    """
    prompt, horizon = prompts.shape[1], ids.shape[1]
    cache, fed, answer = Cache(), prompts, []
    start = 0
    for stop in range(prompt, horizon):
        at = model.positions(ids, start, stop, prompt if prefix is None else prefix)
        fed = model(fed, at, cache)[:, -1:].argmax(-1)
        answer.append(fed)
        start = stop
        if said is not None:
            said(len(answer), horizon - prompt)
    return torch.cat(answer, dim=1)
