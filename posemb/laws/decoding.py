"""Cached decoding is the full pass, whatever the method, the ids and the mask."""

from itertools import pairwise

import torch

from posemb.laws.law import Finding, law
from posemb.laws.subject import EXACT, LENGTH, LONG, PROMPT, Subject, run, tokens
from posemb.model.attention import Cache

# Token by token, and more at once, with a last chunk that is shorter.
CHUNKS = {LENGTH: (1, 3, 4), LONG: (1, 7)}


@law
@torch.no_grad()
def decoding(subject: Subject, found: Finding) -> None:
    """Over a cache, token by token and in chunks, rows get the logits of the full pass.

    Past the trained length too; and rows that are decoded in turn do not meet.
    """
    model = subject.model()
    for rows, ids in subject.rows_of(LENGTH, LONG):
        right = run(model, rows, ids)
        for size in CHUNKS[len(ids[0])]:
            bounds = [0, *range(max(size, subject.first), len(ids[0]), size), len(ids[0])]
            cache = Cache()
            parts = [
                model(rows[:, start:stop], model.positions(ids, start, stop, PROMPT), cache)
                for start, stop in pairwise(bounds)
            ]
            found.near(torch.cat(parts, dim=1), right, EXACT[torch.float64], f"{len(ids[0])} tokens, {size} at a time")
    _in_turn(subject, found)


def _in_turn(subject: Subject, found: Finding) -> None:
    model, ids = subject.model(), subject.ids()
    pair = [(tokens(name=name), Cache()) for name in ("one", "other")]
    parts: list[list[torch.Tensor]] = [[], []]
    for start, stop in pairwise([0, *range(subject.first, LENGTH + 1)]):
        for (rows, cache), part in zip(pair, parts, strict=True):
            part.append(model(rows[:, start:stop], model.positions(ids, start, stop, PROMPT), cache))
    for (rows, _), part in zip(pair, parts, strict=True):
        found.near(torch.cat(part, dim=1), run(model, rows, ids), EXACT[torch.float64], "two sequences in turn")
