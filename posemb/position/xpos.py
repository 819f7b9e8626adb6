"""Rotary position embeddings that fade.

Two equal vectors one span (ten ids) apart, in a pair that hardly turns: their score is multiplied by ζ = .9 / 1.4.

    >>> method = XPos(Shape(width=4, heads=1, layers=1, trained=10, id_limit=10, asked=10), base=1e12)
    >>> x, at = torch.tensor([0.0, 0, 1, 0]).expand(1, 1, 2, 4), Positions.span(torch.tensor([[0, 10]]), 0, 2)
    >>> q, k = method.at_qk(x, x, at, method.prepare(at), 0)
    >>> (q[0, 0, 1] @ k[0, 0].T).tolist()
    [0.642857, 1.000000]
"""

from math import exp, log
from typing import Annotated, Any, final

import torch
from annotated_types import Gt, Le
from torch import Tensor

from posemb.errors import UsageError
from posemb.position.base import QK, PositionMethod, Positions, Reach, Shape
from posemb.position.ladder import Ladder
from posemb.position.precision import finest
from posemb.position.rope import Pairs, rotate, turns

LARGEST = log(torch.finfo(torch.float32).max) - 10  # ten: what the vectors themselves may need
FAINT = 0.9  # a score that keeps more over a whole training row hardly fades


def fading(dims: int, gamma: float, device: torch.device) -> Tensor:
    """(dims/2,) ζ_k = (2k/dims + γ) / (1 + γ), below 1: what one span of distance multiplies a pair's score by.

    >>> fading(8, 0.4, torch.device("cpu")).tolist()  # .4, .65, .9 and 1.15 over 1.4
    [0.285714, 0.464286, 0.642857, 0.821429]
    """
    return (torch.arange(0, dims, 2, dtype=finest(device), device=device) / dims + gamma) / (1 + gamma)


def faded(ids: Tensor, theta: Tensor, zeta: Tensor, span: float) -> QK:
    """Ids p (B|1, T) -> factors (B|1, 1, T, n): ζ^(p/span)·e^(i·angle) for queries, ζ^(−p/span)·e^(i·angle) for keys.

    A score depends on the difference of the ids alone, so both may be 1 at any id; it is the id 0.

    A pair that does not turn, half a span on, with ζ = .64:

    >>> q, k = faded(torch.tensor([[256]]), torch.zeros(1), torch.tensor([0.64]), 512.0)
    >>> q.real.item(), k.real.item()
    (0.800000, 1.250000)
    """
    lengths = zeta ** (ids[:, None, :, None].to(zeta.dtype) / span)
    return QK(turns(ids, theta, lengths), turns(ids, theta, 1 / lengths))


@final
class XPos(PositionMethod):
    """xPos: rotary embeddings whose scores fade with distance, fast-turning pairs first.

    Formula:
        q_i → ζ_k^(i/span) R(i·θ_k) q_i,  k_j → ζ_k^(−j/span) R(j·θ_k) k_j,  ζ_k = (2k/Dh + γ) / (1 + γ);
        a pair's score is multiplied by ζ_k^(d/span),  d = i − j

    Past the trained length:
        The fast pairs, whose angles have become arbitrary, fade out of the far scores, and slow ones remain.

    Defined for causal attention only: for keys ahead the score would grow. The factors grow with the ids. float32 holds
    them up to about 60 spans (γ = 0.4): past that, "cannot represent".

    Differs from the paper or its code:
        The paper's algorithm has no span: a pair fades by ζ_k at every step. The code has one of 512, made for rows of
        a thousand tokens; at 40 tokens that is rope in all but name, so the default here is the trained length. The
        code places the factor 1 in the middle of the present row, so that it moves while a row grows; here it stays at
        id 0, and scores are the same. The paper's blockwise attention is another idea and is left out.

    Source:
        Sun et al. 2022, "A Length-Extrapolatable Transformer", arXiv:2212.10554, algorithm 1; γ as in the released
        code; the rotation as in rope.

    Args:
        shape: what the model is; the head width must be even.
        base: as in rope.
        pairs: which dimensions turn together.
        gamma: γ, lifts the fastest pair's ζ off zero; larger values fade less.
        span: distance, in ids, over which a pair fades by ζ_k; None takes the trained length.

    Raises:
        UsageError: the head width is odd; or training alone takes ids past what float32 holds.
    """

    causal_only = True

    def __init__(
        self,
        shape: Shape,
        base: Annotated[float, Gt(1)] = 10000.0,
        pairs: Pairs = "interleaved",
        gamma: Annotated[float, Gt(0), Le(1_000_000)] = 0.4,
        span: Annotated[float, Gt(0), Le(1_000_000_000)] | None = None,
    ) -> None:
        super().__init__(shape)
        self.pairs, self.gamma = pairs, gamma
        self.span = float(shape.trained) if span is None else span
        self.ladder = Ladder(base, shape.head_width, shape, "none", 1.0)
        if self.exponent(shape.id_limit - 1) > LARGEST:
            raise UsageError(
                f"position.span={self.span:g} with position.gamma={gamma:g} is too short for training: at the id "
                f"{shape.id_limit - 1}\nfactors no longer fit into float32. Set a longer span."
            )

    def exponent(self, last: int) -> float:
        """The logarithm of the largest factor up to an id: that of the fastest pair, ζ_0 = γ / (1 + γ)."""
        return last / self.span * log(1 + 1 / self.gamma)

    def caution(self) -> str:
        left = exp(-self.exponent(self.shape.trained))
        if left < FAINT:
            return ""
        return (
            f"xpos: over a training row of {self.shape.trained} ids the fastest pair keeps {left:.0%} of its score, so "
            f"this is rope in all but name. Leave position.span out for a span of one training row."
        )

    def prepare(self, at: Positions) -> QK:
        """The factors of every key's id, as a query and as a key."""
        zeta = fading(self.ladder.dims, self.gamma, at.k.device)
        return faded(at.k, self.ladder.scaled(at).theta, zeta, self.span)

    def at_qk(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> QK:
        return QK(rotate(q, tables.q[:, :, at.start :], self.pairs), rotate(k, tables.k, self.pairs))

    def reach(self, at: Positions) -> Reach:
        return Reach.OK if self.exponent(int(at.k.max())) <= LARGEST else Reach.CANNOT
