"""What the laws are held against: every position method in every variant, under every id scheme and both masks.

All of it is read from the config groups, so a new YAML file joins the laws with no edit here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import pytest
import torch
from torch import Tensor

from posemb.ids.base import IdScheme
from posemb.layout import Layout
from posemb.model.backbone import Backbone
from posemb.model.transformer import Transformer
from posemb.position.base import PositionMethod, Positions, Shape
from posemb.run.build import instance
from posemb.seeds import stream
from tests.conftest import options

VOCABULARY, ROWS, LENGTH, PROMPT = 11, 3, 10, 6
TRAINED = 12  # tokens; shorter than what some laws ask for
FARTHEST = 600  # every id that a law asks for is below it
SHARP = 1.5  # deviation of queries and keys
WIDTH, HEADS = 24, 3  # heads that are no power of two take the longer way through alibi's slopes


class Method(NamedTuple):
    """A position method with one choice of its options."""

    name: str
    cls: type[PositionMethod]
    params: dict[str, Any]

    def build(self, shape: Shape) -> PositionMethod:
        return instance({"_target_": f"{self.cls.__module__}.{self.cls.__qualname__}", **self.params}, shape)

    @property
    def causal_only(self) -> bool:
        return self.build(Shape(WIDTH, HEADS, 2, TRAINED, TRAINED, FARTHEST)).causal_only


class Unordered(IdScheme):
    """Ids that repeat and run backwards. No config has them, the contract allows them, and some day a scheme will."""

    @property
    def id_limit(self) -> int:
        return self.trained

    def assign(self, layout: Layout, training: bool, rng: torch.Generator) -> Tensor:
        return torch.randint(self.trained, (layout.rows, layout.length), generator=rng)


def layout(length: int, rows: int = ROWS, prompt: int = PROMPT) -> Layout:
    """Rows with roles and digits: there and back again, and numbers of three digits."""
    place = torch.arange(length)[None]
    return Layout(rows, length, prompt, roles=torch.minimum(place, length - place), digits=place % 4)


def literals(annotation: Any) -> tuple[Any, ...]:
    """The choices of a `Literal`, also inside `Annotated` or a union; empty for anything else."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    if get_origin(annotation) in (dict, list, Mapping):  # something that holds many
        return ()
    return next(filter(None, map(literals, get_args(annotation))), ())


def variants() -> Iterator[Method]:
    """Every option of the group position as its file has it, then each of its choices changed by itself."""
    for option in options("position"):
        yield Method(option.name, option.target, option.params)
        hints = get_type_hints(option.target.__init__, include_extras=True)
        for key, value in option.params.items():
            for other in literals(hints[key]):
                if other != value:
                    yield Method(f"{option.name}-{other}", option.target, option.params | {key: other})


METHODS = list(variants())
SCHEMES = {option.name: option.build(TRAINED) for option in options("ids")} | {"unordered": Unordered(TRAINED)}


@dataclass(frozen=True)
class Subject:
    """One method under one id scheme, with or without a bidirectional prompt."""

    method: Method
    scheme: IdScheme
    attention: str = "causal"

    @cached_property
    def shape(self) -> Shape:
        limit = self.scheme.id_limit
        trained = limit if self.scheme.spreads else TRAINED
        return Shape(width=WIDTH, heads=HEADS, layers=2, trained=trained, id_limit=limit, asked=FARTHEST)

    def model(self, dtype: torch.dtype = torch.float64, stirred: bool = True, layers: int = 2) -> Transformer:
        """A model with fixed weights, attention sharp enough for position to matter.

        `stirred` moves the method's own weights off zero, where some methods would do nothing.
        """
        backbone = Backbone(WIDTH, layers, HEADS, 2, self.attention)
        with torch.random.fork_rng():
            model = Transformer(VOCABULARY, backbone, self.method.build(self.shape))
        model.initialise(0)
        for block in model.blocks:
            block.qkv.weight.data *= SHARP / (block.qkv.weight.std() * WIDTH**0.5)
        if stirred:
            stir(model.position)
        return model.to(dtype).eval()

    def ids(self, length: int = LENGTH) -> Tensor:
        return self.scheme.assign(layout(length), True, stream(0, "law", "ids"))

    @property
    def first(self) -> int:
        """The smallest number of tokens that can be fed at once: a bidirectional prompt comes whole."""
        return PROMPT if self.attention == "prefix" else 1


@torch.no_grad()
def stir(method: PositionMethod) -> None:
    for name, parameter in method.named_parameters():
        parameter += 0.1 * torch.randn(parameter.shape, generator=stream(0, "law", name))


def tokens(length: int = LENGTH, name: str = "tokens") -> Tensor:
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


def _parametrize(subjects: list[Subject], names: list[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("subject", subjects, ids=names)


over_methods = _parametrize(
    [Subject(method, SCHEMES["sequential"]) for method in METHODS], [method.name for method in METHODS]
)
# What an option's other choices read of the ids goes through the same code: plain ids, and the oddest that there are.
FEW = ("sequential", "unordered")


def pairs() -> Iterator[tuple[Method, str]]:
    """Every option with every id scheme; each of its other choices with a few."""
    plain = {option.name for option in options("position")}
    for method, scheme in product(METHODS, SCHEMES):
        if method.name in plain or scheme in FEW:
            yield method, scheme


over_pairs = _parametrize(
    [Subject(method, SCHEMES[scheme]) for method, scheme in pairs()],
    [f"{method.name}-{scheme}" for method, scheme in pairs()],
)
EVERY = [
    (f"{method.name}-{scheme}-{attention}", Subject(method, SCHEMES[scheme], attention))
    for (method, scheme), attention in product(pairs(), ("causal", "prefix"))
    if attention == "causal" or not method.causal_only
]
over_all = _parametrize([subject for _, subject in EVERY], [name for name, _ in EVERY])
