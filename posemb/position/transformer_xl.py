"""Transformer-XL's relative attention: sinusoids of the distance as keys of their own."""

from math import sqrt
from typing import Annotated, Any, final

import torch
from annotated_types import Gt
from torch import Tensor, nn

from posemb.errors import UsageError
from posemb.position.angle import angles
from posemb.position.base import PositionMethod, Positions, Shape
from posemb.position.shaw import pick

INITIAL_GAIN = 0.5  # of W_R, like the backbone's matrices: deviation times √W


@final
class TransformerXL(PositionMethod):
    """Transformer-XL's attention: the query also meets a learned projection of the distance's sinusoid.

    Formula:
        A_ij = [(q_i + u)·k_j + (q_i + v)·W_R r_d] / √Dh,  d = i − j,
        r_d = sin and cos of d·base^(−2k/W)

    Past the trained length:
        Sinusoids exist for every distance, but beyond training they form combinations that W_R never met.

    W_R belongs to a layer; u and v, one vector a head, are shared by the layers (as in the paper; the released code can
    untie them). Scores are gathered by distance, so ids may have gaps or repeat; the paper's relative shift holds for
    ids in steps of one only. The cached segments of the paper are no part of this. u and v start at zero.

    Source:
        Dai et al. 2019, "Transformer-XL: Attentive Language Models Beyond a Fixed-Length Context", arXiv:1901.02860,
        section 3.3 and appendix B.

    Args:
        shape: what the model is; the width must be even.
        base: the slowest wave repeats after nearly 2π·base ids.

    Raises:
        UsageError: the width is odd, so a sine would have no cosine.
    """

    def __init__(self, shape: Shape, base: Annotated[float, Gt(1)] = 10000.0) -> None:
        super().__init__(shape)
        if shape.width % 2:
            raise UsageError(f"transformer_xl needs an even width, a sine and a cosine: model.width={shape.width}.")
        self.base = base
        self.u = nn.Parameter(torch.zeros(shape.heads, shape.head_width))
        self.v = nn.Parameter(torch.zeros(shape.heads, shape.head_width))
        self.project = nn.Parameter(torch.zeros(shape.layers, shape.width, shape.width))

    def initialise(self, rng: torch.Generator) -> None:
        nn.init.normal_(self.project, std=INITIAL_GAIN / sqrt(self.shape.width), generator=rng)

    def prepare(self, at: Positions) -> tuple[Tensor, Tensor]:
        """(R, W) sinusoids of all distances from the least to the greatest, and (B|1, Tq, Tk) which one a pair has."""
        least, greatest = (int(bound) for bound in at.gap.aminmax())
        phase = angles(torch.arange(least, greatest + 1, device=at.gap.device), self.base, self.shape.width)
        return torch.cat([phase.sin(), phase.cos()], dim=-1), at.gap - least

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor:
        waves, index = tables
        keys = waves.to(self.project.dtype) @ self.project[layer].T  # (R, W)
        keys = keys.unflatten(-1, self.u.shape).transpose(0, 1)  # (H, R, Dh)
        placed = pick((q + self.v[:, None]) @ keys.transpose(1, 2), index)
        wanted = k @ self.u[:, :, None]  # (B, H, Tk, 1): how much each key is wanted, whoever asks
        return ((placed + wanted.transpose(2, 3)) / sqrt(self.shape.head_width)).to(q.dtype)
