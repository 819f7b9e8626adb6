"""Numbers that sum up a curve. Plain Python, so that they can be read from files alone."""

from collections.abc import Iterable, Mapping
from typing import Any

RIGHT_ENOUGH = 0.9  # the exact match that counts as learned, and that L90 asks for


def in_distribution(rows: Iterable[Mapping[str, Any]], trained_size: int) -> float | None:
    """The lowest exact match at any evaluated size up to the trained one, L.

    None where no such size was evaluated, where one could not be represented, and for text.
    """
    figures = [row.get("exact_match") for row in rows if row["size"] <= trained_size]
    known = [figure for figure in figures if figure is not None]
    return min(known) if known and len(known) == len(figures) else None


def horizon(rows: Iterable[Mapping[str, Any]], enough: float) -> int | None:
    """The largest evaluated size up to which exact match stays at `enough` or above; 0 if none.

    A size that cannot be represented ends it. None where nothing was evaluated, and for text.
    """
    answered = [row for row in rows if "exact_match" in row]
    if not answered:
        return None
    reached = 0
    for row in sorted(answered, key=lambda row: row["size"]):
        if row["exact_match"] is None or row["exact_match"] < enough:
            break
        reached = int(row["size"])
    return reached


def l90(rows: Iterable[Mapping[str, Any]]) -> int | None:
    """The horizon at .9: L90."""
    return horizon(rows, RIGHT_ENOUGH)
