"""What pydantic refuses, in our words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# pydantic's words and ours.
WORDS = {
    "Input should": "must",
    "List should": "must",
    "a valid integer": "a whole number",
    "a valid ": "a ",
    "dictionary": "mapping",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    " after validation, not 0": "",
}


def refused(name: str, value: Any, error: Any) -> Iterator[str]:
    """One line for each place in the value, with all that it may be; where an item is wrong, its list is not.

    Args:
        name: the parameter.
        value: what was given for it.
        error: pydantic's ValidationError.
    """
    told: dict[str, tuple[Any, list[str]]] = {}
    for one in error.errors(include_url=False):
        if one["type"] == "none_required":  # the other half of `... | None`
            continue
        message = one["msg"]
        for theirs, ours in WORDS.items():
            message = message.replace(theirs, ours)
        told.setdefault(_place(name, value, one["loc"]), (one["input"], []))[1].append(message)
    for place, (wrong, messages) in told.items():
        if not any(other.startswith((f"{place}.", f"{place}[")) for other in told):
            joined = [messages[0], *(message.removeprefix("must ") for message in messages[1:])]
            yield f"{place}={shown(wrong)}: {', or '.join(dict.fromkeys(joined))}."


def _place(name: str, value: Any, steps: Sequence[str | int]) -> str:
    """The dotted key of what is wrong within a value; a step that leads nowhere names an alternative of its type."""
    for step in steps:
        if isinstance(step, int):
            name, value = f"{name}[{step}]", value[step] if isinstance(value, list) else None
        elif isinstance(value, Mapping) and step in value:
            name, value = f"{name}.{step}", value[step]
    return name


def shown(value: Any) -> str:
    """A value as one would type it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
