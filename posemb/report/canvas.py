"""The page that curves are drawn on, the same for every figure: colours, axes, references, files."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posemb.errors import RunFolderError, UsageError
from posemb.report.series import UNTRAINED, Chart, Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = {".png": "Creation Time", ".svg": "Date", ".pdf": "CreationDate"}  # each with what it calls the date

# Okabe and Ito's palette (2008), told apart by colour-blind eyes. Its yellow is too pale on white: the last is Tol's.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255")
MARKERS = ("o", "^", "s", "D", "v", "P", "X")
INK, FAINT, RULE = "#333333", "#808080", "#e6e6e6"
# Width and height in inches: of a column and a half of a paper, and of a phone.
WIDE, NARROW = (7.2, 4.4), (4.2, 4.4)


@contextmanager
def page(path: Path, size: tuple[float, float] = WIDE) -> Iterator["Axes"]:
    """Axes to draw on; they are written to a file in the end. The same drawing gives the same bytes.

    Args:
        path: the file; its suffix says the format.
        size: width and height, inches.

    Raises:
        UsageError: the format is unknown, or the file cannot be there.
        RunFolderError: the file cannot be written.
    """
    suffix = drawable(path)
    import matplotlib
    from matplotlib.figure import Figure

    # Text stays text in SVG, so that it can be found and read aloud; a fixed salt makes its ids the same each time.
    # A label is what a user calls an option: its dollars are no formula.
    with matplotlib.rc_context(
        {"svg.hashsalt": "posemb", "svg.fonttype": "none", "font.size": 10, "text.parse_math": False}
    ):
        figure = Figure(figsize=size, layout="constrained")
        yield figure.subplots()
        try:
            figure.savefig(path, dpi=200, metadata={FORMATS[suffix]: None})
        except OSError as refusal:
            raise RunFolderError(f"Cannot write {path}: {refusal.strerror or refusal}.") from refusal


def drawable(path: Path) -> str:
    """The suffix of a file that a figure can go into.

    Raises:
        UsageError: the format is unknown, its folder is not there, or it is a folder itself.
    """
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        *some, last = FORMATS
        raise UsageError(f"Cannot draw {str(path)!r}: its name must end in {', '.join(some)} or {last}.")
    if not os.path.isdir(path.parent):
        raise UsageError(f"Cannot write {path}: there is no folder {path.parent}. Make it first.")
    if os.path.isdir(path):
        raise UsageError(f"Cannot write {path}: it is a folder. Name a file.")
    return suffix


def draw_references(what: Chart, axes: "Axes") -> None:
    """What curves are read against: the trained length and chance."""
    for length in what.trained:
        axes.axvline(length, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    # One label for all of them: on a phone two would lie over each other.
    axes.annotate(
        f"trained up to {' and '.join(map(str, what.trained))}",
        (what.trained[0], 1),
        xycoords=axes.get_xaxis_transform(),
        xytext=(0, 4),
        textcoords="offset points",
        color=FAINT,
        fontsize=9,
    )
    if what.chance:
        lengths, shares = zip(*what.chance, strict=True)
        axes.plot(lengths, shares, color=FAINT, linewidth=1.2, linestyle=":", zorder=1)


def draw_marks(
    axes: "Axes", points: Sequence[Point], marker: str, size: float, colour: str, empty: bool = False
) -> None:
    """The points of a line: filled, hollow if `empty` or for untrained rows; a cross on the axis for no figure."""
    marks: dict[str, Any] = {"linestyle": "none", "color": colour, "clip_on": False, "zorder": 4}
    for hollow in (False, True):
        some = [at for at in points if at.value is not None and (empty or at.status == UNTRAINED) is hollow]
        if some:
            where, values = [at.length for at in some], [at.value or 0.0 for at in some]
            paint = {"markerfacecolor": "white"} if hollow else {"markeredgecolor": "white", "markeredgewidth": 0.5}
            axes.plot(where, values, marker=marker, markersize=size, **marks, **paint)
    missing = [at.length for at in points if at.value is None]
    if missing:
        # At the foot of the axes whatever their scale: x in tokens, y as a share of the height.
        marks |= {"marker": "x", "markersize": 7, "markeredgewidth": 1.6}
        axes.plot(missing, [0.0] * len(missing), transform=axes.get_xaxis_transform(), **marks)


def draw_band(axes: "Axes", points: Sequence[Point], colour: str) -> None:
    """The interval around a line."""
    band = [(at.length, at.low, at.high) for at in points if at.low is not None and at.high is not None]
    if band:
        lengths, low, high = zip(*band, strict=True)
        axes.fill_between(lengths, low, high, color=colour, alpha=0.18, linewidth=0)


def label(what: Chart, axes: "Axes", values: str) -> None:
    """Name the axes, `values` being what goes up, and set their ends."""
    axes.set_title(what.title, loc="left", fontweight="bold", color=INK, pad=20)
    axes.set_xlabel("length, tokens", color=INK)
    axes.set_ylabel(values, color=INK)
    first, last = what.span
    margin = 0.02 * max(last - first, 1)
    axes.set_xlim(first - margin, last + margin)
    if what.figure == "exact match":
        axes.set_ylim(-0.03, 1.03)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color=RULE, linewidth=0.8)
    axes.set_axisbelow(True)
