"""Rotary position embeddings on a part of each head.

Half of eight dimensions turn: the ladder is that of a head of four, 1 and 16^(-2/4).

    >>> method = PartialRoPE(Shape(width=8, heads=1, layers=1, trained=2, id_limit=2, asked=2), share=0.5, base=16.0)
    >>> method.prepare(Positions.span(torch.tensor([[1]]), 0, 1)).factors.angle().tolist()
    [[[[1.000000, 0.250000]]]]
"""

from typing import Annotated, Any, NamedTuple, final

import torch
from annotated_types import Gt, Le
from torch import Tensor

from posemb.position.angle import whole_pairs
from posemb.position.base import QK, PositionMethod, Positions, Shape
from posemb.position.ladder import Ladder
from posemb.position.rope import Pairs, rotate, turns
from posemb.position.scaling import Factor, Scaling


class Turning(NamedTuple):
    """What a pass needs.

    Attributes:
        factors: (B|1, 1, Tk, Dr/2) complex, for the dimensions that turn.
        temperature: what the other dimensions are multiplied by.
    """

    factors: Tensor
    temperature: float


def rotate_first(x: Tensor, turn: Tensor, temperature: float, pairs: Pairs) -> Tensor:
    """Turn the first Dr dimensions of x (B, H, T, Dh) by factors (B|1, 1, T, Dr/2); the others keep their direction.

    >>> rotate_first(torch.tensor([1.0, 0.0, 3.0]), torch.tensor([1j]), 1.0, "half").tolist()
    [0.000000, 1.000000, 3.000000]
    """
    dims = 2 * turn.shape[-1]
    turned = rotate(x[..., :dims].contiguous(), turn, pairs)  # complex numbers need even strides; Dh may be odd
    return torch.cat([turned, x[..., dims:] * temperature], dim=-1)


@final
class PartialRoPE(PositionMethod):
    """Partial rotary embeddings: the first dimensions of a head turn, the others see no position.

    Formula:
        as rope on the first Dr = 2·⌊share·Dh/2⌋ dimensions, with the ladder rebuilt on them: θ_k = base^(−2k/Dr)

    Past the trained length:
        What turns does as in rope; what does not turn has nothing to unlearn.

    Differs from the paper or its code:
        GPT-NeoX turns a quarter, and its code pairs dimensions as `pairs: half` does. A half turns by default here,
        because a quarter of a narrow head is two pairs or one. yarn's temperature is on all dimensions, as its paper
        has it on the scores; its code puts it on those that turn.

    Source:
        Black et al. 2022, "GPT-NeoX-20B: An Open-Source Autoregressive Language Model", arXiv:2204.06745; the rotation
        and its scalings as in rope.

    Args:
        shape: what the model is.
        share: share of a head's dimensions that turn; 1 is rope.
        base: as in rope.
        pairs: which of the turning dimensions turn together.
        scaling: as in rope.
        factor: as in rope.

    Raises:
        UsageError: not even two dimensions turn, or only two, with ntk or dynamic_ntk.
    """

    def __init__(
        self,
        shape: Shape,
        share: Annotated[float, Gt(0), Le(1)] = 0.5,
        base: Annotated[float, Gt(1)] = 10000.0,
        pairs: Pairs = "interleaved",
        scaling: Scaling = "none",
        factor: Factor = 4.0,
    ) -> None:
        super().__init__(shape)
        self.pairs: Pairs = pairs
        self.ladder = Ladder(base, 2 * whole_pairs(share, shape.head_width), shape, scaling, factor)

    def prepare(self, at: Positions) -> Turning:
        theta, temperature = self.ladder.scaled(at)
        return Turning(turns(at.k, theta, temperature), temperature)

    def at_qk(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> QK:
        turn, temperature = tables
        return QK(
            rotate_first(q, turn[:, :, at.start :], temperature, self.pairs),
            rotate_first(k, turn, temperature, self.pairs),
        )
