"""The backbone's settings: the same for every method that is compared."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le

from posemb.errors import UsageError


@dataclass(frozen=True)
class Backbone:
    """The size and the mask of the transformer.

    Attributes:
        width: model width W.
        layers: transformer blocks.
        heads: attention heads; W must be a multiple.
        hidden: width of the feed-forward layer, as a multiple of W.
        attention: `causal`, or `prefix`: the prompt's tokens see each other, the answer stays causal.
    """

    width: Annotated[int, Ge(1), Le(65_536)]
    layers: Annotated[int, Ge(1), Le(1_000)]
    heads: Annotated[int, Ge(1), Le(1_000)]
    hidden: Annotated[int, Ge(1), Le(100)]
    attention: Literal["causal", "prefix"]

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise UsageError(
                f"model.width={self.width} is not a multiple of model.heads={self.heads}: heads share it equally."
            )
