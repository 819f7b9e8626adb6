"""A learned scalar for every signed distance."""

from math import sqrt
from typing import Annotated, Any, final

import torch
from annotated_types import Gt
from torch import Tensor, nn

from posemb.position.base import PositionMethod, Positions, Shape
from posemb.position.table import lookup


@final
class RPE(PositionMethod):
    """Relative position scalars: what a signed distance is worth, learned for every layer and head.

    Formula:
        A_ij = (q_i·k_j + R_h[clip(i − j, −D, D)]) / √Dh,  R = gain·table,  D = L − 2

    Past the trained length:
        Every distance beyond D shares the last scalar: known distances stay exact, far ones become one. D is the
        farthest distance that a training pass holds (the last of L tokens is predicted, never fed): one step more, and
        the scalar that all far distances share would never be trained.

    Adam moves a scalar by at most about the learning rate in a step. A table that starts at zero and is then divided
    by √Dh would travel less than one unit of score in a short run, so it is learned as gain·table, which under Adam is
    a learning rate `gain` times larger for these scalars and changes nothing that R can represent.

    Source:
        The scalar form of Shaw, Uszkoreit & Vaswani 2018, "Self-Attention with Relative Position Representations",
        arXiv:1803.02155, with the score divided as a whole by √Dh.

    Args:
        shape: what the model is; L is its trained length in tokens.
        gain: scale of the parameterisation.
    """

    def __init__(self, shape: Shape, gain: Annotated[float, Gt(0)] = 32.0) -> None:
        super().__init__(shape)
        self.gain = gain
        self.farthest = max(1, shape.trained - 2)
        self.table = nn.Parameter(torch.zeros(shape.layers, 2 * self.farthest + 1, shape.heads))

    def prepare(self, at: Positions) -> Tensor:
        """(B|1, Tq, Tk) row numbers: the clipped distance, counted from -D."""
        return at.gap.clamp(-self.farthest, self.farthest) + self.farthest

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor:
        return lookup(self.table[layer] * (self.gain / sqrt(self.shape.head_width)), tables).to(q.dtype)
