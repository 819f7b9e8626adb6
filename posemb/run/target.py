"""The class behind an option: found, held against its group's contract, and never called here."""

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_origin, get_type_hints

from posemb.errors import UsageError
from posemb.run.compose import options
from posemb.run.nearest import meant

if TYPE_CHECKING:
    from pydantic import TypeAdapter

# What an option of each group must be a subclass of.
CONTRACTS = {"position": "PositionMethod", "ids": "IdScheme", "task": "Task"}


@dataclass(frozen=True)
class Parameters:
    """What a constructor takes from a config.

    Attributes:
        types: a strict validator for each parameter.
        optional: the parameters with a default of their own.
        parts: the parameters that take other methods by name, each given as a class and its parameters.
        open: it takes any other key as well (**kwargs).
    """

    types: Mapping[str, "TypeAdapter[Any]"]
    optional: frozenset[str]
    parts: frozenset[str]
    open: bool


def locate(config: Mapping[str, Any], group: str, config_dir: Path | None = None, place: str | None = None) -> type:
    """The class that `config[group]["_target_"]` names, or that of a part within, at the dotted key `place`.

    posemb's own classes are always allowed; any other importable one only where the chosen option's file comes from
    `config_dir`. Importing a module runs it, so a foreign one is not even imported without that.

    Raises:
        UsageError: the class is not allowed, not found, or no subclass of the group's contract.
    """
    place = place or group
    target = reduce(getitem, place.split("."), config).get("_target_")
    choice = (config.get("choice") or {}).get(group)
    if not isinstance(target, str):
        raise UsageError(f"{place}._target_ is missing: the option {choice!r} must name its class there.")
    if not target.startswith(f"posemb.{group}.") and not _from_user(group, choice, config_dir):
        raise UsageError(
            f"{place}._target_={target}: not a class of posemb.{group}. A class of your own is allowed only through\n"
            f"an option of your own: pass --config-dir DIR, where DIR/{group}/{choice}.yaml names it."
        )
    found = _import(target, place)
    contract = getattr(importlib.import_module(f"posemb.{group}.base"), CONTRACTS[group])
    if not isinstance(found, type) or not issubclass(found, contract) or inspect.isabstract(found):
        raise UsageError(
            f"{place}._target_={target}: not a {CONTRACTS[group]}. "
            f"It must be a class that implements posemb.{group}.base.{CONTRACTS[group]}."
        )
    return found


def _from_user(group: str, choice: Any, config_dir: Path | None) -> bool:
    if config_dir is None:
        return False
    file = options(group, config_dir).get(str(choice))
    return file is not None and file.is_relative_to(config_dir.absolute())


def _import(target: str, place: str) -> Any:
    module_name, _, name = target.rpartition(".")
    if not module_name:
        raise UsageError(f"{place}._target_={target}: expected module.Class.")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{place}._target_={target}: no module {error.name!r}. A module of your own must be importable: install\n"
            "it, or put its folder into PYTHONPATH (the folder of --config-dir is not searched)."
        ) from error
    except Exception as error:
        raise UsageError(
            f"{place}._target_={target}: {module_name} does not import: {type(error).__name__}: {error}"
        ) from error
    if not hasattr(module, name):
        names = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise UsageError(f"{place}._target_={target}: {module_name} has no {name}. {meant(name, names, 'Classes')}")
    return getattr(module, name)


def called(config: Mapping[str, Any], group: str) -> str:
    """How a message calls an option's class: `position=mine (my_method.Mine)`."""
    return f"{group}={config['choice'][group]} ({config[group]['_target_']})"


def parts_of(hints: Mapping[str, Any]) -> list[str]:
    """The parameters, of those with these annotations, that take other methods by name."""
    likely = [name for name, hint in hints.items() if get_origin(hint) is Mapping]
    if not likely:  # and so torch is not loaded to check a number
        return []
    from posemb.position.base import Parts

    return [name for name in likely if hints[name] == Parts]


def parameters(cls: type, skip: int, name: str) -> Parameters:
    """What `cls(...)` takes by name, after `skip` positional arguments that do not come from a config.

    Raises:
        UsageError: its annotations cannot be understood. The message begins with `name`.
    """
    try:
        signature = list(inspect.signature(cls).parameters.values())[skip:]
        hints = get_type_hints(cls.__init__, include_extras=True)  # type: ignore[misc]
    except Exception as error:  # an annotation in quotes may hold anything
        raise UsageError(f"{name}: its annotations do not resolve: {error}") from error
    named = [one for one in signature if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    parts = frozenset(parts_of(hints))
    types = {one.name: dict if one.name in parts else hints.get(one.name, Any) for one in named}
    return Parameters(
        {key: _adapter(annotation, f"{name}, parameter {key}") for key, annotation in types.items()},
        frozenset(one.name for one in named if one.default is not one.empty),
        parts,
        any(one.kind is one.VAR_KEYWORD for one in signature),
    )


def _adapter(annotation: Any, name: str) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    try:
        return TypeAdapter(annotation)
    except Exception as error:  # pydantic's, or a TypeError for a bound that does not fit its type
        raise UsageError(
            f"{name}: values from a config cannot be held against its annotation {annotation}.\n"
            "Annotate it with int, float, bool, str, a Literal, or a list or Annotated of these."
        ) from error
