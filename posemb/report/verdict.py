"""What the paired test of a comparison says, in words, and when it can say nothing."""

from math import ceil, log2

from posemb.report.cells import CALLED, counted, probability, signed, span
from posemb.report.comparison import Comparison
from posemb.report.statistics import LEVEL


def verdict(comparison: Comparison) -> str:
    """What the paired test says, and when it can say nothing: how many seeds it would take."""
    versus = [(group, group.versus) for group in comparison.groups if group.versus is not None]
    tested = [(group, one) for group, one in versus if one.pairs and one.adjusted is not None]
    if comparison.baseline is None or len(comparison.groups) < 2:
        return ""
    if not tested:
        return f"No group shares a comparable data seed with {comparison.baseline}, so no difference could be tested."
    what, many = CALLED[comparison.measure], len(tested)
    shown = [(group, one) for group, one in tested if (one.adjusted or 0.0) < LEVEL]
    if shown:
        each = [
            f"{group.label} {signed(one.difference.median, comparison.measure)}"
            f"{_interval(one.difference.low, one.difference.high, comparison.measure)}, {probability(one.adjusted)}"
            for group, one in shown
        ]
        corrected = f", p corrected for {many} tests" if many > 1 else ""
        more = f" {counted(many - len(shown), 'other difference')} may be chance." if many > len(shown) else ""
        return f"Against {comparison.baseline}, in {what}: {'; '.join(each)}{corrected}.{more}"
    most = max(one.pairs for _, one in tested)
    least = min(1.0, many * min(one.least or 0.0 for _, one in tested))
    if least > LEVEL:
        corrected = f", corrected for {many} tests," if many > 1 else ""
        needed = ceil(1 + log2(many / LEVEL))
        return (
            f"{counted(most, 'seed')} cannot show a difference at 5 %: with {counted(most, 'pair')} p{corrected} "
            f"cannot fall below {least:.2g}, however far apart the curves are. {needed} shared seeds could. "
            "Take the figure for what it shows of these runs, not as proof."
        )
    return (
        f"No group's {what} differs from that of {comparison.baseline} at 5 %. That does not show that they are equal."
    )


def _interval(low: float | None, high: float | None, measure: str) -> str:
    return "" if low is None or high is None else f" (95 % interval {span(low, high, measure)})"
