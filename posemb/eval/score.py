"""How right a model is on rows of one length, under teacher forcing."""

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional as F

from posemb.model.attention import Cache
from posemb.model.transformer import Transformer
from posemb.task.base import Batch

# Rows are scored so many tokens at a time, and longer rows so many queries at a time over one cache: memory grows with
# the length, not with its square.
TOKENS_AT_ONCE = 16384
QUERIES_AT_ONCE = 512


@dataclass(frozen=True)
class Scores:
    """Scored tokens in the order of the rows.

    Attributes:
        right: (N,) bool: the most likely token was the target.
        loss: (N,) cross-entropy of the target, nats.
        entropy: (N,) entropy of the prediction, nats.
        rows_right: (B,) bool: every scored token of the row was right. With one valid answer and ids fixed by the
            layout this is exactly "greedy decoding gives the answer".
    """

    right: Tensor
    loss: Tensor
    entropy: Tensor
    rows_right: Tensor


def logits_of(model: Transformer, tokens: Tensor, ids: Tensor, prompt: int) -> Tensor:
    """Logits (B, T - 1, V) for every token but the first, in chunks of queries over one cache."""
    last = tokens.shape[1] - 1
    if last <= QUERIES_AT_ONCE:
        return model(tokens[:, :last], model.positions(ids, 0, last, prompt))
    # A bidirectional prompt must be seen whole by its own tokens, so the first chunk holds all of it.
    first = max(QUERIES_AT_ONCE, prompt) if model.backbone.attention == "prefix" else QUERIES_AT_ONCE
    bounds = [0, *range(min(first, last), last, QUERIES_AT_ONCE), last]
    cache = Cache()
    return torch.cat(
        [
            model(tokens[:, start:stop], model.positions(ids, start, stop, prompt), cache)
            for start, stop in pairwise(bounds)
        ],
        dim=1,
    )


@torch.no_grad()
def score(model: Transformer, batch: Batch, ids: Tensor) -> Scores:
    """Score every target of a batch whose ids (B|1, T) are given."""
    device = next(model.parameters()).device
    at_once = max(1, TOKENS_AT_ONCE // batch.layout.length)
    parts = []
    for start in range(0, batch.layout.rows, at_once):
        rows = slice(start, start + at_once)
        row_ids = ids[rows] if len(ids) > 1 else ids
        tokens, scored = batch.tokens[rows].to(device), batch.scored[rows, 1:].to(device)
        logits = logits_of(model, tokens, row_ids.to(device), batch.layout.prompt)
        right = logits.argmax(-1) == tokens[:, 1:]
        log_p = F.log_softmax(logits[scored].float(), dim=-1)
        loss = -log_p.gather(-1, tokens[:, 1:][scored][:, None]).squeeze(-1)
        entropy = -(log_p.exp() * log_p).sum(-1)
        parts.append((right[scored], loss, entropy, (right | ~scored).all(dim=1)))
    return Scores(*(torch.cat(column).cpu() for column in zip(*parts, strict=True)))
