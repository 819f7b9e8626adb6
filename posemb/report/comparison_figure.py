"""A comparison as a figure for a paper: medians over seeds with their intervals, and every seed."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posemb.report.canvas import FAINT, WIDE, draw_band, draw_marks, draw_references, label, page
from posemb.report.comparison import Comparison, Group
from posemb.report.figure import Style, entry, styles
from posemb.report.legend import draw_legend, statuses
from posemb.report.medians import median_chart, seed_lines
from posemb.report.series import Chart, Point

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

DASHES = (0, (3, 2))


def save_comparison_figure(comparison: Comparison, path: str | Path, size: tuple[float, float] = WIDE) -> Path:
    """Draw the groups of a comparison over each other into one file.

    The bold line is the median over the runs that count, the band its 95 % bootstrap interval, each thin line a seed,
    dashed where it did not learn and does not count. A group of which none counts has no bold line. Untrained rows are
    hollow marks, what has no figures a cross on the axis. The same comparison gives the same bytes.

    Args:
        comparison: what is drawn.
        path: the file; its suffix says the format.
        size: width and height, inches.

    Raises:
        UsageError: the format is unknown, or there is no group.
        RunFolderError: the file cannot be written.
    """
    path = Path(path)
    with page(path, size) as axes:
        what = median_chart(comparison)
        draw_references(what, axes)
        drawn = list(zip(comparison.groups, styles(what), strict=True))
        for group, style in drawn:
            _draw_seeds(axes, group, style)
        for group, style in drawn:
            if group.comparable:
                _draw_median(axes, style, what)
        several = any(len(group.documents) > 1 for group in comparison.groups)
        said = [comparison.figure, *(["median over seeds"] if several else ["one seed"])]
        label(what, axes, ", ".join([*said, *(["sliding windows"] if comparison.figure != "exact match" else [])]))
        draw_legend([*(_entry(*one) for one in drawn), *_explained(comparison.groups), *statuses(what)], axes)
    return path


def _draw_seeds(axes: "Axes", group: Group, style: Style) -> None:
    lines = seed_lines(group)
    if len(lines) == 1 and group.comparable:
        return  # the median itself
    for seed in lines:
        points = seed.line.drawn
        paint: dict[str, Any] = {} if seed.counts else {"linestyle": DASHES}
        axes.plot(
            [at.length for at in points],
            [at.value or 0.0 for at in points],
            color=style.colour,
            linewidth=0.8,
            alpha=0.6,
            zorder=2,
            **paint,
        )
        if not group.comparable and seed.line.missing:
            draw_marks(axes, seed.line.missing, style.marker, style.size, style.colour)


def _draw_median(axes: "Axes", style: Style, what: Chart) -> None:
    points = style.line.drawn
    draw_band(axes, points, style.colour)
    axes.plot(
        [at.length for at in points], [at.value or 0.0 for at in points], color=style.colour, linewidth=2.2, zorder=3
    )
    draw_marks(axes, _apart(style.line.points, what), style.marker, style.size, style.colour)


def _apart(points: Sequence[Point], what: Chart) -> list[Point]:
    """The points without those up to the trained length that stand too close to be told apart, counted from there."""
    trained, (first, last) = max(what.trained), what.span
    kept: list[Point] = []
    for point in reversed(points):
        if point.length >= trained or not kept or kept[-1].length - point.length >= (last - first) / 25:
            kept.append(point)
    return kept


def _entry(group: Group, style: Style) -> "Artist":
    found = entry(style)
    if not group.comparable:
        found.set(linestyle=DASHES, linewidth=0.8, marker="none")
    return found


def _explained(groups: Sequence[Group]) -> list["Artist"]:
    """What thin lines, dashes and bands mean, where there are any."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    found: list[Artist] = []
    if any(row.estimate.low is not None for group in groups for row in group.rows):
        found.append(Patch(color=FAINT, alpha=0.25, linewidth=0, label="95 % interval of the median"))
    if any(len(group.documents) > 1 for group in groups):
        found.append(Line2D([], [], color=FAINT, linewidth=0.8, label="one seed"))
    if not all(counts for group in groups for counts in group.counted):
        found.append(Line2D([], [], color=FAINT, linewidth=0.8, linestyle=DASHES, label="not learned, does not count"))
    return found
