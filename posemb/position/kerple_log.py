"""The logarithmic kernel of KERPLE.

r₁ = r₂ = 1 at the distances 0, 1 and 511: -ln(1 + d), whichever of the two lies ahead.

    >>> method = KerpleLog(Shape(width=2, heads=1, layers=1, trained=10, id_limit=10, asked=10))
    >>> method.height.data = method.pace.data = torch.tensor([1.0]).expm1().log()
    >>> method.prepare(Positions.span(torch.tensor([[0, 1, 511]]), 0, 3))[0, 0, 0].tolist()
    [0.000000, -0.693147, -6.238325]
"""

from typing import Any, final

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from posemb.position.base import PositionMethod, Positions, Shape

LEAST = 0.01  # what the released code clamps both parameters to, and what no start is below


def positive(raw: Tensor) -> Tensor:
    """Any number -> one above zero, in float32 at least. Unlike a clamp it has a gradient everywhere."""
    return F.softplus(raw.to(torch.promote_types(raw.dtype, torch.float32)))


@torch.no_grad()
def start(raw: nn.Parameter, most: float, rng: torch.Generator) -> None:
    """Draw `positive(raw)` evenly from 0..most, as the released code does."""
    value = torch.empty_like(raw).uniform_(0, most, generator=rng).clamp(min=LEAST)
    raw.copy_(value.expm1().log())


@final
class KerpleLog(PositionMethod):
    """KERPLE, logarithmic: the score falls with the logarithm of the distance, at a pace that each head learns.

    Formula:
        A_ij = q_i·k_j / √Dh − r₁·ln(1 + r₂·|i − j|),  r₁, r₂ > 0 learned for every head

    Past the trained length:
        The bias goes on falling, ever more slowly: far keys fade, but less than under ALiBi's straight line.

    All layers share the two numbers of a head. They start where the released code has them: r₁ evenly from 0..2, r₂
    from 0..1. The distance has no sign: without causality a reversed sequence looks the same.

    Differs from the paper or its code:
        The two numbers are learned as softplus(x), where the code clamps them, which stops their gradient at the
        border.

    Source:
        Chi et al. 2022, "KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation", arXiv:2205.09921,
        the logarithmic kernel; start and sharing as in the released code.
    """

    directed = False

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.height = nn.Parameter(torch.zeros(shape.heads))
        self.pace = nn.Parameter(torch.zeros(shape.heads))

    def initialise(self, rng: torch.Generator) -> None:
        start(self.height, 2.0, rng)
        start(self.pace, 1.0, rng)

    def prepare(self, at: Positions) -> Tensor:
        """(B|1, H, Tq, Tk) bias, the same for every layer."""
        r1, r2 = (positive(raw)[:, None, None] for raw in (self.height, self.pace))
        return -r1 * torch.log1p(r2 * at.gap.abs().unsqueeze(1))

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor:
        return tables.to(q.dtype)
