from typing import Any


def row(size: int, exact_match: float | None, status: str = "ok", high: float = 0.5) -> dict[str, Any]:
    """A row of the curve of a task with answers; a figure of None is a position that cannot be represented."""
    cannot = exact_match is None
    low, figure = (None, None) if cannot else (exact_match * 0.9, 0.5)
    found = {"step": 100, "size": size, "length": 2 * size + 3, "exact_match": exact_match, "token_accuracy": figure}
    found |= {"loss": figure, "entropy": figure, "count": 512, "low": low, "high": None if cannot else high}
    return found | {"chance": 26.0**-size, "status": "cannot represent" if cannot else status}


def not_finite(one: dict[str, Any]) -> dict[str, Any]:
    """A row whose positions can be represented, and whose loss is no number."""
    figures = ("exact_match", "token_accuracy", "bits_per_character", "loss", "entropy", "low", "high")
    return one | {key: None for key in figures if key in one}


def text_row(window: int, mode: str, bits: float | None) -> dict[str, Any]:
    """A row of the curve of a text."""
    found = {"step": 100, "size": window, "length": window, "mode": mode, "bits_per_character": bits}
    found |= {"scored_tokens": 5120, "loss": bits, "entropy": bits, "count": 40}
    return found | {"status": "cannot represent" if bits is None else "ok"}


def result(position: str, curve: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A run's document."""
    found: dict[str, Any] = {"schema": 1, "run": f"runs/copy/{position}/s0-1234abcd", "state": "completed"}
    found |= {"position": position, "ids": "sequential", "task": "copy", "seed": 0, "trained_size": 20}
    found |= {"trained_length": 43, "parameters": 7, "steps": 100, "device": "cpu", "threads": 1}
    found |= {"config_hash": "1234abcd", "in_distribution": 1.0, "l90": 20, "seconds": 1.0, "error": None}
    return found | {"curve": curve} | more


APE = result("ape", [row(10, 1.0), row(20, 1.0), row(21, 0.0, "untrained rows"), row(100, None)])
ALIBI = result("alibi", [row(10, 1.0), row(20, 1.0), row(21, 1.0), row(100, 0.25)])
TEXT = result(
    "rope",
    [text_row(window, mode, window / 64) for window in (128, 256) for mode in ("blocked", "sliding")],
    task="text",
    trained_size=128,
    trained_length=128,
)
EMPTY = result("nope", [], state="failed")
