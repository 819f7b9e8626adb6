"""A config as one flat mapping, with the keys that a person types."""

from collections.abc import Iterator, Mapping
from typing import Any

from posemb.run.compose import CLASSES


def flat(config: Mapping[str, Any]) -> dict[str, Any]:
    """All that decides a run's result: `position`, `ids`, `task`, then every other dotted key; not the `run` group.

    Args:
        config: what a run folder keeps.
    """
    rest = {part: value for part, value in config.items() if part not in ("choice", "run")}
    return {group: config["choice"][group] for group in CLASSES} | dict(leaves(rest, ""))


def leaves(node: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    """The keys that hold a value, each behind `prefix`, without the names of classes."""
    for name, value in node.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, f"{prefix}{name}.")
        elif name != "_target_":
            yield f"{prefix}{name}", value
