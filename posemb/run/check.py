"""Is a composed config one that can be built? Types and ranges come from the annotations of what it will build."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from posemb.errors import UsageError
from posemb.run.compose import CLASSES, PARTS
from posemb.run.nearest import meant
from posemb.run.opening import first_line
from posemb.run.refusal import refused, shown
from posemb.run.target import Parameters, called, locate, parameters

LINES = 8  # the longest message


def check(config: Mapping[str, Any], config_dir: Path | None = None) -> dict[str, Any]:
    """Hold a config against the constructors that it will reach. Nothing is built but the plain settings.

    Args:
        config: what `compose` returned, or a run's config.yaml.
        config_dir: where options of the user's own came from. A class that is not posemb's needs it, in a stored
            config as well.

    Returns:
        The same config, its numbers of the kind that is annotated: where a float is wanted, 10000 becomes 10000.0, so
        that the two are one experiment with one hash.

    Raises:
        UsageError: one line for each wrong key, with the nearest right one.
    """
    from posemb.eval.protocol import Protocol
    from posemb.model.backbone import Backbone
    from posemb.run.settings import Machine, Seed
    from posemb.train.recipe import Recipe

    _refuse([*_unknown(config, ("choice", *PARTS), ""), *_not_mappings(config)])
    _refuse(_no_names(config["choice"]))
    held = dict(config)
    # The plain settings first: a wrong number is found before torch, and before any class of the user's, is imported.
    plain = {"model": Backbone, "train": Recipe, "eval": Protocol, "seed": Seed, "run": Machine}
    wrong: list[str] = []
    for part, cls in plain.items():
        held[part] = dict(config[part])
        wrong += _hold(part, held[part], parameters(cls, 0, part))
    _refuse(wrong)
    for part, cls in plain.items():
        cls(**held[part])  # what one setting demands of another
    for part in CLASSES:
        held[part] = _held(config, part, config[part], part, config_dir)
    return held


def _held(
    config: Mapping[str, Any], group: str, section: Mapping[str, Any], place: str, config_dir: Path | None
) -> dict[str, Any]:
    """A section that names a class, at the dotted key `place`, and the sections of the methods that it is made of."""
    cls = locate(config, group, config_dir, place)
    given = {key: value for key, value in section.items() if key != "_target_"}
    # Position methods are built as cls(shape, ...), id schemes as cls(trained, ...), tasks as cls(...).
    named = called(config, group) if place == group else f"{place} ({section['_target_']})"
    known = parameters(cls, 0 if group == "task" else 1, named)
    _refuse(_hold(place, given, known))
    for key in known.parts & given.keys():
        inner = {f"{place}.{key}.{name}": one for name, one in given[key].items()}
        _refuse([f"{at}={shown(one)}: must be a mapping." for at, one in inner.items() if not isinstance(one, dict)])
        _refuse([f"{place}.{key}: {one!r} must be a name." for one in given[key] if not str(one).isidentifier()])
        made = [_held(config, group, one, at, config_dir) for at, one in inner.items()]
        given[key] = dict(zip(given[key], made, strict=True))
    return {"_target_": section["_target_"], **given}


def _refuse(errors: Iterator[str] | Sequence[str]) -> None:
    found = _merge_seeds(list(errors))
    if len(found) > LINES:
        found = [*found[: LINES - 1], f"... and {len(found) - LINES + 1} more."]
    if found:
        raise UsageError("\n".join(found))


def _merge_seeds(errors: list[str]) -> list[str]:
    """`seed=-1` set both seeds: one mistake, one line."""
    twins = {error: error.replace("seed.init", "seed", 1) for error in errors if error.startswith("seed.init=")}
    both = {init: one for init, one in twins.items() if init.replace("seed.init", "seed.data", 1) in errors}
    dropped = {init.replace("seed.init", "seed.data", 1) for init in both}
    return [both.get(error, error) for error in errors if error not in dropped]


def _not_mappings(config: Mapping[str, Any]) -> Iterator[str]:
    for part in ("choice", *PARTS):
        if part not in config:
            yield f"{part} is missing from the config."
        elif not isinstance(config[part], dict):
            yield f"{part}={shown(config[part])}: must be a mapping of keys to values."


def _no_names(choice: Mapping[str, Any]) -> Iterator[str]:
    """The name of an option becomes that of a folder."""
    for group in CLASSES:
        name = choice.get(group)
        if not isinstance(name, str) or name in ("", ".", "..") or "/" in name or "\\" in name:
            yield f"choice.{group}={shown(name)}: must be the name of an option."


def _unknown(given: Mapping[str, Any], known: Sequence[str], prefix: str) -> Iterator[str]:
    for key in given:
        if key not in known:
            hint = meant(str(key), [name for name in known if name != "choice"], "Keys", prefix)
            yield f"{prefix}{key}={shown(given[key])}: there is no key {prefix}{key}. {hint}"


def _hold(part: str, given: dict[str, Any], known: Parameters) -> Iterator[str]:
    """One line for each key that a constructor does not take, lacks or refuses; the others become what it takes."""
    from pydantic import ValidationError

    if not known.open:
        yield from _unknown(given, list(known.types), f"{part}.")
    for name, adapter in known.types.items():
        if name not in given:
            if name not in known.optional:
                yield f"{part}.{name} is missing: set it with {part}.{name}=VALUE."
            continue
        try:
            value = adapter.validate_python(given[name], strict=True)
        except ValidationError as error:
            yield from (f"{part}.{line}" for line in refused(name, given[name], error))
        except Exception as error:  # a bound that does not fit its type, or a validator of the user's own
            yield f"{part}.{name}={shown(given[name])}: {type(error).__name__}: {first_line(error)}."
        else:
            # An int for a float; but what a user's validator makes of a value may not be fit for a file.
            given[name] = value if value == given[name] else given[name]
