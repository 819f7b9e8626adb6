"""What stands behind the friendly options: the override that each of them is, and how it was typed."""

from collections.abc import Mapping
from typing import Any

from posemb.run.compose import CLASSES

# Which key each option sets.
KEYS = {
    **{group: group for group in CLASSES},
    "size": "train.size",
    "steps": "train.steps",
    "seed": "seed",
    "sizes": "eval.sizes",
    "device": "run.device",
    "threads": "run.threads",
}


def friendly(given: Mapping[str, Any]) -> dict[str, str]:
    """The options that were given: each one's override, and how it was typed."""
    return {
        f"{KEYS[name]}={f'[{value}]' if name == 'sizes' else value}": f"--{name} {value}"
        for name, value in given.items()
        if value is not None
    }


def as_typed(message: str, options: Mapping[str, str]) -> str:
    """`train.steps=0: must be at least 1` about the `--steps 0` that the user wrote."""
    for token, typed in options.items():
        message = f"\n{message}".replace(f"\n{token}:", f"\n{typed}:")[1:]
    return message
