"""What runs are called, in the names of their folders and wherever their results are shown."""

from collections.abc import Iterable, Mapping
from typing import Any


def position_label(choice: Mapping[str, Any]) -> str:
    """How a method and its ids are called together: `rope`, or `rope+randomized` where ids are not sequential.

    Args:
        choice: a config's choice, or a run's document, which names the two in the same way.
    """
    return choice["position"] if choice["ids"] == "sequential" else f"{choice['position']}+{choice['ids']}"


def short(key: str) -> str:
    """A dotted key without its group: `width` for `model.width`, `layers.rope` for `position.layers.rope`."""
    return key.partition(".")[2] or key


def setting_words(settings: Mapping[str, str]) -> list[str]:
    """`width=64` for `model.width`; the whole key where two are the same without their group.

    Args:
        settings: values as they are to be shown, by dotted key.
    """
    called = [short(key) for key in settings]
    return [
        f"{name if called.count(name) == 1 else key}={value}"
        for name, (key, value) in zip(called, settings.items(), strict=True)
    ]


def heat_label(rows: Iterable[Mapping[str, Any]]) -> str:
    """`, temperature 1.2` where the attention scores of some rows were multiplied by it, else nothing."""
    heats = sorted({row["temperature"] for row in rows if row.get("temperature", 1) != 1})
    return f", temperature {' and '.join(f'{heat:g}' for heat in heats)}" if heats else ""


def seed_label(seed: int | Mapping[str, int]) -> str:
    """`3`; with two different seeds for weights and data `0.1`.

    Args:
        seed: a number, or {"init", "data"}: as a config or a run's document holds it.
    """
    if isinstance(seed, int):
        return str(seed)
    return str(seed["init"]) if seed["init"] == seed["data"] else f"{seed['init']}.{seed['data']}"
