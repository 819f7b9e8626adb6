"""How an estimate is written in a table: its median, its interval, and every seed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil, floor

from posemb.report.bound import bounded
from posemb.report.comparison import Comparison, Group, Row, Versus
from posemb.report.statistics import Estimate
from posemb.report.table import NOTHING, number, percent

# What each measure is called in a sentence.
CALLED = {
    "area": "log-length area",
    "l90": "horizon L90",
    "l50": "horizon L50",
    "in_distribution": "accuracy in distribution",
}
HEADS = {"in_distribution": "in distribution", "l90": "L90", "l50": "L50", "area": "area"}


@dataclass(frozen=True)
class Cell:
    """What stands in one place of a table.

    Attributes:
        main: the median, or words.
        interval: its 95 % interval; empty where there is none.
        seeds: every seed's figure, and whether it counts; empty where the table does not list them.
        note: what a reader must know of it: a status, a p.
    """

    main: str
    interval: str = ""
    seeds: list[tuple[str, bool]] = field(default_factory=list)
    note: str = ""

    @property
    def alike(self) -> bool:
        """Whether several seeds all count and came to the same: once is enough to say it."""
        return len(self.seeds) > 1 and len(set(self.seeds)) == 1 and self.seeds[0][1]


def group_columns(comparison: Comparison) -> list[tuple[str, list[Cell]]]:
    """The table of groups by its columns: each one's head, and a cell for every group. Columns without figures go."""
    groups = comparison.groups
    found = [("learned", [_success(group) for group in groups])] if comparison.figure == "exact match" else []
    for measure, head in HEADS.items():
        if any(value is not None for group in groups for value in group.measure(measure).values):
            found.append((head, [_estimate(group.measure(measure), group.counted, measure) for group in groups]))
    if any(group.versus and group.versus.pairs for group in groups):
        head = f"mean {HEADS[comparison.measure]} against {comparison.baseline}"
        found.append((head, [_versus(group, comparison) for group in groups]))
    return found


def size_cell(group: Group, row: Row) -> Cell:
    """One size of one group, every seed listed."""
    note = "" if row.status == "ok" else row.status
    seeds = list(zip(row.estimate.values, group.counted, strict=True))
    if row.mode is not None or row.chance is None:
        seen = [(number(value), counts) for value, counts in seeds]
        return Cell(number(row.estimate.median), _ends(row.estimate, "bits"), seen, note)
    seen = [(percent(value).removesuffix(" %"), counts) for value, counts in seeds]
    return Cell(bounded(group, row), _ends(row.estimate, "in_distribution"), seen, note)


def written(value: float | None, measure: str) -> str:
    """A measure's figure: a share in per cent, a horizon as a size, an area with three decimals."""
    if value is None:
        return NOTHING
    if measure == "in_distribution":
        return percent(value)
    return f"{value:g}" if measure in ("l90", "l50") else number(value)


def signed(value: float | None, measure: str) -> str:
    """A difference with its sign; one of shares in percentage points."""
    if value is None:
        return NOTHING
    if measure == "in_distribution":
        text = f"{100 * value:+.1f} points"
    else:
        text = f"{round(value, 1):+g}" if measure in ("l90", "l50") else f"{value:+.3f}"
    return text.replace("-", "−")


def span(low: float, high: float, measure: str) -> str:
    """The two ends of an interval of a difference."""
    return f"{signed(low, measure).removesuffix(' points')} to {signed(high, measure)}"


def probability(p: float | None) -> str:
    """A p, with two figures."""
    if p is None:
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def listed(words: Iterable[str]) -> str:
    """`a, b and c`."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def counted(number: int, word: str) -> str:
    """`1 seed`, `3 seeds`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _success(group: Group) -> Cell:
    learned, of = group.success
    if not group.known:
        return Cell(NOTHING, note="not known" if group.everyone else "not known, not comparable")
    return Cell(f"{learned} of {of}", note="" if group.comparable else "not comparable")


def _estimate(estimate: Estimate, counted: Sequence[bool], measure: str) -> Cell:
    # Without a comparable seed there is no median: what the runs came to is all there is to say.
    seen = [
        (written(value, measure).removesuffix(" %"), counts)
        for value, counts in zip(estimate.values, counted, strict=True)
    ]
    return Cell(written(estimate.median, measure), _ends(estimate, measure), seen if estimate.median is None else [])


def _versus(group: Group, comparison: Comparison) -> Cell:
    versus: Versus | None = group.versus
    if versus is None:
        return Cell("baseline" if group.label == comparison.baseline else NOTHING)
    measure, difference = comparison.measure, versus.difference
    ends = "" if difference.low is None or difference.high is None else span(difference.low, difference.high, measure)
    pairs = counted(versus.pairs, "pair")
    note = f"{pairs}, {probability(versus.adjusted)}" if versus.adjusted is not None else pairs
    return Cell(signed(difference.mean, measure), ends, note=note)


def _ends(estimate: Estimate, measure: str) -> str:
    low, high = estimate.low, estimate.high
    if low is None or high is None:
        return ""
    if measure == "in_distribution":
        return f"{percent(low, floor)} to {percent(high, ceil)}".replace(" %", "")
    return f"{written(low, measure)} to {written(high, measure)}"
