"""Attention with linear biases."""

from math import log2
from typing import Any, final

import torch
from torch import Tensor

from posemb.position.base import PositionMethod, Positions


def slopes(heads: int) -> list[float]:
    """The authors' slopes: 2^(-8h/H) for h = 1..H where H is a power of two.

    Other head counts follow the released code, not the paper: the slopes of the next smaller power of two, then every
    other one of the next larger.

    >>> slopes(8)
    [0.500000, 0.250000, 0.125000, 0.062500, 0.031250, 0.015625, 0.0078125, 0.00390625]
    >>> slopes(6)
    [0.250000, 0.062500, 0.015625, 0.00390625, 0.500000, 0.125000]
    """
    if log2(heads).is_integer():
        return [2.0 ** (-8 * h / heads) for h in range(1, heads + 1)]
    smaller = 2 ** int(log2(heads))
    return slopes(smaller) + slopes(2 * smaller)[0::2][: heads - smaller]


@final
class ALiBi(PositionMethod):
    """Linear biases: the farther back a key lies, the lower its score, at a fixed slope for each head.

    Formula:
        A_ij = q_i·k_j / √Dh − m_h·|i − j|,  m_h = 2^(−8h/H)

    Past the trained length:
        The bias goes on linearly, so far keys fade out: the model keeps working in the window that it learned.

    Nothing is learned.

    Differs from the paper or its code:
        Both are for causal attention. Here the distance has no sign, so that keys ahead have a bias as well; without
        causality a reversed sequence looks the same. Where the number of heads is no power of two, slopes are those of
        the code, which are not the formula's.

    Source:
        Press, Smith & Lewis 2022, "Train Short, Test Long: Attention with Linear Biases Enables Input Length
        Extrapolation", arXiv:2108.12409, and its released code.
    """

    directed = False

    def prepare(self, at: Positions) -> Tensor:
        """(B|1, H, Tq, Tk) bias, the same for every layer.

        Distances of 511, 1 and 0, and one ahead, with slopes of 1/16 and 1/256:

        >>> from posemb.position.base import Shape
        >>> method = ALiBi(Shape(width=4, heads=2, layers=1, trained=9, id_limit=9, asked=9))
        >>> method.prepare(Positions.span(torch.tensor([[0, 510, 511, 514]]), 2, 4))[0, :, 0].tolist()
        [[-31.937500, -0.062500, 0.000000, -0.187500], [-1.99609375, -0.00390625, 0.000000, -0.01171875]]
        """
        slope = torch.tensor(slopes(self.shape.heads), device=at.gap.device)[:, None, None]
        return -slope * at.gap.abs().unsqueeze(1)

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor:
        return tables.to(q.dtype)
