"""The place of a digit in its own number."""

from typing import Annotated, final

import torch
from annotated_types import Ge, Le
from torch import Tensor

from posemb.errors import UsageError
from posemb.ids.base import IdScheme
from posemb.ids.offset import ends, held, moved
from posemb.layout import Layout


@final
class Abacus(IdScheme):
    """Abacus ids: the place of a digit in its own number, so that digits to be added meet; 0 for all other tokens.

    In training every row adds a random offset of 0..K to its places, so training meets the ids of numbers far longer
    than its own. Evaluation adds none. The reach is the trained digits + K; a longer number cannot be represented.

    Differs from the paper or its code:
        In the paper the ids are read by an embedding of their own, beside another position method. Here they are the
        ids that the chosen method reads; `--position ape` is the nearest to it. The code draws one offset for a batch,
        here each row has its own. It counts from the left, and its numbers are all written backwards; here operands are
        written as usual and counted from the end that the answer begins with, which for reversed sums is the same.

    Source:
        McLeish et al. 2024, "Transformers Can Do Arithmetic with the Right Embeddings", arXiv:2405.17399; offsets 0..K
        in training alone as in the released code.

    Args:
        trained: digits of the longest number in training, a sum included.
        offset: K, the largest random offset; None takes four times the trained digits, as far as the protocol goes.
    """

    def __init__(self, trained: int, offset: Annotated[int, Ge(0), Le(1_000_000)] | None = None) -> None:
        super().__init__(trained)
        self.offset = 4 * trained if offset is None else offset

    @staticmethod
    def span(layout: Layout) -> int:
        """Digits of the longest number."""
        return int(_places(layout).max())

    @property
    def id_limit(self) -> int:
        return self.trained + self.offset + 1

    @property
    def spreads(self) -> bool:
        return True

    def extremes(self, layout: Layout) -> Tensor:
        return ends(_places(layout), self.offset)

    def assign(self, layout: Layout, training: bool, rng: torch.Generator) -> Tensor:
        """(B, T) ids in training, (B|1, T) in evaluation."""
        places = held(_places(layout), self.id_limit, "digits in a number")
        return moved(places, layout.rows, self.offset, rng) if training else places


def _places(layout: Layout) -> Tensor:
    if layout.digits is None:
        raise UsageError(
            "Abacus ids count the digits of numbers, and the task has none: choose a task that has, such as addition, "
            "or other ids, such as sequential."
        )
    return layout.digits
