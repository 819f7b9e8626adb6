"""FIRE: a learned function of how far back a key lies, as a share of how far back it could."""

from math import sqrt
from typing import Annotated, Any, final

import torch
from annotated_types import Ge, Gt, Le
from torch import Tensor, nn

from posemb.position.base import PositionMethod, Positions, Shape

TINY = 1e-6  # the released code's guard against 0/0


def share(distance: Tensor, query: Tensor, c: Tensor, threshold: Tensor) -> Tensor:
    """ψ(d)/ψ(max(L₀, i)) with ψ(x) = ln(|c|·x + 1): between 0 and 1, for any d.

    Args:
        distance: (B|1, Tq, Tk) d = |i − j|; what is beyond the normaliser counts as the normaliser.
        query: (B|1, Tq, 1) i, the query's id.
        c: () how much finer near distances are told apart.
        threshold: () L₀.

    With L₀ = 16 a query at 10 is too near the start to be its own measure, and one at 40 is not:

    >>> c, threshold = torch.tensor(0.1), torch.tensor(16.0)
    >>> [share(torch.tensor(2), torch.tensor(i), c, threshold).item() for i in (10, 40)]
    [0.190810, 0.113283]
    >>> share(torch.tensor(2), torch.tensor(10), -c, threshold).item()  # |c|
    0.190810
    """
    normaliser = torch.maximum(query.to(c.dtype), threshold)
    whole, part = (torch.log1p(c.abs() * x) for x in (normaliser, torch.minimum(distance.to(c.dtype), normaliser)))
    return part / (whole + TINY)


@final
class FIRE(PositionMethod):
    """FIRE: a small network reads how far back a key lies, as a share of how far back it could.

    Formula:
        A_ij = q_i·k_j / √Dh + f_h(ψ(d)/ψ(max(L₀, i))),  d = min(|i − j|, max(L₀, i)),
        ψ(x) = ln(|c|·x + 1),  f = a network 1 → 32 → H with ReLU;  c, L₀ and f learned for every layer

    Past the trained length:
        The share is between 0 and 1 at any length, so f is never asked for what it has not met. The same distance
        becomes another share, though: "one step back" shrinks as the row grows.

    The normaliser looks at the query's id, never at the length of the row, so decoding does not drift. It makes the
    method an absolute one: beyond L₀ the bias moves when all ids do. L₀ is learned as a factor of its start. Layers
    share nothing; the paper's FIRE-S is the form in which they do.

    Differs from the paper or its code:
        The paper starts L₀ at 512 for rows of 2048, which would swallow a tiny run whole: here it starts at the same
        quarter of the trained length. The network's last layer has no constant, which the softmax would not see.
        Distances stop at the normaliser, so that keys ahead have a share as well.

    Source:
        Li et al. 2024, "Functional Interpolation for Relative Positions Improves Long Context Transformers",
        arXiv:2310.04418; starts as in the code of its appendix.

    Args:
        shape: what the model is; L is its trained length in tokens.
        hidden: width of f's hidden layer.
        c: start of c.
        threshold: start of L₀ in ids; None takes a quarter of L.
    """

    absolute = True

    def __init__(
        self,
        shape: Shape,
        hidden: Annotated[int, Ge(1), Le(10_000)] = 32,
        c: Annotated[float, Gt(0)] = 0.1,
        threshold: Annotated[float, Gt(0)] | None = None,
    ) -> None:
        super().__init__(shape)
        self.threshold = max(1.0, shape.trained / 4) if threshold is None else threshold
        self.c = nn.Parameter(torch.full((shape.layers,), c))
        self.factor = nn.Parameter(torch.ones(shape.layers))
        self.inner = nn.Parameter(torch.zeros(shape.layers, hidden, 2))  # weight and constant
        self.outer = nn.Parameter(torch.zeros(shape.layers, hidden, shape.heads))

    def caution(self) -> str:
        if self.threshold < self.shape.trained:
            return ""
        return (
            f"fire: L₀ starts at {self.threshold:g} ids and training rows have {self.shape.trained}: it swallows them "
            "whole, and the bias sees plain distances until L₀ is learned. Leave position.threshold out for a quarter."
        )

    def initialise(self, rng: torch.Generator) -> None:
        """As torch's linear layers: evenly within ±1/√fan-in."""
        nn.init.uniform_(self.inner, -1, 1, generator=rng)
        bound = 1 / sqrt(self.outer.shape[1])
        nn.init.uniform_(self.outer, -bound, bound, generator=rng)

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor:
        """f_h of each share, (B|1, H, Tq, Tk).

        With f(x) = x + 1 for x > −1 the bias is the share and one: of the query 10, ln 1.2 / ln 2 at a distance of 2.

        >>> method = FIRE(Shape(width=2, heads=1, layers=1, trained=4, id_limit=4, asked=4), hidden=1)
        >>> method.inner.data[:] = method.outer.data[:] = 1
        >>> at = Positions.span(torch.tensor([[0, 8, 10]]), 2, 3)
        >>> method.at_scores(torch.zeros(1), torch.zeros(1), at, None, 0).tolist()
        [[[[2.00000, 1.26303, 1.00000]]]]
        """
        dtype = torch.promote_types(self.c.dtype, torch.float32)  # whatever the model's dtype or autocast
        c, factor, inner, outer = (p[layer].to(dtype) for p in (self.c, self.factor, self.inner, self.outer))
        with torch.autocast(q.device.type, enabled=False):
            x = share(at.gap.abs(), at.q[:, :, None], c, self.threshold * factor.abs())
            bias = torch.addcmul(inner[:, 1], x[..., None], inner[:, 0]).relu() @ outer
        return bias.permute(0, 3, 1, 2).to(q.dtype)
