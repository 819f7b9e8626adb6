"""Learned absolute position embeddings.

X = [0.2, 0.5] at a place whose vector is P = [0.1, -0.2]:

    >>> method = APE(Shape(width=2, heads=1, layers=1, trained=1, id_limit=1, asked=1))
    >>> method.table.data[0] = torch.tensor([0.1, -0.2])
    >>> here = Positions.span(torch.tensor([[0]]), 0, 1)
    >>> method.at_embedding(torch.tensor([[[0.2, 0.5]]]), here, None).tolist()
    [[[0.300000, 0.300000]]]

A table starts with deviation 0.02:

    >>> method = APE(Shape(width=100, heads=1, layers=1, trained=1, id_limit=1, asked=1000))
    >>> method.initialise(torch.Generator().manual_seed(0))
    >>> method.table.std().item()
    0.0200
"""

from typing import Annotated, Any, final

import torch
from annotated_types import Ge, Le
from torch import Tensor, nn
from torch.nn import functional as F

from posemb.errors import UsageError
from posemb.position.base import PositionMethod, Positions, Reach, Shape


@final
class APE(PositionMethod):
    """Learned absolute embeddings: a vector for every id, added to the token's.

    Formula:
        E = X + P,  P_i = table[i],  table ~ N(0, 0.02²)

    Past the trained length:
        Rows exist up to the longest length that the protocol evaluates, but training never touched them: the curve
        marks those figures "untrained rows". Past the table nothing exists: "cannot represent".

    Differs from the paper or its code:
        In GPT the table is as long as the longest training sequence, and nothing exists past it. Here it goes on, so
        that what happens there can be seen; `position.rows` sets its length.

    Source:
        Gehring et al. 2017, "Convolutional Sequence to Sequence Learning", arXiv:1705.03122; Radford et al. 2018,
        "Improving Language Understanding by Generative Pre-Training".

    Args:
        shape: what the model is.
        rows: ids that the table holds; None takes every id that the protocol asks for. With sequential ids that is a
            row for every token of a sequence, its end mark included, though that one is never fed.

    Raises:
        UsageError: the table is too short for training.
    """

    absolute = True

    def __init__(self, shape: Shape, rows: Annotated[int, Ge(1), Le(10_000_000)] | None = None) -> None:
        super().__init__(shape)
        held = max(shape.asked, shape.id_limit) if rows is None else rows
        if held < shape.id_limit:
            raise UsageError(
                f"position.rows={held} is too short for training, which meets ids up to {shape.id_limit - 1}: "
                f"set position.rows to {shape.id_limit} or more, or train on a smaller size."
            )
        self.table = nn.Parameter(torch.zeros(held, shape.width))

    def initialise(self, rng: torch.Generator) -> None:
        nn.init.normal_(self.table, std=0.02, generator=rng)

    def at_embedding(self, x: Tensor, at: Positions, tables: Any) -> Tensor:
        return x + F.embedding(at.q, self.table)

    def reach(self, at: Positions) -> Reach:
        highest = int(at.k.max())
        if highest >= len(self.table):
            return Reach.CANNOT
        return Reach.OK if highest < self.shape.id_limit else Reach.UNTRAINED
