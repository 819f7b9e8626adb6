"""What the laws are held against: one position method in one variant, under one id scheme and one mask."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from posemb.errors import CannotRepresent, UsageError
from posemb.ids.base import IdScheme
from posemb.layout import Layout
from posemb.model.backbone import Backbone
from posemb.model.transformer import Transformer
from posemb.position.base import PositionMethod, Positions, Reach, Shape
from posemb.run.build import instance
from posemb.run.shape import shape_of
from posemb.seeds import stream

VOCABULARY, ROWS, LENGTH, PROMPT, LAYERS = 11, 3, 10, 6, 2
TRAINED = 12  # tokens
LONG = 30  # tokens, two and a half times the trained length
FARTHEST = 4096  # every id that a law asks for is below it
SHARP = 1.5  # deviation of queries and keys
EXACT = {torch.float32: 1e-5, torch.float64: 1e-10}  # what two ways to one number may differ by
# Heads that are no power of two take the longer way through alibi's slopes; the others are for what refuses them.
SIZES = ((24, 3), (32, 4), (128, 4), (256, 2))  # width, heads

Mask = Literal["causal", "prefix"]


class Method(NamedTuple):
    """A position method with one choice of its options."""

    name: str
    cls: type[PositionMethod]
    params: dict[str, Any]

    def build(self, shape: Shape) -> PositionMethod:
        """The method itself."""
        return instance({"_target_": f"{self.cls.__module__}.{self.cls.__qualname__}", **self.params}, shape)

    def fit(self) -> tuple[int, int]:
        """The first width and heads, of those that the laws use, with which it can be built.

        Raises:
            UsageError: there are none. What the method says of the first.
        """
        refusals = []
        for width, heads in SIZES:
            try:
                self.build(Shape(width, heads, LAYERS, TRAINED, TRAINED, FARTHEST))
            except UsageError as refusal:
                refusals.append(refusal)
            else:
                return width, heads
        raise refusals[0]

    @property
    def causal_only(self) -> bool:
        """Whether a prompt that sees itself is refused."""
        return self.build(Shape(*self.fit(), LAYERS, TRAINED, TRAINED, FARTHEST)).causal_only


def layout(length: int, rows: int = ROWS, prompt: int = PROMPT) -> Layout:
    """Rows with roles and digits: there and back again, and numbers of three digits."""
    place = torch.arange(length)[None]
    return Layout(rows, length, prompt, roles=torch.minimum(place, length - place), digits=place % 4)


@dataclass(frozen=True)
class Subject:
    """One method under one id scheme, with or without a bidirectional prompt."""

    method: Method
    scheme: IdScheme
    attention: Mask = "causal"

    @cached_property
    def backbone(self) -> Backbone:
        """Two layers, and the size that the method fits."""
        width, heads = self.method.fit()
        return Backbone(width, LAYERS, heads, 2, self.attention)

    @cached_property
    def shape(self) -> Shape:
        """What the method is told when it is built."""
        return shape_of(self.backbone, self.scheme, [layout(TRAINED)], FARTHEST)

    @property
    def position(self) -> PositionMethod:
        """The method, built and no more."""
        return self.method.build(self.shape)

    def model(self, dtype: torch.dtype = torch.float64, stirred: bool = True, layers: int = LAYERS) -> Transformer:
        """A model with fixed weights, attention sharp enough for position to matter.

        `stirred` moves the method's own weights off zero, where some methods would do nothing.
        """
        with torch.random.fork_rng(devices=[]):
            model = Transformer(VOCABULARY, replace(self.backbone, layers=layers), self.position)
        model.initialise(0)
        for block in model.blocks:
            weight = block.get_parameter("qkv.weight").data
            weight *= SHARP / (weight.std() * self.backbone.width**0.5)
        if stirred:
            stir(model.position)
        return model.to(dtype).eval()

    def ids(self, length: int = LENGTH) -> Tensor:
        """(B|1, T) ids as in training."""
        return self.scheme.assign(layout(length), True, stream(0, "law", "ids"))

    def rows_of(self, *lengths: int) -> Iterator[tuple[Tensor, Tensor]]:
        """(B, T) tokens and their ids, for each of these lengths that the scheme and the method can represent."""
        for length in lengths:
            try:
                ids = self.ids(length)
            except CannotRepresent:
                continue
            if self.position.reach(self.at(ids)) is not Reach.CANNOT:
                yield tokens(length), ids

    def at(self, ids: Tensor, start: int = 0) -> Positions:
        """The pass over rows of these ids, from a token on, outside any model."""
        return Positions.span(ids, start, ids.shape[1], self.attention == "causal", PROMPT)

    def heads(self, name: str, length: int = LENGTH, dtype: torch.dtype = torch.float64) -> Tensor:
        """(B, H, T, Dh) random queries or keys."""
        shape = (ROWS, self.shape.heads, length, self.shape.head_width)
        return torch.randn(shape, generator=stream(0, "law", name), dtype=torch.float64).to(dtype)

    @property
    def first(self) -> int:
        """The smallest number of tokens that can be fed at once: a bidirectional prompt comes whole."""
        return PROMPT if self.attention == "prefix" else 1


@torch.no_grad()
def stir(method: PositionMethod) -> None:
    """Add a little to every learned number of a method."""
    for name, parameter in method.named_parameters():
        parameter.data += 0.1 * torch.randn(parameter.shape, generator=stream(0, "law", name))


def tokens(length: int = LENGTH, name: str = "tokens") -> Tensor:
    """(B, T) random tokens."""
    return torch.randint(VOCABULARY, (ROWS, length), generator=stream(0, "law", name))


@torch.no_grad()
def run(model: Transformer, row_tokens: Tensor, ids: Tensor, stop: int | None = None) -> Tensor:
    """Logits of the first `stop` tokens in one pass, at the horizon of all ids."""
    stop = ids.shape[1] if stop is None else stop
    return model(row_tokens[:, :stop], model.positions(ids, 0, stop, PROMPT))
