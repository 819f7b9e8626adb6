"""Rotary position embeddings without their slowest pairs.

Eight dimensions, four pairs, three quarters of them turning: the angles at the id 1.

    >>> method = PRoPE(Shape(width=8, heads=1, layers=1, trained=2, id_limit=2, asked=2), p=0.75, base=16.0)
    >>> method.prepare(Positions.span(torch.tensor([[1]]), 0, 1)).angle().tolist()
    [[[[1.000000, 0.500000, 0.250000, 0.000000]]]]
"""

from typing import Annotated, Any, final

import torch
from annotated_types import Ge, Gt, Le
from torch import Tensor

from posemb.position.angle import whole_pairs
from posemb.position.base import QK, PositionMethod, Positions, Shape
from posemb.position.ladder import Ladder
from posemb.position.rope import Pairs, rotate, turns
from posemb.position.scaling import Factor, Scaling


@final
class PRoPE(PositionMethod):
    """p-RoPE: rotary embeddings whose slowest pairs stand still, so that they carry meaning and no position.

    Formula:
        as rope, with θ_k = base^(−2k/Dh) for the first ⌊p·Dh/2⌋ pairs, the fastest, and θ_k = 0 for the others

    Past the trained length:
        The slowest angles, of which training saw only a small arc, are gone; the others go on as in rope.

    The ladder is that of the whole head, unlike in rope_partial. p = 1 is rope, p = 0 is nope.

    Differs from the paper or its code:
        The paper has no scalings. Here one works on the whole ladder first; then the slowest pairs are set to zero.
        yarn's temperature is on all dimensions.

    Source:
        Barbero et al. 2025, "Round and Round We Go! What makes Rotary Positional Encodings useful?", arXiv:2410.06205,
        section 6.1; the rotation and its scalings as in rope.

    Args:
        shape: what the model is; the head width must be even.
        p: share of the pairs that turn.
        base: as in rope.
        pairs: which dimensions turn together.
        scaling: as in rope.
        factor: as in rope.

    Raises:
        UsageError: the head width is odd; or 2, with ntk or dynamic_ntk.
    """

    def __init__(
        self,
        shape: Shape,
        p: Annotated[float, Ge(0), Le(1)] = 0.75,
        base: Annotated[float, Gt(1)] = 10000.0,
        pairs: Pairs = "interleaved",
        scaling: Scaling = "none",
        factor: Factor = 4.0,
    ) -> None:
        super().__init__(shape)
        self.turning, self.pairs = whole_pairs(p, shape.head_width), pairs
        self.ladder = Ladder(base, shape.head_width, shape, scaling, factor)

    def prepare(self, at: Positions) -> Tensor:
        """(B|1, 1, Tk, Dh/2) factors of every key's id; those of a pair that stands still have no angle."""
        theta, temperature = self.ladder.scaled(at)
        turning = torch.arange(len(theta), device=theta.device) < self.turning
        return turns(at.k, theta * turning, temperature)

    def at_qk(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> QK:
        return QK(rotate(q, tables[:, :, at.start :], self.pairs), rotate(k, tables, self.pairs))
