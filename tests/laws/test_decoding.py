"""Cached decoding is the full pass, whatever the method, the ids and the mask."""

from itertools import pairwise

import torch

from posemb.model.attention import Cache
from tests.laws.subjects import LENGTH, PROMPT, Subject, over_all, run, tokens

CHUNKS = (1, 3, 4)  # token by token, and more at once, with a last chunk that is shorter


@over_all
@torch.no_grad()
def test_cached_passes_equal_the_full_pass(subject: Subject):
    model, ids, rows = subject.model(), subject.ids(), tokens()
    full = run(model, rows, ids)
    for size in CHUNKS:
        bounds = [0, *range(max(size, subject.first), LENGTH, size), LENGTH]
        cache = Cache()
        parts = [
            model(rows[:, start:stop], model.positions(ids, start, stop, PROMPT), cache)
            for start, stop in pairwise(bounds)
        ]
        assert len(parts) > 1
        torch.testing.assert_close(torch.cat(parts, dim=1), full, rtol=0, atol=1e-10)


@over_all
@torch.no_grad()
def test_a_cache_for_another_row_changes_nothing(subject: Subject):
    """Two sequences decoded in turn, one token of each at a time, do not meet in the module."""
    model, ids = subject.model(), subject.ids()
    pair = [(tokens(name=name), Cache()) for name in ("one", "other")]
    parts: list[list[torch.Tensor]] = [[], []]
    for start, stop in pairwise([0, *range(subject.first, LENGTH + 1)]):
        for (rows, cache), part in zip(pair, parts, strict=True):
            part.append(model(rows[:, start:stop], model.positions(ids, start, stop, PROMPT), cache))
    for (rows, _), part in zip(pair, parts, strict=True):
        torch.testing.assert_close(torch.cat(part, dim=1), run(model, rows, ids), rtol=0, atol=1e-10)
