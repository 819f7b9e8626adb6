"""Every subject that there is: what the config groups hold, and the user's own folder beside them."""

from collections.abc import Iterator, Mapping
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import torch
from torch import Tensor

from posemb.errors import UsageError
from posemb.ids.base import IdScheme
from posemb.laws.subject import ROWS, TRAINED, Mask, Method, Subject, layout
from posemb.layout import Layout
from posemb.run.build import building
from posemb.run.catalog import Option, catalog
from posemb.run.target import locate
from posemb.seeds import stream

# What an option's other choices read of the ids goes through the same code: plain ids, and the oddest that there are.
FEW = ("sequential", "unordered")
MASKS: tuple[Mask, ...] = ("causal", "prefix")


class Unordered(IdScheme):
    """Ids that repeat and run backwards. No config has them, the contract allows them, and some day a scheme will."""

    @property
    def id_limit(self) -> int:
        """The trained length."""
        return self.trained

    def extremes(self, layout: Layout) -> Tensor:
        """(2, T): from the first id to the last, and back."""
        rows = torch.zeros(2, layout.length, dtype=torch.int64)
        rows[0, 1:] = rows[1, 0] = self.trained - 1
        return rows

    def assign(self, layout: Layout, training: bool, rng: torch.Generator) -> Tensor:
        """(B, T) ids."""
        return torch.randint(self.trained, (layout.rows, layout.length), generator=rng)


class Place(NamedTuple):
    """A subject, and where it comes from.

    Attributes:
        option: the position option.
        ids: the id scheme's name.
        subject: both of them built, under a mask.
    """

    option: str
    ids: str
    subject: Subject


def schemes(config_dir: Path | None = None) -> dict[str, IdScheme]:
    """Every id scheme by name, made for the laws' rows.

    Raises:
        UsageError: one cannot be built, or gives no ids; a method is not to blame for that.
    """
    found = {}
    for one in catalog("ids", config_dir):
        with building(f"ids={one.name} ({one.target})"):
            found[one.name] = _class(one, config_dir)(TRAINED, **one.parameters)
            ids = found[one.name].assign(layout(TRAINED), True, stream(0, "law", "ids"))
        if ids.dtype != torch.int64 or ids.shape not in ((1, TRAINED), (ROWS, TRAINED)):
            raise UsageError(
                f"ids={one.name} ({one.target}) gives {ids.dtype} ids of shape {tuple(ids.shape)} to {ROWS} rows of "
                f"{TRAINED} tokens: it must be int64, and ({ROWS}, {TRAINED}) or (1, {TRAINED})."
            )
    return found | {"unordered": Unordered(TRAINED)}


def variants(option: Option, config_dir: Path | None = None) -> Iterator[Method]:
    """An option as its file has it, then each of its choices changed by itself."""
    cls = _class(option, config_dir)
    yield Method(option.name, cls, option.parameters)
    hints = get_type_hints(cls.__init__, include_extras=True)
    for key, parameter in list(signature(cls).parameters.items())[1:]:
        for other in literals(hints.get(key)):
            if other != option.parameters.get(key, parameter.default):
                yield Method(f"{option.name}-{other}", cls, option.parameters | {key: other})


def places(option: str, method: Method, known: Mapping[str, IdScheme]) -> Iterator[Place]:
    """A variant of an option under every id scheme and mask; a choice that its file does not make, under a few."""
    for ids, mask in product(known, MASKS):
        if method.name == option or ids in FEW:
            yield Place(option, ids, Subject(method, known[ids], mask))


def _class(option: Option, config_dir: Path | None) -> Any:
    config = {"choice": {option.group: option.name}, option.group: option.section}
    return locate(config, option.group, config_dir)


def literals(annotation: Any) -> tuple[Any, ...]:
    """The choices of a `Literal` or a bool, also inside `Annotated` or a union; empty for anything else."""
    if annotation is bool:
        return (False, True)
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    if get_origin(annotation) in (dict, list, Mapping):  # something that holds many
        return ()
    return next(filter(None, map(literals, get_args(annotation))), ())
