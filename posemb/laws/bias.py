"""What a method may add to the scores."""

from itertools import product

import torch

from posemb.laws.law import Finding, law
from posemb.laws.subject import LAYERS, LENGTH, ROWS, Subject, stir

FAR = 600  # ids
PATTERNS = {
    "forwards": torch.arange(LENGTH)[None],
    "backwards": torch.arange(LENGTH).flip(0)[None],
    "all equal": torch.zeros(1, LENGTH, dtype=torch.int64),
    "repeated and unordered": torch.tensor([[3, 3, 0, 7, 1, 1, 9, 2, 2, 3]]),
    "far past training": torch.arange(FAR - LENGTH, FAR)[None],
    "far apart": torch.linspace(0, FAR - 1, LENGTH).long()[None],
    "another in every row": torch.tensor([range(LENGTH), [5] * LENGTH, range(LENGTH, 0, -1)]),
}


@law
@torch.no_grad()
def bias(subject: Subject, found: Finding) -> None:
    """Placed queries and keys and a bias are finite on every pair, visible or not, whatever the ids.

    The bias broadcasts to the scores and has the dtype of the queries.
    """
    method = subject.model().position
    q, k = subject.heads("q"), subject.heads("k")
    for (pattern, ids), start in product(PATTERNS.items(), (0, 4, LENGTH - 1)):
        at = subject.at(ids, start)
        tables = method.prepare(at)
        for layer in range(LAYERS):
            placed = method.at_qk(q[:, :, start:], k, at, tables, layer)
            finite = torch.isfinite(placed.q).all() and torch.isfinite(placed.k).all()
            found.holds(bool(finite), f"ids {pattern}: queries or keys are not finite")
            added = method.at_scores(q[:, :, start:], k, at, tables, layer)
            if added is not None:
                found.holds(bool(torch.isfinite(added).all()), f"ids {pattern}: the bias is not finite")
                scores = (ROWS, subject.shape.heads, LENGTH - start, LENGTH)
                wide = torch.broadcast_shapes(added.shape, scores)
                found.holds(wide == scores, f"a bias of shape {tuple(added.shape)}")
    _keeps_dtype(subject, found)


def _keeps_dtype(subject: Subject, found: Finding) -> None:
    """Attention takes no other, and a float64 bias in a float32 model would double its memory."""
    at = subject.at(subject.ids())
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        method = subject.model(dtype).position
        stir(method)
        q, k = subject.heads("q", dtype=dtype), subject.heads("k", dtype=dtype)
        tables = method.prepare(at)
        placed = method.at_qk(q, k, at, tables, 0)
        added = method.at_scores(q, k, at, tables, 0)
        found.holds(placed.q.dtype == placed.k.dtype == dtype, f"queries or keys of {dtype} change their dtype")
        found.holds(added is None or added.dtype == dtype, f"the bias to queries of {dtype} has another dtype")
