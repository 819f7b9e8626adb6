"""The power kernel of KERPLE.

r₁ = 1 and r₂ = 1/2 at the distances 0, 4 and 529: -√d.

    >>> method = KerplePower(Shape(width=2, heads=1, layers=1, trained=10, id_limit=10, asked=10))
    >>> method.height.data, method.power.data = torch.tensor([1.0]).expm1().log(), torch.tensor([0.25]).logit()
    >>> method.prepare(Positions.span(torch.tensor([[0, 4, 529]]), 0, 3))[0, 0, 0].tolist()
    [0.000000, -2.000000, -23.00000]
"""

from typing import Any, final

import torch
from torch import Tensor, nn

from posemb.position.base import PositionMethod, Positions, Shape
from posemb.position.kerple_log import LEAST, positive, start


@final
class KerplePower(PositionMethod):
    """KERPLE, power: the score falls with a power of the distance that each head learns; ALiBi where it is one.

    Formula:
        A_ij = q_i·k_j / √Dh − r₁·|i − j|^r₂,  r₁ > 0 and 0 < r₂ < 2 learned for every head

    Past the trained length:
        The bias goes on falling, bent downwards where r₂ > 1 and levelling off where r₂ < 1. A head with r₂ near 2
        sees its nearest keys only.

    All layers share the two numbers of a head. They start where the released code has them: r₁ evenly from 0..1, r₂
    from 0..2. The distance has no sign: without causality a reversed sequence looks the same.

    Differs from the paper or its code:
        The two numbers are learned as r₁ = softplus(x) and r₂ = 2σ(y), where the code clamps them, which stops their
        gradient at the border; r₂ = 2 itself, which the paper allows, is never reached.

    Source:
        Chi et al. 2022, "KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation", arXiv:2205.09921,
        the power kernel; start and sharing as in the released code.
    """

    directed = False

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.height = nn.Parameter(torch.zeros(shape.heads))
        self.power = nn.Parameter(torch.zeros(shape.heads))

    @torch.no_grad()
    def initialise(self, rng: torch.Generator) -> None:
        start(self.height, 1.0, rng)
        share = torch.empty_like(self.power).uniform_(generator=rng)
        self.power.copy_(share.logit(eps=LEAST / 2))

    def prepare(self, at: Positions) -> Tensor:
        """(B|1, H, Tq, Tk) bias, the same for every layer."""
        r1 = positive(self.height)[:, None, None]
        r2 = 2 * self.power.to(r1.dtype).sigmoid()[:, None, None]
        return -r1 * at.gap.abs().unsqueeze(1) ** r2

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor:
        return tables.to(q.dtype)
