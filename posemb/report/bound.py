"""Nothing right is an upper bound, not a zero."""

from math import ceil

from posemb.report.comparison import Comparison, Group, Row
from posemb.report.table import percent


def bounded(group: Group, row: Row) -> str:
    """The median exact match of a size. Nothing right is an upper bound, not a zero: 0 of 512 is `≤ 0.75 %`."""
    bound = nothing_right(group, row)
    return percent(row.estimate.median) if bound is None else f"≤ {percent(bound, ceil)}"


def nothing_right(group: Group, row: Row) -> float | None:
    """The upper bound of exact match where the median is 0: the largest one of the runs; else None."""
    bounds = [
        one["high"]
        for document in group.documents
        for one in document["curve"]
        if one["size"] == row.size and one.get("exact_match") == 0 and one.get("high") is not None
    ]
    return max(bounds) if row.estimate.median == 0 and bounds else None


def bound(comparison: Comparison) -> str:
    """How nothing right is written, in words: with the number of examples where it is the same everywhere."""
    rows = [row for group in comparison.groups for one in group.documents for row in one["curve"]]
    counts = {row["count"] for row in rows}
    if len(counts) > 1 or not counts:
        return "nothing right is written as an upper bound, with ≤"
    highs = [row["high"] for row in rows if row.get("exact_match") == 0 and row["high"] is not None]
    such = f", ≤ {percent(max(highs), ceil)}" if highs else ", with ≤"
    return f"nothing right{''.join(f' of {count:,}' for count in counts)} is written as an upper bound{such}"
