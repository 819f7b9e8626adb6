"""The place in the row."""

from typing import final

import torch
from torch import Tensor

from posemb.ids.base import IdScheme
from posemb.layout import Layout


@final
class Sequential(IdScheme):
    """The place in the row, counted from 0.

    Source:
        None: it is what every position method assumes unless told otherwise.
    """

    @property
    def id_limit(self) -> int:
        return self.trained

    def assign(self, layout: Layout, training: bool, rng: torch.Generator) -> Tensor:
        return torch.arange(layout.length)[None]
