"""What the paired test of a comparison says, in words, and when it can say nothing."""

from collections.abc import Sequence
from math import ceil, log2

from posemb.report.caveats import untested
from posemb.report.cells import CALLED, counted, listed, probability, signed, span
from posemb.report.comparison import Comparison, Versus
from posemb.report.statistics import LEVEL


def verdict(comparison: Comparison) -> str:
    """What the paired test says, and when it can say nothing: how many seeds it would take."""
    versus = [(group, group.versus) for group in comparison.groups if group.versus is not None]
    tested = [(group, one) for group, one in versus if one.pairs and one.adjusted is not None]
    if not versus:
        return ""
    if not tested:
        reasons = untested(comparison.groups)
        if len(reasons) == 1:
            return f"No difference could be tested: {next(iter(reasons))}."
        each = [f"{listed(labels)}: {why}" for why, labels in reasons.items()]
        return f"No difference could be tested. {'; '.join(each)}."
    what, many = CALLED[comparison.measure], len(tested)
    shown = [(group, one) for group, one in tested if (one.adjusted or 0.0) < LEVEL]
    if shown:
        each = [
            f"{group.label} {signed(one.difference.mean, comparison.measure)}"
            f"{_interval(one.difference.low, one.difference.high, comparison.measure)}, {probability(one.adjusted)}"
            for group, one in shown
        ]
        corrected = f", p corrected for {many} tests" if many > 1 else ""
        more = f" {counted(many - len(shown), 'other difference')} may be chance." if many > len(shown) else ""
        return f"Against {comparison.baseline}, mean difference in {what}: {'; '.join(each)}{corrected}.{more}"
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


def here(comparison: Comparison, best: Sequence[str]) -> str:
    """`In these runs `, unless the test has shown of the best groups that every other one is worse."""
    worse = [group for group in comparison.groups if group.label not in best]
    pairs = {group.label: group.versus for group in comparison.groups if group.versus is not None}
    sign = -1 if comparison.figure == "bits per character" else 1
    if best == [comparison.baseline]:
        shown = all(group.label in pairs and _is_shown(pairs[group.label], -sign) for group in worse)
    else:  # only the baseline was tested against
        alone = [group.label for group in worse] == [comparison.baseline]
        shown = alone and all(label in pairs and _is_shown(pairs[label], sign) for label in best)
    return "" if shown and comparison.measure != "in_distribution" else "In these runs "


def _is_shown(versus: Versus, sign: int) -> bool:
    """Whether the test shows a difference of that sign."""
    return versus.adjusted is not None and versus.adjusted < LEVEL and sign * (versus.difference.mean or 0.0) > 0


def _interval(low: float | None, high: float | None, measure: str) -> str:
    return "" if low is None or high is None else f" (95 % interval {span(low, high, measure)})"
