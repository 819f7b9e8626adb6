"""Where the tokens of one pass are, and which of them see each other."""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True)
class Positions:
    """All that a method may know in one pass.

    Attributes:
        q: (B|1, Tq) ids of the asking tokens.
        k: (B|1, Tk) ids of the asked tokens; they include the asking ones, so k[:, start:] is q.
        start: index of the first query: Tk == start + Tq.
        horizon: final length of the sequence in tokens, constant while decoding.
        causal: every token sees itself and what came before it.
        prefix: where `causal` is false, the first `prefix` tokens (the prompt) also see each other.
    """

    q: Tensor
    k: Tensor
    start: int
    horizon: int
    causal: bool = True
    prefix: int = 0

    @classmethod
    def span(cls, ids: Tensor, start: int, stop: int, causal: bool = True, prefix: int = 0) -> "Positions":
        """Queries start..stop-1 of sequences whose ids (B|1, T) are known in full, against the keys 0..stop-1."""
        return cls(ids[:, start:stop], ids[:, :stop], start, ids.shape[1], causal, prefix)

    @cached_property
    def gap(self) -> Tensor:
        """(B|1, Tq, Tk) signed distance d = id of the query - id of the key; negative for keys that lie ahead."""
        return self.q[:, :, None] - self.k[:, None, :]

    @cached_property
    def last(self) -> Tensor:
        """(Tq,) the last key that a query may look at, by index, never by id: ids may repeat or run backwards."""
        query = torch.arange(self.start, self.k.shape[1], device=self.k.device)
        return query if self.causal else query.clamp(min=self.prefix - 1)

    @cached_property
    def visible(self) -> Tensor:
        """(Tq, Tk) bool: may the query look at the key?"""
        query, key = self.last[:, None], torch.arange(self.k.shape[1], device=self.k.device)
        return key <= query

    @property
    def least(self) -> int:
        """The least gap of a query and a key that it may look at: 0, its own, or below."""
        ids = self.k.cpu()  # not every device has running extremes
        return int((ids[:, self.start :] - ids.cummax(1).values[:, self._seen]).min())

    @property
    def greatest(self) -> int:
        """The greatest gap of a query and a key that it may look at: 0, its own, or above."""
        ids = self.k.cpu()
        return int((ids[:, self.start :] - ids.cummin(1).values[:, self._seen]).max())

    @property
    def _seen(self) -> Tensor:
        """(Tq,) `last`, among the keys that are there."""
        return self.last.clamp(max=self.k.shape[1] - 1).cpu()

    @property
    def fed(self) -> "Positions":
        """Of a pass over whole rows, all but their last token: it is predicted, and never fed to the model."""
        fed = max(1, self.k.shape[1] - 1)
        return replace(self, q=self.q[:, : fed - self.start], k=self.k[:, :fed])
