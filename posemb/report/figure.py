"""The curve as a figure for a page: PNG, SVG or PDF."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from posemb.errors import RunFolderError, UsageError
from posemb.report.series import UNTRAINED, WITHOUT_FIGURES, Chart, Series, chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What each format calls the date that it would otherwise carry.
FORMATS = {".png": "Creation Time", ".svg": "Date", ".pdf": "CreationDate"}

# Okabe and Ito's palette (2008), told apart by colour-blind eyes; its yellow is too pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "^", "s", "D", "v", "P")
INK, FAINT = "#333333", "#808080"


class Style(NamedTuple):
    """How one line is drawn."""

    line: Series
    colour: str
    marker: str
    size: float  # of the marks, points


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
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        *some, last = FORMATS
        raise UsageError(f"Cannot draw {path.name!r}: its name must end in {', '.join(some)} or {last}.")
    what = chart(documents)
    import matplotlib
    from matplotlib.figure import Figure

    # Text stays text in SVG, so that it can be found and read aloud; a fixed salt makes its ids the same each time.
    with matplotlib.rc_context({"svg.hashsalt": "posemb", "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(7.2, 4.4), layout="constrained")
        axes = figure.subplots()
        # Later lines have smaller marks, so that equal values show as rings and none hides another.
        sizes = (8 - 3 * place / max(1, len(what.series) - 1) for place in range(len(what.series)))
        styles = [Style(*parts) for parts in zip(what.series, cycle(COLOURS), cycle(MARKERS), sizes, strict=False)]
        _draw_references(what, axes)
        for style in styles if len(styles) > 1 else [styles[0]._replace(size=5)]:
            _draw_line(axes, style)
        _label(what, axes)
        _draw_legend(what, styles, axes)
        try:
            figure.savefig(path, dpi=200, metadata={FORMATS[suffix]: None})
        except OSError as refusal:
            raise RunFolderError(f"Cannot write {path}: {refusal.strerror or refusal}.") from refusal
    return path


def _draw_references(what: Chart, axes: "Axes") -> None:
    """What curves are read against: the trained length and chance."""
    for length in what.trained:
        axes.axvline(length, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        axes.annotate(
            f"trained up to {length}",
            (length, 1),
            xycoords=axes.get_xaxis_transform(),
            xytext=(0, 4),
            textcoords="offset points",
            color=FAINT,
            fontsize=9,
        )
    if what.chance:
        lengths, shares = zip(*what.chance, strict=True)
        axes.plot(lengths, shares, color=FAINT, linewidth=1.2, linestyle=":", zorder=1)


def _draw_line(axes: "Axes", style: Style) -> None:
    colour, line = style.colour, style.line
    axes.plot([at.length for at in line.drawn], [at.value or 0.0 for at in line.drawn], color=colour, linewidth=1.6)
    band = [(at.length, at.low, at.high) for at in line.drawn if at.low is not None and at.high is not None]
    if band:
        lengths, low, high = zip(*band, strict=True)
        axes.fill_between(lengths, low, high, color=colour, alpha=0.18, linewidth=0)
    marks: dict[str, Any] = {"linestyle": "none", "color": colour, "clip_on": False, "zorder": 4}
    for hollow in (False, True):
        some = [at for at in line.drawn if (at.status == UNTRAINED) is hollow]
        if some:
            where, values = [at.length for at in some], [at.value or 0.0 for at in some]
            paint = {"markerfacecolor": "white"} if hollow else {"markeredgecolor": "white", "markeredgewidth": 0.5}
            axes.plot(where, values, marker=style.marker, markersize=style.size, **marks, **paint)
    if line.missing:
        # At the foot of the axes whatever their scale: x in tokens, y as a share of the height.
        foot = [at.length for at in line.missing]
        marks |= {"marker": "x", "markersize": 7, "markeredgewidth": 1.6}
        axes.plot(foot, [0.0] * len(foot), transform=axes.get_xaxis_transform(), **marks)


def _label(what: Chart, axes: "Axes") -> None:
    axes.set_title(what.title, loc="left", fontweight="bold", color=INK, pad=20)
    axes.set_xlabel("length, tokens", color=INK)
    axes.set_ylabel(f"{what.figure}, 95 % interval" if what.figure == "exact match" else what.figure, color=INK)
    first, last = what.span
    margin = 0.02 * max(last - first, 1)
    axes.set_xlim(first - margin, last + margin)
    if what.figure == "exact match":
        axes.set_ylim(-0.03, 1.03)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)


def _draw_legend(what: Chart, styles: Sequence[Style], axes: "Axes") -> None:
    from matplotlib.lines import Line2D

    marks = [
        Line2D([], [], color=style.colour, marker=style.marker, markersize=5, linewidth=1.6, label=style.line.label)
        for style in styles
    ]
    if what.chance:
        marks.append(Line2D([], [], color=FAINT, linestyle=":", linewidth=1.2, label="chance"))
    if any(style.line.has(UNTRAINED) for style in styles):
        hollow = Line2D([], [], color=FAINT, linestyle="none", marker="o", markersize=5, label=UNTRAINED)
        hollow.set_markerfacecolor("white")
        marks.append(hollow)
    for status in WITHOUT_FIGURES:
        if any(style.line.has(status) for style in styles):
            marks.append(Line2D([], [], color=FAINT, linestyle="none", marker="x", markersize=6, label=status))
    figure = axes.get_figure(root=True)
    assert figure is not None
    # About 100 letters of this size go into a line; each mark takes the room of six.
    columns = max(1, 100 // (6 + max(len(str(mark.get_label())) for mark in marks)))
    figure.legend(handles=marks, loc="outside lower center", ncols=min(columns, 6), frameon=False, fontsize=9)
