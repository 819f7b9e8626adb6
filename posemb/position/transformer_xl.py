"""Transformer-XL's relative attention: sinusoids of the distance as keys of their own."""

from math import sqrt
from typing import Annotated, Any, final

import torch
from annotated_types import Gt
from torch import Tensor, nn
from torch.nn import functional as F

from posemb.errors import UsageError
from posemb.position.angle import angles
from posemb.position.base import PositionMethod, Positions, Shape
from posemb.position.shaw import pick
from posemb.position.table import distinct

INITIAL_GAIN = 0.5  # of W_R, like the backbone's matrices: deviation times √W


@final
class TransformerXL(PositionMethod):
    """Transformer-XL's attention: the query also meets a learned projection of the distance's sinusoid.

    Formula:
        A_ij = [(q_i + u)·k_j + (q_i + v)·W_R r_d] / √Dh,  d = i − j,
        r_d = sin and cos of d·base^(−2k/W)

    Past the trained length:
        Sinusoids exist for every distance, but beyond training they form combinations that W_R never met.

    W_R belongs to a layer; u and v, one vector a head, are shared by the layers.

    Differs from the paper or its code:
        Scores are gathered by distance, so ids may have gaps or repeat; the relative shift of both holds for ids in
        steps of one only. Their cached segments are left out. u and v start at zero, where the code draws them; it can
        also give each layer its own.

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
        """(R, W) sinusoids of all distances that there are, and (B|1, Tq, Tk) which one a pair has.

        >>> method = TransformerXL(Shape(width=4, heads=1, layers=1, trained=2, id_limit=2, asked=2))
        >>> waves, index = method.prepare(Positions.span(torch.tensor([[0, 1]]), 1, 2))
        >>> waves[index].tolist()  # distances 1 and 0: sines first, then cosines
        [[[[0.841471, 0.009999833, 0.540302, 0.999950], [0.000000, 0.000000, 1.000000, 1.000000]]]]
        """
        distances, index = distinct(at.gap)
        phase = angles(distances, self.base, self.shape.width)
        return torch.cat([phase.sin(), phase.cos()], dim=-1), index

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor:
        """[u·k_j + (q_i + v)·W_R r_d] / √Dh, (B, H, Tq, Tk).

        Here W_R makes the first number of a key from the second of a wave, sin(d/100): (1·3 + 2·sin(d/100)) / 2.

        >>> method = TransformerXL(Shape(width=4, heads=1, layers=1, trained=2, id_limit=2, asked=2)).double()
        >>> method.u.data[0, 0] = method.v.data[0, 1] = method.project.data[0, 0, 1] = 1
        >>> at = Positions.span(torch.tensor([[0, 511]]), 1, 2)
        >>> q, k = torch.tensor([[[[2.0, 0, 0, 0]]]]).double(), torch.tensor([[[[3.0, 0, 0, 0]] * 2]]).double()
        >>> method.at_scores(q, k, at, method.prepare(at), 0).tolist()
        [[[[0.578011, 1.500000]]]]
        """
        waves, index = tables
        keys = waves.to(self.project.dtype) @ self.project[layer].T  # (R, W)
        asking = q + self.v[:, None]
        if len(waves) <= k.shape[2] * k.shape[3]:
            placed = pick(asking @ keys.unflatten(-1, self.u.shape).permute(1, 2, 0), index)
        else:  # so many distances that a key for each pair takes less memory than a score for each distance
            each = F.embedding(index, keys).unflatten(-1, self.u.shape).movedim(3, 1)  # (B|1, H, Tq, Tk, Dh)
            placed = (each @ asking[..., None]).squeeze(-1)
        wanted = k @ self.u[:, :, None]  # (B, H, Tk, 1): how much each key is wanted, whoever asks
        return ((placed + wanted.transpose(2, 3)) / sqrt(self.shape.head_width)).to(q.dtype)
