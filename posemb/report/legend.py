"""The legend of a figure: what its lines and marks mean."""

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from posemb.report.canvas import FAINT, WIDE
from posemb.report.series import UNTRAINED, WITHOUT_FIGURES, Chart

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


def statuses(what: Chart) -> list["Line2D"]:
    """Entries of a legend: chance, and what a hollow mark and a cross mean, where there is one."""
    from matplotlib.lines import Line2D

    marks = []
    if what.chance:
        marks.append(Line2D([], [], color=FAINT, linestyle=":", linewidth=1.2, label="chance"))
    if any(line.has(UNTRAINED) for line in what.series):
        hollow = Line2D([], [], color=FAINT, linestyle="none", marker="o", markersize=5, label=UNTRAINED)
        hollow.set_markerfacecolor("white")
        marks.append(hollow)
    for status in WITHOUT_FIGURES:
        if any(line.has(status) for line in what.series):
            marks.append(Line2D([], [], color=FAINT, linestyle="none", marker="x", markersize=6, label=status))
    return marks


def draw_legend(marks: Sequence["Artist"], axes: "Axes", handle: int = 2) -> None:
    """The legend, below the axes, in as many columns as fit. `handle`: length of a line in it, in letters' heights."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    # About 14 letters of this size go into an inch; each mark takes the room of six or more.
    letters = round(100 / WIDE[0] * figure.get_figwidth())
    columns = min(6, max(1, letters // (2 + 2 * handle + max(len(str(mark.get_label())) for mark in marks))))
    # A long legend gets room of its own, so that the axes stay as high.
    figure.set_figheight(figure.get_figheight() + 0.19 * max(0, ceil(len(marks) / columns) - 3))
    figure.legend(
        handles=list(marks), loc="outside lower center", ncols=columns, frameon=False, fontsize=9, handlelength=handle
    )
