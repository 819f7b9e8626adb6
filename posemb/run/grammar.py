"""Hydra's override grammar: one value, several of them, and how a value is written.

This is compose.py's adapter to the grammar.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

from posemb.errors import UsageError

KEY = re.compile(r"(?P<sign>\+{0,2})(?P<key>[A-Za-z_][\w-]*(\.[\w-]+)*)=(?P<value>.*)", re.DOTALL)
NOT_WORDS = ("null", "true", "false", "nan", "inf")  # what Hydra reads as something else than a string


def quote(value: str) -> str:
    """A string in Hydra's quotes: quotes are escaped, and backslashes where they stand before one or at the end."""
    escaped = re.sub(r"(\\*)('|$)", lambda found: found[1] * 2 + (r"\'" if found[2] else ""), value)
    return f"'{escaped}'"


def value_of(text: str, typed: str, key: str) -> tuple[str, Any]:
    """The one value of an override, in Hydra's grammar and as Python.

    What the grammar cannot read (spaces, `#`, `=`, ü) is a string.

    Args:
        text: what stands behind `key=`.
        typed: what to call the override in a message.
        key: what it sets.

    Raises:
        UsageError: brackets or quotes do not match, or there are several values.
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    parser = OverridesParser.create()
    try:
        override = parser.parse_override(f"key={text}")
    except HydraException as error:
        if text.lstrip().startswith(("[", "{", "'", '"', "${")):
            reason = str(error).splitlines()[0]
            raise UsageError(f"{typed}: the value's brackets or quotes do not match ({reason}).") from error
        text = quote(text)
        override = parser.parse_override(f"key={text}")
    if override.is_sweep_override():
        raise UsageError(
            f"{typed}: one value expected for {key}; a run trains one model.\n"
            f"Several runs: posemb sweep {key}={text}\n"
            f"A comma inside one value: '{key}=\"a,b\"'. A list: '{key}=[1,2]'."
        )
    return text, override.value()


def alternatives(token: str, typed: str, choices: Mapping[str, Collection[str]]) -> list[str] | None:
    """The values of an axis, each in Hydra's grammar: of `a=1,2`, `a=range(0,5)`, `a=choice(x,y)`, `position=glob(r*)`.

    Args:
        token: `key=value`.
        typed: what to call it in a message.
        choices: each config group and the names of its options, from which `glob` takes.

    Returns:
        The values in their order; None where the token sets one value.

    Raises:
        UsageError: the values cannot be counted, there are none, or `glob` stands at a key that is no group.
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.override_parser.types import Glob
    from hydra.errors import HydraException

    found = KEY.fullmatch(token)
    if not found:
        return None
    try:
        override = OverridesParser.create().parse_override(f"key={found['value']}")
    except HydraException:  # a plain string with signs of the grammar in it, or a mistake: `read` tells them apart
        return None
    if not override.is_sweep_override():
        return None
    if override.is_interval_sweep():
        raise UsageError(f"{typed}: an interval has no end of values. Name some: {found['key']}=0.1,0.3,1")
    value: Any = override.value()
    if isinstance(value, Glob):
        if found["key"] not in choices:
            raise UsageError(f"{typed}: glob() picks options of a group, and {found['key']} is none.")
        values = value.filter(list(choices[found["key"]]))
    else:
        values = list(override.sweep_string_iterator())
    if override.is_range_sweep():
        values = [f"{float(one):.12g}" if "." in one else one for one in values]  # 0.1 + 0.2 is 0.3
    if not values:
        raise UsageError(f"{typed}: that is no value at all.")
    return values


def written(value: Any) -> str:
    """A value of a YAML file in Hydra's grammar; a string that must be quoted is."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, list):
        return f"[{','.join(map(written, value))}]"
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{written(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, str):
        return value if re.fullmatch(r"[A-Za-z_][\w./-]*", value) and value.lower() not in NOT_WORDS else quote(value)
    return repr(value)
