"""Rotary position embeddings."""

from typing import Annotated, Any, Literal, final

import torch
from annotated_types import Gt
from torch import Tensor

from posemb.errors import UsageError
from posemb.position.angle import angles
from posemb.position.base import QK, PositionMethod, Positions, Shape

Pairs = Literal["half", "interleaved"]


def rotate(x: Tensor, turn: Tensor, pairs: Pairs) -> Tensor:
    """Turn each pair of dimensions of x (B, H, T, Dh), read as one complex number, by its factor e^(i·angle).

    `interleaved` pairs dimensions 2k and 2k + 1, `half` pairs k and k + Dh/2. The two are equal up to a permutation
    of dimensions; a model trained with one is wrong with the other.

    Args:
        x: queries or keys.
        turn: (B|1, 1, T, Dh/2) complex factors.
        pairs: the layout.
    """
    # Never less than float32, whatever the model's dtype or autocast.
    real = x.to(torch.promote_types(x.dtype, torch.float32))
    turn = turn.to(real.dtype.to_complex())
    if pairs == "interleaved":
        turned = torch.view_as_real(torch.view_as_complex(real.unflatten(-1, (-1, 2))) * turn)
    else:
        paired = real.unflatten(-1, (2, -1)).transpose(-1, -2).contiguous()
        turned = torch.view_as_real(torch.view_as_complex(paired) * turn).transpose(-1, -2)
    return turned.flatten(-2).to(x.dtype)


@final
class RoPE(PositionMethod):
    """Rotary embeddings: query and key turned by an angle proportional to their position.

    Formula:
        q_i → R(i·θ_k) q_i,  k_j → R(j·θ_k) k_j,  θ_k = base^(−2k/Dh);  (R^i q)ᵀ(R^j k) = qᵀ R^(j−i) k

    Past the trained length:
        Angles keep turning into combinations that training never showed; plain RoPE falls soon.

    Values are never rotated, and no parameters are added.

    Source:
        Su et al. 2021, arXiv:2104.09864, section 3.2.2.

    Args:
        shape: what the model is; the head width must be even.
        base: the slowest pair turns once in nearly 2π·base ids.
        pairs: which dimensions turn together.

    Raises:
        UsageError: the head width is odd, so a dimension would have no partner.
    """

    def __init__(self, shape: Shape, base: Annotated[float, Gt(1)] = 10000.0, pairs: Pairs = "interleaved") -> None:
        super().__init__(shape)
        if shape.head_width % 2:
            raise UsageError(
                f"rope turns pairs of dimensions, so model.width / model.heads must be even: it is {shape.head_width}."
            )
        self.base = base
        self.pairs: Pairs = pairs

    def prepare(self, at: Positions) -> Tensor:
        """(B|1, 1, Tk, Dh/2) factors e^(i·angle) of every key's id; the queries' are the last Tq."""
        phase = angles(at.k, self.base, self.shape.head_width).unsqueeze(1)
        return torch.polar(torch.ones_like(phase), phase)

    def at_qk(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> QK:
        return QK(rotate(q, tables[:, :, at.start :], self.pairs), rotate(k, tables, self.pairs))
