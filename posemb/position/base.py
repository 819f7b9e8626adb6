"""The position contract: three hooks, one for each point where order can enter a transformer.

    tokens -> embedding -> [ query, key -> score -> softmax -> value ] x layers -> logits
                  |            |             |
             at_embedding    at_qk       at_scores
               APE             RoPE          RPE

A method overrides the hooks that it needs; the model calls all three, whatever it holds. With none this *is* NoPE.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from posemb.position.positions import Positions as Positions  # a part of the contract

HOOKS = ("at_embedding", "at_qk", "at_scores")
UNSAID = -1


@dataclass(frozen=True)
class Shape:
    """All that a method may know when it is built.

    The last four are what training shows. Left unsaid, it is what ids that count tokens show under a causal mask.

    Attributes:
        width: model width W.
        heads: attention heads H.
        layers: transformer blocks.
        trained: longest training sequence L, in ids: as many as its tokens; with ids that spread, the scheme's limit.
        id_limit: every id met in training is below it.
        asked: every id of the evaluation is below it. For sizing tables only: a method must not be tuned to it.
        tokens: longest training sequence in tokens, whatever their ids.
        spreads: training meets ids as large as any row will have, so `trained` cannot be held against a row's tokens.
        least: least gap of two tokens that training feeds and lets see each other; 0 where no id lies ahead.
        greatest: greatest such gap. Training may show all that lie between.
    """

    width: int
    heads: int
    layers: int
    trained: int
    id_limit: int
    asked: int
    tokens: int = UNSAID
    spreads: bool = False
    least: int = 0
    greatest: int = UNSAID

    def __post_init__(self) -> None:
        if self.tokens == UNSAID:
            object.__setattr__(self, "tokens", self.trained)
        if self.greatest == UNSAID:  # the last token of a row is predicted, never fed
            object.__setattr__(self, "greatest", max(0, self.id_limit - 2))

    @property
    def head_width(self) -> int:
        """Width of one head, Dh = W / H."""
        return self.width // self.heads


class Reach(StrEnum):
    """Can a method represent the positions that it is asked for, and were they trained? The status of a curve row."""

    OK = "ok"
    UNTRAINED = "untrained rows"
    CANNOT = "cannot represent"


class QK(NamedTuple):
    """Queries (B, H, Tq, Dh) and keys (B, H, Tk, Dh)."""

    q: Tensor
    k: Tensor


class PositionMethod(nn.Module):
    """What the model sees of any position method. Subclasses are final and vary by composition.

    What one pass needs is *returned* by `prepare` and handed to the hooks as `tables`, never kept on the module: cached
    decoding, chunked evaluation and two lengths in a row cannot disturb each other.

    Attributes:
        absolute: whether the output moves when all ids do: it knows where it is. Measured by a law.
        directed: whether it tells ahead from behind, and not only how far. Measured by a law.
        reads_ids: whether it looks at the ids. One that counts tokens by itself does not.
        causal_only: whether it is defined for pairs of the past alone; a bidirectional prompt is refused.
        made_of: the methods that one made of methods hands on to; it enters where they do.
    """

    absolute: bool = False
    directed: bool = True
    reads_ids: bool = True
    causal_only: bool = False
    made_of: tuple["PositionMethod", ...] = ()

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape

    def initialise(self, rng: torch.Generator) -> None:
        """Draw the learned parameters from `rng`, never from torch's global generator."""

    def prepare(self, at: Positions) -> Any:
        """What this pass needs once, for all layers: cosines, buckets, a shared bias."""
        return None

    def at_embedding(self, x: Tensor, at: Positions, tables: Any) -> Tensor:
        """Token embeddings (B, Tq, W) -> (B, Tq, W)."""
        return x

    def at_qk(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> QK:
        """Queries (B, H, Tq, Dh) and *raw* keys (B, H, Tk, Dh) -> the same shapes. Values are never touched."""
        return QK(q, k)

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor | None:
        """None, or a bias that broadcasts to (B, H, Tq, Tk), added after 1/sqrt(Dh).

        It is finite on every pair, visible or not: the mask comes afterwards.
        """
        return None

    def reach(self, at: Positions) -> Reach:
        """Whether the positions of whole rows can be represented, and whether training could have taught them."""
        return Reach.OK

    def caution(self) -> str:
        """What a user should know before training: a constant that means something else at this trained length.

        With the number that matters, and the setting that would be another. Empty: nothing.
        """
        return ""


Parts = Mapping[str, Callable[[Shape], PositionMethod]]  # what a method made of methods takes: how to make each


def injection_points(method: type[PositionMethod] | PositionMethod) -> tuple[str, ...]:
    """The hooks that a method overrides, in the order in which a token meets them. Empty for NoPE."""
    if method.made_of:
        return tuple(hook for hook in HOOKS if any(hook in injection_points(part) for part in method.made_of))
    cls = method if isinstance(method, type) else type(method)
    return tuple(hook for hook in HOOKS if getattr(cls, hook) is not getattr(PositionMethod, hook))
