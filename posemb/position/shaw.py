"""Relative position representations: a learned vector for every signed distance, added to the key."""

from math import sqrt
from typing import Annotated, Any, final

import torch
from annotated_types import Ge, Le
from torch import Tensor, nn

from posemb.position.base import PositionMethod, Positions, Reach, Shape
from posemb.position.table import taught


def pick(every: Tensor, index: Tensor) -> Tensor:
    """Scores (B, H, Tq, R) of each query with each of R rows, and row numbers (B|1, Tq, Tk) -> (B, H, Tq, Tk)."""
    return every.gather(-1, index.unsqueeze(1).expand(*every.shape[:3], -1))


def score(q: Tensor, rows: Tensor, index: Tensor) -> Tensor:
    """q_i·rows[index_ij] / √Dh: queries (B, H, Tq, Dh), rows (R, Dh), index (B|1, Tq, Tk) -> (B, H, Tq, Tk).

    Each query meets each row once, and not once for every key at that distance (section 3.3 of the paper).

    >>> q, rows = torch.tensor([[[[2.0, 0, 0, 0]]]]), torch.tensor([[0.0, 0, 0, 0], [3, 0, 0, 0]])
    >>> score(q, rows, torch.tensor([[[0, 1, 1]]])).tolist()
    [[[[0.000000, 3.000000, 3.000000]]]]
    """
    return pick(q @ rows.T, index) / sqrt(q.shape[-1])


@final
class Shaw(PositionMethod):
    """Shaw's relative representations: a learned vector for every signed distance is added to the key.

    Formula:
        A_ij = q_i·(k_j + a_c) / √Dh,  c = clip(j − i, −K, K),  a = 2K + 1 learned vectors

    Past the trained length:
        Every distance from K on shares the last vector, so with rows longer than K nothing new is asked. Where
        training rows are so short that distances below K never occurred, their vectors are still zero: the curve marks
        such figures "untrained rows".

    Differs from the paper or its code:
        What the paper adds to the values in the same way is left out: values pass every method here untouched, and in
        the paper's own comparison (its Table 3) the keys alone did as well. Each layer has vectors of its own and its
        heads share them, as in the paper's big model; in its base model, which K = 16 is from, each head has its own.

    Source:
        Shaw, Uszkoreit & Vaswani 2018, "Self-Attention with Relative Position Representations", arXiv:1803.02155,
        sections 3.1 to 3.3.

    Args:
        shape: what the model is.
        farthest: K, the distance from which on all share a vector.
    """

    def __init__(self, shape: Shape, farthest: Annotated[int, Ge(1), Le(1_000_000)] = 16) -> None:
        super().__init__(shape)
        self.farthest = farthest
        self.table = nn.Parameter(torch.zeros(shape.layers, 2 * farthest + 1, shape.head_width))

    def prepare(self, at: Positions) -> Tensor:
        """(B|1, Tq, Tk) row numbers: c, counted from -K.

        33 rows for K = 16, and distances of 17 and 100 share one:

        >>> method = Shaw(Shape(width=2, heads=1, layers=1, trained=10, id_limit=10, asked=10))
        >>> method.prepare(Positions.span(torch.tensor([[0, 83, 99, 100, 101]]), 3, 4)).tolist(), method.table.shape[1]
        ([[[0, 0, 15, 16]]], 33)
        """
        return (-at.gap).clamp(-self.farthest, self.farthest) + self.farthest

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor:
        return score(q, self.table[layer], tables).to(q.dtype)

    def caution(self) -> str:
        far = self.shape.greatest
        if not 0 < far < self.farthest:
            return ""
        return (
            f"shaw: training shows distances up to {far}, so the vectors of {far + 1} to {self.farthest} stay at zero. "
            f"position.farthest={far} would have far distances share the last one that learns."
        )

    def reach(self, at: Positions) -> Reach:
        return taught(self.shape, at, lambda gap: gap.clamp(-self.farthest, self.farthest))
