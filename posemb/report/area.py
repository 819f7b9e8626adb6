"""How much of a curve is left past the trained size, as one number."""

from collections.abc import Mapping, Sequence
from math import inf, log, nan
from typing import Any

TEXT_MODE = "sliding"  # the mode that scores a character with a long past, which is what a position method is asked for


def area(rows: Sequence[Mapping[str, Any]], trained: int, reach: tuple[float, float] = (1.0, inf)) -> float | None:
    """The mean of a curve over the logarithm of size, from the trained size on (trapezoids).

    Over the logarithm, so that from one to two times the trained size counts as much as from two to four. Exact match
    gives 0 to 1; a size without a figure counts 0, for no answer is given there. Text gives bits per character in
    sliding windows, and None where one of them has no figure.

    Where an end is no evaluated size, the curve there is the straight line over log size between its two neighbours.
    So curves that are the same in multiples of their trained sizes have the same area, whichever sizes were evaluated.
    Nothing is made up outside of the evaluated sizes: an end that lies there moves to the nearest of them.

    Args:
        rows: of one curve.
        trained: the trained size.
        reach: where to begin and to end, as multiples of the trained size.

    Returns:
        The mean, or None where nothing was evaluated past the beginning.
    """
    import numpy as np
    from scipy.integrate import trapezoid

    curve = sorted((row for row in rows if row.get("mode") in (None, TEXT_MODE)), key=lambda row: row["size"])
    if not curve:
        return None
    places = [log(row["size"] / trained) for row in curve]
    begin, end = max(log(reach[0]), places[0]), min(log(reach[1]), places[-1])
    if begin >= end:
        return None
    missing = nan if any("mode" in row for row in curve) else 0.0
    figures = [row["bits_per_character"] if "mode" in row else row["exact_match"] for row in curve]
    known = [missing if figure is None else figure for figure in figures]
    within = [begin, *(place for place in places if begin < place < end), end]
    mean = float(trapezoid(np.interp(within, places, known), within)) / (end - begin)
    return None if np.isnan(mean) else mean
