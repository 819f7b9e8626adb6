"""Words like `position=rope,ape`: which of some runs they leave."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from posemb.errors import UsageError
from posemb.labels import position_label, seed_label
from posemb.run.flat import flat
from posemb.run.folder import RunFolder
from posemb.run.nearest import nearest

# What may be asked for beside the keys of a config.
OWN_KEYS = ("method", "seed", "state")


@dataclass(frozen=True)
class Filter:
    """One `key=value,value` word: a run passes that has one of the values.

    Attributes:
        typed: the word.
        key: a dotted key of the config, its last part where that is enough, or one of `OWN_KEYS`.
        values: the alternatives, as typed; `*`, `?` and `[...]` in a word stand for other letters.
    """

    typed: str
    key: str
    values: tuple[str, ...]


def is_filter(word: str) -> bool:
    """Whether a word is a filter, and no path: what stands before its `=` may be a key."""
    key, equals, _ = word.partition("=")
    return bool(equals) and "/" not in key


def read_filter(word: str) -> Filter:
    """The filter that a word means.

    Raises:
        UsageError: its key or its value is empty.
    """
    key, _, text = word.partition("=")
    values = tuple(_alternatives(text))
    if not key or not all(values):
        raise UsageError(f"{word}: expected KEY=VALUE or KEY=VALUE,VALUE, as in task=last or position=rope,ape.")
    return Filter(word, key, values)


def facts(folder: RunFolder) -> dict[str, Any]:
    """All that a filter may ask of a run: its flat config, its `method`, its `seed` {"init", "data"}, its `state`."""
    config = folder.config
    own = {"method": position_label(config["choice"]), "seed": config["seed"], "state": folder.state}
    return flat(config) | own


def full_key(key: str, known: Mapping[str, Any] | Sequence[str]) -> str | None:
    """The key that `key` means: itself, or the one of `known` that ends in it; None if there is none, or several."""
    if key in known:
        return key
    ending = [one for one in known if one.endswith(f".{key}")]
    return ending[0] if len(ending) == 1 else None


def near_keys(key: str, known: Sequence[str]) -> list[str]:
    """Which of `known`, or of their last parts where that is enough, a wrong key may have meant."""
    short = [one.rpartition(".")[2] for one in known if full_key(one.rpartition(".")[2], known) == one]
    return [one for one in known if one.endswith(f".{key}")] or nearest(key, dict.fromkeys([*known, *short]))


def passing(folders: Sequence[RunFolder], filters: Sequence[Filter], warnings: list[str]) -> list[RunFolder]:
    """The runs that pass every filter. A filter that leaves none adds a line to `warnings`, with the values there are.

    Raises:
        UsageError: no run has such a key.
    """
    if not filters or not folders:
        return list(folders)
    asked = {id(folder): facts(folder) for folder in folders}
    known = dict.fromkeys(key for one in asked.values() for key in one)
    left = list(folders)
    for one in filters:
        key = full_key(one.key, known)
        if key is None:
            raise UsageError(_unknown(one, list(known)))
        had = [asked[id(folder)][key] for folder in left if key in asked[id(folder)]]
        before, left = left, [folder for folder in left if _passes(asked[id(folder)], key, one.values)]
        if before and not left:
            there_is = f"{key} is {_listed(had)}" if had else f"they have no {key}"
            warnings.append(f"{one.typed} leaves no run: {there_is}.")
    return left


def _unknown(one: Filter, known: Sequence[str]) -> str:
    near = near_keys(one.key, known)
    remedy = f"Did you mean {' or '.join(near)}?" if near else "A run's keys are those of: posemb train --cfg"
    return f"{one.typed}: no run has the key {one.key}. {remedy}"


def _passes(asked: Mapping[str, Any], key: str, values: Sequence[str]) -> bool:
    if key not in asked:
        return False
    has = asked[key]
    if key == "seed":
        return any(seed_label(has) == value or all(matches(one, value) for one in has.values()) for value in values)
    return any(matches(has, value) for value in values)


def matches(has: Any, wanted: str) -> bool:
    """Whether a config's value is the one that a word names: numbers by value, text by glob, a list as YAML."""
    if isinstance(has, list):
        import yaml

        try:
            return bool(yaml.safe_load(wanted) == has)
        except yaml.YAMLError:
            return False
    if has is None or isinstance(has, bool):
        return wanted.lower() in {None: ("null", "~"), True: ("true",), False: ("false",)}[has]
    if isinstance(has, int | float):
        number = _number(wanted)
        if number is not None:
            return number == has
    return wanted == str(has) or fnmatchcase(str(has), wanted)


def _number(text: str) -> int | float | None:
    for kind in (int, float):  # a seed may be too large for a float
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _alternatives(text: str) -> Iterator[str]:
    """What stands between the commas outside of brackets: a list is one value."""
    depth, begin = 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth <= 0:
            yield text[begin:place].strip()
            begin = place + 1
    yield text[begin:].strip()


def _listed(values: Sequence[Any]) -> str:
    """`ape, rope`: each value once, at most five."""
    each = list(dict.fromkeys(seed_label(value) if isinstance(value, Mapping) else str(value) for value in values))
    return ", ".join(each[:5]) + (f" and {len(each) - 5} more" if len(each) > 5 else "")
