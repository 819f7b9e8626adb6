"""The id contract: which position id each token has. A second axis, independent of the method that reads the ids."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor

from posemb.layout import Layout
from posemb.seeds import stream


class IdScheme(ABC):
    """Assigns ids to tokens. Ids may repeat or run backwards; causality never comes from them.

    Args:
        trained: span of the longest training sequence: its tokens, unless the scheme counts something else.
    """

    def __init__(self, trained: int) -> None:
        self.trained = trained

    @staticmethod
    def span(layout: Layout) -> int:
        """How far rows of this layout reach in what the scheme counts: tokens, digits of a number, roles.

        Raises:
            UsageError: the task does not say what the scheme would count. Asked before a run folder is made.
        """
        return layout.length

    @property
    @abstractmethod
    def id_limit(self) -> int:
        """Every id met in training is below it."""

    @property
    def spreads(self) -> bool:
        """Whether training already meets ids as large as any that evaluation will ask for."""
        return False

    def extremes(self, layout: Layout) -> Tensor:
        """(R, T) ids that training may give to rows of this layout: no draw puts two tokens farther apart.

        They tell a method which distances it will have met. By default they are the ids of evaluation; a scheme that
        draws others in training says here what its draws can come to.
        """
        return self.assign(layout, False, stream(0, "extremes"))

    @abstractmethod
    def assign(self, layout: Layout, training: bool, rng: torch.Generator) -> Tensor:
        """Ids for whole sequences: (B|1, T) int64, with T = layout.length, the final length.

        They are drawn once for a sequence and kept while it is decoded.

        Raises:
            CannotRepresent: the scheme has no ids for sequences that long.
        """
