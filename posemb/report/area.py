"""How much of a curve is left past the trained size, as one number."""

from collections.abc import Mapping, Sequence
from math import inf, log
from typing import Any

TEXT_MODE = "sliding"  # the mode that scores a character with a long past, which is what a position method is asked for


def area(rows: Sequence[Mapping[str, Any]], trained: int, furthest: float = inf) -> float | None:
    """The mean of a curve over the logarithm of size, from the trained size on (trapezoids).

    Over the logarithm, so that from one to two times the trained size counts as much as from two to four. Exact match
    gives 0 to 1; a size without a figure counts 0, for no answer is given there. Text gives bits per character in
    sliding windows, and None where one of them has no figure.

    Args:
        rows: of one curve.
        trained: the trained size.
        furthest: where to end, as a multiple of the trained size.

    Returns:
        The mean, or None with fewer than two evaluated sizes from the trained one on.
    """
    from scipy.integrate import trapezoid

    last = furthest * trained * (1 + 1e-9)
    past = [row for row in rows if trained <= row["size"] <= last and row.get("mode") in (None, TEXT_MODE)]
    past.sort(key=lambda row: row["size"])
    if any("mode" in row for row in past):
        values = [row["bits_per_character"] for row in past]
    else:
        values = [row["exact_match"] or 0.0 for row in past]
    if len(past) < 2 or None in values:
        return None
    places = [log(row["size"]) for row in past]
    return float(trapezoid(values, places)) / (places[-1] - places[0])
