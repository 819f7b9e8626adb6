"""Ordered ids from a range far longer than the rows."""

from typing import Annotated, final

import torch
from annotated_types import Ge, Le
from torch import Tensor

from posemb.errors import CannotRepresent, UsageError
from posemb.ids.base import IdScheme
from posemb.layout import Layout


@final
class Randomized(IdScheme):
    """Randomized ids: distinct, sorted, drawn for every row from a range longer than any row to come.

    Training meets large ids and wide gaps long before evaluation does, so no id is ever new. The draw is made in
    training *and* in evaluation.

    Differs from the paper or its code:
        The code makes one draw for all rows of a batch, here each row has its own. For methods that work by distances
        it draws the distances; here they follow from the ids.

    Source:
        Ruoss et al. 2023, "Randomized Positional Encodings Boost Length Generalization of Transformers",
        arXiv:2305.16843, and its released code.

    Args:
        trained: longest training sequence, in tokens.
        limit: ids are drawn from 0..limit-1; None takes five times the trained length, as far as the protocol goes.

    Raises:
        UsageError: the range is shorter than a training row.
    """

    def __init__(self, trained: int, limit: Annotated[int, Ge(1), Le(1_000_000)] | None = None) -> None:
        super().__init__(trained)
        self.limit = 5 * trained if limit is None else limit
        if self.limit < trained:
            raise UsageError(
                f"ids.limit={self.limit} is too short for training rows of {trained} tokens: set it to the longest "
                "length that you want to evaluate, in tokens."
            )

    @property
    def id_limit(self) -> int:
        return self.limit

    @property
    def spreads(self) -> bool:
        return True

    def extremes(self, layout: Layout) -> Tensor:
        """(1, T): the first token at the first id, all others at the last ones."""
        ids = torch.arange(self.limit - layout.length, self.limit)
        ids[0] = 0
        return ids[None]

    def assign(self, layout: Layout, training: bool, rng: torch.Generator) -> Tensor:
        """(B, T) ids. Row b depends on the generator and b alone, not on how many rows are asked for."""
        if layout.length > self.limit:
            raise CannotRepresent(f"{layout.length} tokens need as many ids, and ids.limit is {self.limit}.")
        # The T smallest of R independent uniforms are a uniform T-subset of 0..R-1.
        keys = torch.rand(layout.rows, self.limit, generator=rng, dtype=torch.float64)
        return keys.topk(layout.length, dim=1, largest=False).indices.sort(dim=1).values
