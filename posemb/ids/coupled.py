"""One id for all tokens that play the same role."""

from typing import Annotated, final

import torch
from annotated_types import Ge, Le
from torch import Tensor

from posemb.errors import UsageError
from posemb.ids.base import IdScheme
from posemb.ids.offset import ends, held, moved
from posemb.layout import Layout


@final
class Coupled(IdScheme):
    """Coupled ids: tokens of one role share an id, such as a letter and its copy, or digits of one significance.

    The task says which tokens belong together. Tokens without a role, the marks at both ends, have id 0. In training
    every row starts at a random id of 1..K+1, so training meets the ids of rows far longer than its own; evaluation
    starts at 1. The reach is the trained roles + K; a longer row cannot be represented.

    Differs from the paper or its code:
        In the paper learned absolute embeddings read the ids (`--position ape`); here the chosen method does. The code
        draws the start so that every row, however short, may end at the last id of all; here it is drawn from the same
        range for every length.

    Source:
        Cho et al. 2024, "Position Coupling: Improving Length Generalization of Arithmetic Transformers Using Task
        Structure", arXiv:2405.20671, section 3; a start of 1 in evaluation as in the released code.

    Args:
        trained: roles in the longest training sequence.
        offset: K, how far beyond 1 the start may lie; None takes four times the trained roles, as far as the protocol
            goes.
    """

    def __init__(self, trained: int, offset: Annotated[int, Ge(0), Le(1_000_000)] | None = None) -> None:
        super().__init__(trained)
        self.offset = 4 * trained if offset is None else offset

    @staticmethod
    def span(layout: Layout) -> int:
        """Roles in a row."""
        return int(_roles(layout).max())

    @property
    def id_limit(self) -> int:
        return self.trained + self.offset + 1

    @property
    def spreads(self) -> bool:
        return True

    def extremes(self, layout: Layout) -> Tensor:
        return ends(_roles(layout), self.offset)

    def assign(self, layout: Layout, training: bool, rng: torch.Generator) -> Tensor:
        """(B, T) ids in training, (B|1, T) in evaluation."""
        roles = held(_roles(layout), self.id_limit, "roles")
        return moved(roles, layout.rows, self.offset, rng) if training else roles


def _roles(layout: Layout) -> Tensor:
    if layout.roles is None:
        raise UsageError(
            "Coupled ids follow the roles of tokens, and the task states none: choose a task that does, such as copy, "
            "reverse or addition, or other ids, such as sequential."
        )
    return layout.roles
