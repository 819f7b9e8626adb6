"""The curve as a figure for a page: PNG, SVG or PDF."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from posemb.report.canvas import (
    COLOURS,
    FAINT,
    INK,
    MARKERS,
    draw_band,
    draw_marks,
    draw_references,
    label,
    page,
)
from posemb.report.legend import draw_legend, statuses
from posemb.report.series import Chart, Series, chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["COLOURS", "FAINT", "INK", "save_figure"]


class Style(NamedTuple):
    """How one line is drawn."""

    line: Series
    colour: str
    marker: str
    size: float  # of the marks, points
    width: float = 1.6  # of the line, points
    dash: Any = "-"
    hollow: bool = False  # the marks


def save_figure(documents: Sequence[Mapping[str, Any]], path: str | Path) -> Path:
    """Draw the curves of some runs over each other into one file.

    The band is the 95 % Wilson interval. Untrained rows are hollow marks; what has no figures, because it cannot be
    represented or is not finite, is a cross on the axis. The same documents give the same bytes.

    Args:
        documents: runs' documents.
        path: the file; its suffix says the format.

    Raises:
        UsageError: the format is unknown, there is nothing to draw, or text stands beside a task with answers.
        RunFolderError: the file cannot be written.
    """
    path = Path(path)
    with page(path) as axes:
        draw_figure(chart(documents), axes)
    return path


def draw_figure(what: Chart, axes: "Axes", drawn: Sequence[Style] | None = None) -> None:
    """Draw lines that are gathered already, in styles of their own if any, with references and a legend."""
    draw_references(what, axes)
    drawn = styles(what) if drawn is None else drawn
    for style in drawn:
        _draw_line(axes, style)
    label(what, axes, f"{what.figure}, 95 % interval" if what.figure == "exact match" else what.figure)
    # A dash is told from a solid line only where the line is long.
    draw_legend([*map(entry, drawn), *statuses(what)], axes, 2 if all(style.dash == "-" for style in drawn) else 4)


def styles(what: Chart) -> list[Style]:
    """Each line with its colour and marks; later ones are smaller, so that equal values show as rings, none hidden."""
    last = max(1, len(what.series) - 1)
    sizes = [8 - 3 * place / last for place in range(len(what.series))] if len(what.series) > 1 else [5]
    return [Style(*parts) for parts in zip(what.series, cycle(COLOURS), cycle(MARKERS), sizes, strict=False)]


def entry(style: Style) -> "Line2D":
    """A line's place in the legend."""
    from matplotlib.lines import Line2D

    looks: dict[str, Any] = {"color": style.colour, "linewidth": style.width, "linestyle": style.dash}
    looks |= {"markerfacecolor": "white"} if style.hollow else {}
    return Line2D([], [], **looks, marker=style.marker, markersize=5, label=style.line.label)


def _draw_line(axes: "Axes", style: Style) -> None:
    colour, line = style.colour, style.line
    looks: dict[str, Any] = {"color": colour, "linewidth": style.width, "linestyle": style.dash}
    axes.plot([at.length for at in line.drawn], [at.value or 0.0 for at in line.drawn], **looks)
    draw_band(axes, line.points, colour)
    draw_marks(axes, line.points, style.marker, style.size, colour, style.hollow)
