"""What a figure of groups draws: their medians as lines, and every seed."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from posemb.errors import UsageError
from posemb.report.area import TEXT_MODE
from posemb.report.comparison import Comparison, Group, Row
from posemb.report.group import tasks
from posemb.report.series import Chart, Point, Series, status


@dataclass(frozen=True)
class Seed:
    """The curve of one run of a group, and whether it counts in the median."""

    line: Series
    counts: bool


def median_chart(comparison: Comparison) -> Chart:
    """The medians of all groups as one chart; the bounds of a point are the bootstrap interval.

    A group of which no run counts has the median of all its runs, and its label says that they did not learn. Text is
    drawn in sliding windows.

    Raises:
        UsageError: there is no group.
    """
    if not comparison.groups:
        raise UsageError("There is no curve to draw yet: no run is completed.")
    chance = {row.length: row.chance for group in comparison.groups for row in group.rows if row.chance is not None}
    return Chart(
        title=comparison.title,
        figure=comparison.figure,
        series=[
            Series(_label(group), [_point(group, row) for row in drawn_rows(group)], aside=not group.comparable)
            for group in comparison.groups
        ],
        trained=comparison.trained,
        # Two tasks have two chances: no one line would be true.
        chance=sorted(chance.items()) if len(tasks(comparison.groups)) == 1 else [],
    )


def seed_lines(group: Group) -> list[Seed]:
    """Every run of a group as a line, at the sizes that the group shows."""
    places = {(row.size, row.mode) for row in drawn_rows(group)}
    return [
        Seed(
            Series(group.label, [_seed_point(row) for row in one["curve"] if (row["size"], row.get("mode")) in places]),
            counts,
        )
        for one, counts in zip(group.documents, group.counted, strict=True)
    ]


def drawn_rows(group: Group) -> list[Row]:
    """The rows of a group that are drawn: for text those of sliding windows."""
    return [row for row in group.rows if row.mode in (None, TEXT_MODE)]


def _label(group: Group) -> str:
    learned, many = group.success
    if not group.known:
        return f"{group.label} (not known whether it learned)"
    return group.label if learned == many else f"{group.label} ({learned} of {many} learned)"


def _point(group: Group, row: Row) -> Point:
    value, known = row.estimate.median, [one for one in row.estimate.values if one is not None]
    if not group.comparable and known:
        value = median(known)
    return Point(row.length, value, row.estimate.low, row.estimate.high, row.status)


def _seed_point(row: Mapping[str, Any]) -> Point:
    return Point(row["length"], row.get("exact_match", row.get("bits_per_character")), None, None, status(row))
