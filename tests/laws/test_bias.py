"""What a method may add to the scores."""

from itertools import product

import torch

from posemb.position.base import Positions
from tests.laws.subjects import FARTHEST, HEADS, LENGTH, ROWS, Subject, heads, over_all, stir, whole

PATTERNS = {
    "forwards": torch.arange(LENGTH)[None],
    "backwards": torch.arange(LENGTH).flip(0)[None],
    "all equal": torch.zeros(1, LENGTH, dtype=torch.int64),
    "repeated and unordered": torch.tensor([[3, 3, 0, 7, 1, 1, 9, 2, 2, 3]]),
    "far past training": torch.arange(FARTHEST - LENGTH, FARTHEST)[None],
    "far apart": torch.linspace(0, FARTHEST - 1, LENGTH).long()[None],
    "another in every row": torch.tensor([range(LENGTH), [5] * LENGTH, range(LENGTH, 0, -1)]),
}


@over_all
@torch.no_grad()
def test_a_bias_is_finite_on_every_pair_visible_or_not(subject: Subject):
    method = subject.model().position
    q, k = heads(ROWS, LENGTH, "q"), heads(ROWS, LENGTH, "k")
    for ids, start in product(PATTERNS.values(), (0, 4, LENGTH - 1)):
        at = Positions.span(ids, start, LENGTH, subject.attention == "causal", LENGTH)
        tables = method.prepare(at)
        for layer in range(2):
            placed = method.at_qk(q[:, :, start:], k, at, tables, layer)
            assert torch.isfinite(placed.q).all() and torch.isfinite(placed.k).all()
            bias = method.at_scores(q[:, :, start:], k, at, tables, layer)
            if bias is not None:
                assert torch.isfinite(bias).all()
                bias.expand(ROWS, HEADS, LENGTH - start, LENGTH)  # raises where it does not broadcast


@over_all
@torch.no_grad()
def test_a_bias_has_the_dtype_of_the_queries(subject: Subject):
    """Attention takes no other, and a float64 bias in a float32 model would double its memory."""
    at = whole(subject)
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        method = subject.model(dtype).position
        stir(method)
        q, k = heads(ROWS, LENGTH, "q", dtype), heads(ROWS, LENGTH, "k", dtype)
        tables = method.prepare(at)
        placed = method.at_qk(q, k, at, tables, 0)
        bias = method.at_scores(q, k, at, tables, 0)
        assert placed.q.dtype == placed.k.dtype == dtype
        assert bias is None or bias.dtype == dtype
