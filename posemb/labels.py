"""What runs are called, in the names of their folders and wherever their results are shown."""

from collections.abc import Mapping
from typing import Any


def position_label(choice: Mapping[str, Any]) -> str:
    """How a method and its ids are called together: `rope`, or `rope+randomized` where ids are not sequential.

    Args:
        choice: a config's choice, or a run's document, which names the two in the same way.
    """
    return choice["position"] if choice["ids"] == "sequential" else f"{choice['position']}+{choice['ids']}"


def seed_label(seed: int | Mapping[str, int]) -> str:
    """`3`; with two different seeds for weights and data `0.1`.

    Args:
        seed: a number, or {"init", "data"}: as a config or a run's document holds it.
    """
    if isinstance(seed, int):
        return str(seed)
    return str(seed["init"]) if seed["init"] == seed["data"] else f"{seed['init']}.{seed['data']}"
