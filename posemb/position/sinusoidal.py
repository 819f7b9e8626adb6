"""Fixed absolute position embeddings.

Four dimensions at the ids 1 and 511, the second from math.sin and math.cos; bfloat16 would take 511 for 512:

    >>> method = Sinusoidal(Shape(width=4, heads=1, layers=1, trained=1, id_limit=1, asked=1))
    >>> method.prepare(Positions.span(torch.tensor([[1, 511]]), 0, 2)).tolist()
    [[[0.841471, 0.540302, 0.009999833, 0.999950], [0.881770, -0.471679, -0.921989, 0.387217]]]

The token's vector is multiplied by √W = 2 before that is added:

    >>> here = Positions.span(torch.tensor([[0]]), 0, 1)
    >>> method.at_embedding(torch.tensor([[[1.0, -2.0, 0.5, 0.0]]]), here, method.prepare(here)).tolist()
    [[[2.000000, -3.000000, 1.000000, 1.000000]]]
"""

from math import sqrt
from typing import Annotated, Any, final

import torch
from annotated_types import Gt
from torch import Tensor

from posemb.errors import UsageError
from posemb.position.angle import angles
from posemb.position.base import PositionMethod, Positions, Shape


@final
class Sinusoidal(PositionMethod):
    """Sine and cosine waves of falling frequency, added to the token's vector.

    Formula:
        E = √W·X + PE,  PE(p, 2k) = sin(p / base^(2k/W)),  PE(p, 2k+1) = cos(p / base^(2k/W))

    Past the trained length:
        Every id has a vector, but a combination of phases that training never showed.

    The factor √W is the paper's; without it the waves drown a small embedding.

    Source:
        Vaswani et al. 2017, "Attention Is All You Need", arXiv:1706.03762, sections 3.4 (the factor) and 3.5.

    Args:
        shape: what the model is; its width must be even.
        base: the slowest wave's length is 2π times nearly this.

    Raises:
        UsageError: the width is odd, so a sine would have no cosine.
    """

    absolute = True

    def __init__(self, shape: Shape, base: Annotated[float, Gt(1)] = 10000.0) -> None:
        super().__init__(shape)
        if shape.width % 2:
            raise UsageError(f"sinusoidal needs an even width (each sine has its cosine): model.width={shape.width}.")
        self.base = base

    def prepare(self, at: Positions) -> Tensor:
        """(B|1, Tq, W) waves, in float64 where the device has it."""
        phase = angles(at.q, self.base, self.shape.width)
        return torch.stack([phase.sin(), phase.cos()], dim=-1).flatten(-2)

    def at_embedding(self, x: Tensor, at: Positions, tables: Any) -> Tensor:
        return x * sqrt(self.shape.width) + tables.to(x.dtype)
