"""The curves of a model before and after it was extended, as a figure for a page."""

from collections.abc import Sequence
from pathlib import Path

from posemb.report.canvas import COLOURS, page
from posemb.report.extension import Outcome, best, rank
from posemb.report.figure import draw_figure
from posemb.report.series import Chart, Point, Series, status


def save_extension_figure(found: Sequence[Outcome], title: str, trained: int, trained_length: int, path: Path) -> Path:
    """Draw the plain curve and, of each scaling, that of the form that holds farthest. The same rows, the same bytes.

    Args:
        found: the outcomes, the plain one first.
        title: of the figure.
        trained: the trained size.
        trained_length: the same in tokens.
        path: the file; its suffix says the format.

    Raises:
        UsageError: the format is unknown.
        RunFolderError: the file cannot be written.
    """
    with page(path) as axes:
        shown = chosen(found, trained)
        chance = sorted({(row["length"], row["chance"]) for row in found[0].rows})
        lines = [Series("plain" if one is found[0] else one.label, _points(one)) for one in shown]
        draw_figure(Chart(title, "exact match", lines, [trained_length], chance), axes)
    return path


def chosen(found: Sequence[Outcome], trained: int) -> list[Outcome]:
    """The plain one and the best of each scaling, as many as there are colours."""
    plain, *others = found
    names = dict.fromkeys(one.scaling for one in others)
    tops = [best([one for one in others if one.scaling == name], trained) for name in names]
    tops.sort(key=lambda one: rank(one, trained), reverse=True)
    return [plain, *tops[: len(COLOURS) - 1]]


def _points(one: Outcome) -> list[Point]:
    rows = sorted(one.rows, key=lambda row: row["size"])
    return [Point(row["length"], row["exact_match"], row["low"], row["high"], status(row)) for row in rows]
