"""The Sandwich bias: what is left of sinusoidal embeddings when only their products with each other stay."""

from typing import Annotated, Any, final

import torch
from annotated_types import Ge, Le
from torch import Tensor

from posemb.errors import UsageError
from posemb.position.angle import angles
from posemb.position.base import PositionMethod, Positions, Shape
from posemb.position.table import distinct


def product(distance: Tensor, dims: int) -> Tensor:
    """Σ_{k < dims/2} cos(d/10000^(2k/dims)): two sinusoidal embeddings of `dims` numbers, d ids apart, multiplied.

    >>> product(torch.tensor([0, 1]), 128).tolist()
    [64.00000, 62.09368]
    """
    return angles(distance, 10000.0, dims).cos().sum(-1)


@final
class Sandwich(PositionMethod):
    """Sandwich: the score falls like the product of two sinusoidal embeddings, at a fixed strength for each head.

    Formula:
        A_ij = q_i·k_j / √Dh + H/(8h)·(Σ_{k < d̄/2} cos(d/10000^(2k/d̄)) − d̄/2),  d = |i − j|,  h = 1..H

    Past the trained length:
        The bias goes on falling in ripples, roughly with the logarithm of the distance, until the slowest waves turn
        back (beyond ten thousand ids).

    Nothing is learned. The distance has no sign: without causality a reversed sequence looks the same.

    Differs from the paper or its code:
        d̄/2, the product at distance zero, is taken off: the softmax does not see it, and half precision would spend
        its digits on it. The paper's sum counts k from 1; here it counts from 0, as Vaswani's embedding does, so that
        the sum *is* the product of two such embeddings.

    Source:
        Chi et al. 2023, "Dissecting Transformer Length Extrapolation via the Lens of Receptive Field Analysis",
        arXiv:2212.10356.

    Args:
        shape: what the model is; it has no say in d̄.
        dims: d̄, the width of the embeddings that are multiplied; even.

    Raises:
        UsageError: `dims` is odd.
    """

    directed = False

    def __init__(self, shape: Shape, dims: Annotated[int, Ge(2), Le(1_000_000)] = 128) -> None:
        super().__init__(shape)
        if dims % 2:
            raise UsageError(f"position.dims={dims} must be even: every sine has a cosine.")
        self.dims = dims

    def prepare(self, at: Positions) -> Tensor:
        """(B|1, H, Tq, Tk) bias, the same for every layer.

        What the sum falls by from its 64 at d = 0, times H/8h: 1/4 for the first of two heads, 1/8 for the second.

        >>> method = Sandwich(Shape(width=4, heads=2, layers=1, trained=9, id_limit=9, asked=9))
        >>> method.prepare(Positions.span(torch.tensor([[0, 510, 511]]), 2, 3))[0, :, 0].tolist()
        [[-12.617158, -0.476579, 0.000000], [-6.308579, -0.238290, 0.000000]]
        """
        distances, index = distinct(at.gap.abs())
        fall = product(distances, self.dims) - self.dims / 2
        head = torch.arange(1, self.shape.heads + 1, dtype=fall.dtype, device=fall.device)[:, None, None]
        return self.shape.heads / (8 * head) * fall[index].unsqueeze(1)

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor:
        return tables.to(q.dtype)
