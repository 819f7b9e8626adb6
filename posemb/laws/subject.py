"""What the laws are held against: one position method in one variant, under one id scheme and one mask."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from posemb.errors import CannotRepresent
from posemb.ids.base import IdScheme
from posemb.layout import Layout
from posemb.model.backbone import Backbone
from posemb.model.transformer import Transformer
from posemb.position.base import PositionMethod, Positions, Reach, Shape
from posemb.run.build import instance
from posemb.run.shape import shape_of
from posemb.seeds import stream

VOCABULARY, ROWS, LENGTH, PROMPT = 11, 3, 10, 6
TRAINED = 12  # tokens
LONG = 30  # tokens, two and a half times the trained length
FARTHEST = 4096  # every id that a law asks for is below it
SHARP = 1.5  # deviation of queries and keys
WIDTH, HEADS = 24, 3  # heads that are no power of two take the longer way through alibi's slopes

Mask = Literal["causal", "prefix"]


class Method(NamedTuple):
    """A position method with one choice of its options."""

    name: str
    cls: type[PositionMethod]
    params: dict[str, Any]

    def build(self, shape: Shape) -> PositionMethod:
        """The method itself."""
        return instance({"_target_": f"{self.cls.__module__}.{self.cls.__qualname__}", **self.params}, shape)

    @property
    def causal_only(self) -> bool:
        """Whether a prompt that sees itself is refused."""
        return self.build(Shape(WIDTH, HEADS, 2, TRAINED, TRAINED, FARTHEST)).causal_only


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
    def shape(self) -> Shape:
        """What the method is told when it is built."""
        return shape_of(Backbone(WIDTH, 2, HEADS, 2, self.attention), self.scheme, [layout(TRAINED)], FARTHEST)

    def model(self, dtype: torch.dtype = torch.float64, stirred: bool = True, layers: int = 2) -> Transformer:
        """A model with fixed weights, attention sharp enough for position to matter.

        `stirred` moves the method's own weights off zero, where some methods would do nothing.
        """
        backbone = Backbone(WIDTH, layers, HEADS, 2, self.attention)
        with torch.random.fork_rng(devices=[]):
            model = Transformer(VOCABULARY, backbone, self.method.build(self.shape))
        model.initialise(0)
        for block in model.blocks:
            weight = block.get_parameter("qkv.weight").data
            weight *= SHARP / (weight.std() * WIDTH**0.5)
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
            if self.method.build(self.shape).reach(Positions.span(ids, 0, length)) is not Reach.CANNOT:
                yield tokens(length), ids

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


def heads(rows: int, length: int, name: str, dtype: torch.dtype = torch.float64) -> Tensor:
    """(B, H, T, Dh) queries or keys."""
    shape = (rows, HEADS, length, WIDTH // HEADS)
    return torch.randn(shape, generator=stream(0, "law", name), dtype=torch.float64).to(dtype)


def whole(subject: Subject, length: int = LENGTH) -> Positions:
    """The pass over whole rows, outside any model."""
    return Positions.span(subject.ids(length), 0, length, subject.attention == "causal", PROMPT)
