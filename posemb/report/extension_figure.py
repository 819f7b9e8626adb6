"""The curves of a model before and after it was extended, as a figure for a page."""

from collections.abc import Sequence
from pathlib import Path

from posemb.report.canvas import COLOURS, MARKERS, page
from posemb.report.extension import Outcome, best, rank
from posemb.report.figure import Style, draw_figure
from posemb.report.series import Chart, Point, Series, status

BEFORE = (0, (2, 1))  # the dashes of what was not tuned, beside what was
# So that equal curves all show: an earlier one is wider, and a later one lets it through between its dashes.
WIDEST, NARROWEST = 3.4, 1.2
DASHES = ((0, ()), (0, (4, 2)), (0, (2, 2)), (0, (6, 1, 1, 1)), (0, (3, 3)), (0, (1, 2)), (0, (8, 2)))
PAIRS = 3  # scalings that are drawn before and after tuning: more lines than seven cannot be told apart


def save_extension_figure(found: Sequence[Outcome], title: str, trained: int, trained_length: int, path: Path) -> Path:
    """Draw the plain curve and, of each scaling, that of the form that holds farthest. The same rows, the same bytes.

    Where some forms were tuned: the plain one and the best three scalings, each before (dashed, hollow) and after.

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
        what = Chart(f"{title}, each scaling at its best s", "exact match", lines, [trained_length], chance)
        draw_figure(what, axes, _styles(shown, lines))
    return path


def chosen(found: Sequence[Outcome], trained: int) -> list[Outcome]:
    """The plain one and the best of each scaling, the farthest first; where some are tuned, the best of each sort."""
    plain, *others = found
    tops: dict[tuple[str, bool], Outcome] = {}
    for one in others:
        tops.setdefault((one.scaling, bool(one.tuned)), best(_alike(others, one), trained))
    names = list(dict.fromkeys(name for name, _ in tops))
    names.sort(key=lambda name: max(rank(one, trained) for key, one in tops.items() if key[0] == name), reverse=True)
    if not any(tuned for _, tuned in tops):
        return [plain, *(tops[name, False] for name in names[: len(COLOURS) - 1])]
    # The plain form after the same steps is shown whatever it comes to: it is what the others are held against.
    names = [plain.scaling, *[name for name in names if name != plain.scaling][:PAIRS]]
    return [plain, *(tops[name, tuned] for name in names for tuned in (False, True) if (name, tuned) in tops)]


def _alike(others: Sequence[Outcome], one: Outcome) -> list[Outcome]:
    return [other for other in others if (other.scaling, bool(other.tuned)) == (one.scaling, bool(one.tuned))]


def _styles(shown: Sequence[Outcome], lines: Sequence[Series]) -> list[Style]:
    """A colour and a mark for each scaling. Whether it was tuned, or else which scaling it is, is in the dashes."""
    names = list(dict.fromkeys(one.scaling for one in shown))
    tuned = any(one.tuned for one in shown)
    made = []
    for place, (one, line) in enumerate(zip(shown, lines, strict=True)):
        share, which = place / max(1, len(shown) - 1), names.index(one.scaling) if tuned else place
        dash = DASHES[which] if not tuned else DASHES[0] if one.tuned else BEFORE
        width = WIDEST - (WIDEST - NARROWEST) * share
        hollow = tuned and not one.tuned
        made.append(Style(line, COLOURS[which], MARKERS[which], 8 - 3 * share, width, dash, hollow))
    return made


def _points(one: Outcome) -> list[Point]:
    rows = sorted(one.rows, key=lambda row: row["size"])
    return [Point(row["length"], row["exact_match"], row["low"], row["high"], status(row)) for row in rows]
