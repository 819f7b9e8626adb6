"""A learned scalar for every signed distance.

A distance whose scalar is R = 4, beside q·k = 12 in a head of 16 dimensions, where √Dh = 4: (12 + 4) / 4 = 4, not 3.

    >>> method = RPE(Shape(width=16, heads=1, layers=1, trained=9, id_limit=9, asked=9), gain=1.0)
    >>> method.table.data[0, method.farthest + 1] = 4.0
    >>> at = Positions.span(torch.tensor([[0, 1]]), 1, 2)
    >>> method.at_scores(torch.zeros(1), torch.zeros(1), at, method.prepare(at), 0).tolist()
    [[[[1.000000, 0.000000]]]]
"""

from math import sqrt
from typing import Annotated, Any, final

import torch
from annotated_types import Gt
from torch import Tensor, nn

from posemb.position.base import PositionMethod, Positions, Reach, Shape
from posemb.position.table import lookup, taught


@final
class RPE(PositionMethod):
    """Relative position scalars: what a signed distance is worth, learned for every layer and head.

    Formula:
        A_ij = (q_i·k_j + R_h[clip(i − j, −E, D)]) / √Dh,  R = gain·table;  D and E are the farthest distances back and
        ahead that training shows: D = L − 2 with ids that count tokens, and 2·(L − 2) + 1 scalars

    Past the trained length:
        Every distance beyond D shares the last scalar: known distances stay exact, far ones become one. The last of L
        tokens is predicted, never fed, so a training pass holds no distance beyond L − 2: one step more, and the scalar
        that all far distances share would never be trained. Distances ahead share the scalar of −E in the same way.

    Adam moves a scalar by at most about the learning rate in a step. A table that starts at zero and is then divided
    by √Dh would travel less than one unit of score in a short run, so it is learned as gain·table, which under Adam is
    a learning rate `gain` times larger for these scalars and changes nothing that R can represent.

    Differs from the paper or its code:
        There a distance has a vector that is added to the key, and one for the value: see `shaw`. Here it has a scalar
        for each head, added to the score before the division by √Dh.

    Source:
        The scalar form of Shaw, Uszkoreit & Vaswani 2018, "Self-Attention with Relative Position Representations",
        arXiv:1803.02155.

    Args:
        shape: what the model is; L is its trained length.
        gain: scale of the parameterisation.
    """

    def __init__(self, shape: Shape, gain: Annotated[float, Gt(0)] = 32.0) -> None:
        super().__init__(shape)
        self.gain = gain
        self.farthest = max(1, shape.trained - 2)
        # A direction that training never shows has no trained scalar to share: `reach` says so where it is asked for.
        self.least = max(shape.least or -self.farthest, -self.farthest)
        self.greatest = min(shape.greatest or self.farthest, self.farthest)
        self.table = nn.Parameter(torch.zeros(shape.layers, 2 * self.farthest + 1, shape.heads))

    def prepare(self, at: Positions) -> Tensor:
        """(B|1, Tq, Tk) row numbers: the clipped distance, counted from 2 - L."""
        return self.row(at.gap)

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor:
        return lookup(self.table[layer] * (self.gain / sqrt(self.shape.head_width)), tables).to(q.dtype)

    def reach(self, at: Positions) -> Reach:
        return taught(self.shape, at, self.row)

    def row(self, gap: Tensor) -> Tensor:
        """Signed distances -> row numbers."""
        return gap.clamp(self.least, self.greatest) + self.farthest
