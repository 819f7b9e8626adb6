"""The curve drawn with characters, for a terminal."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from posemb.report.characters import ASCII, TO_ASCII, UNICODE, Characters, carries
from posemb.report.scale import round_ticks
from posemb.report.series import UNTRAINED, WITHOUT_FIGURES, Chart, Point, Series, chart

# Of the 256: blue, orange, teal, pink, yellow, sky, wine: apart for colour-blind eyes.
COLOURS = (33, 208, 36, 170, 220, 117, 132)


def draw(
    documents: Sequence[Mapping[str, Any]],
    width: int = 80,
    height: int = 18,
    colour: bool = False,
    encoding: str | None = "utf-8",
) -> str:
    """Curves over each other: length in tokens against exact match, for text against bits per character.

    Args:
        documents: runs' documents.
        width: columns, 40 at least.
        height: lines of the drawing, title and legend not counted.
        colour: with ANSI colours.
        encoding: of the stream that will carry the drawing; what it cannot carry is drawn in ASCII.

    Raises:
        UsageError: there is nothing to draw, or text stands beside a task with answers.
    """
    return draw_chart(chart(documents), width, height, colour, encoding)


def draw_chart(
    what: Chart, width: int = 80, height: int = 18, colour: bool = False, encoding: str | None = "utf-8"
) -> str:
    """The same for lines that are gathered already: medians of groups, for example."""
    with_ = UNICODE if carries(encoding, UNICODE.all) else ASCII
    width = max(width, 40)
    plot = _plot(what, width, height, with_, colour)
    title = f"{what.title}: {what.figure} by length in tokens"
    lines = [title[:width], *plot, *_legend(what, with_, colour, width)]
    text = "\n".join(line.rstrip() for line in lines)
    return text.translate(TO_ASCII) if with_ is ASCII else text


def _plot(what: Chart, width: int, height: int, with_: Characters, colour: bool) -> list[str]:
    """The axes and what is between them."""
    import plotext

    plotext.clear_figure()
    plotext.theme("clear")
    plotext.plotsize(width, height + 1)
    first, last = what.span
    floor, ceiling = _limits(what)
    plotext.xlim(first, max(last, first + 1))
    plotext.ylim(floor, ceiling)
    for length in what.trained:
        plotext.vline(length)
    if what.chance:
        plotext.plot(*zip(*what.chance, strict=True), marker=with_.chance)
    for line, on, off, shade in _styles(what.series, with_):
        paint = {"color": shade} if colour else {}
        if len(line.drawn) > 1 and not line.aside:
            plotext.plot(*_coordinates(line.drawn), marker=with_.join, **paint)
        untrained = [point for point in line.drawn if point.status == UNTRAINED]
        trained = [point for point in line.drawn if point.status != UNTRAINED]
        for points, marker in ((trained, on), (untrained, off)):
            if points:
                plotext.scatter(*_coordinates(points), marker=marker, **paint)
        if line.missing:
            plotext.scatter(
                [point.length for point in line.missing], [floor] * len(line.missing), marker=with_.missing, **paint
            )
    _ticks(what, first, last, floor, ceiling)
    drawn = plotext.build()
    plotext.clear_figure()
    return (drawn if colour else plotext.uncolorize(drawn)).splitlines()


def _limits(what: Chart) -> tuple[float, float]:
    """The range of the y axis: 0 to 1, or what the bits per character need."""
    if what.figure == "exact match":
        return 0.0, 1.0
    values = [point.value for line in what.series for point in line.drawn if point.value is not None]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    pad = 0.05 * (high - low) or 0.1
    return max(0.0, low - pad), high + pad


def _ticks(what: Chart, first: int, last: int, floor: float, ceiling: float) -> None:
    import plotext

    if what.figure == "exact match":
        plotext.yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    else:
        places = round_ticks(floor, ceiling, 5)
        plotext.yticks(places, [f"{place:g}" for place in places])
    near = (last - first) / 12
    apart = [
        place for place in round_ticks(first, last, 6) if all(abs(place - length) > near for length in what.trained)
    ]
    marks = {**{place: f"{place:g}" for place in apart}, **{float(length): str(length) for length in what.trained}}
    plotext.xticks(list(marks), list(marks.values()))


def _legend(what: Chart, with_: Characters, colour: bool, width: int) -> list[str]:
    """What the marks mean, in as few lines as fit the width."""
    styles = _styles(what.series, with_)
    entries: list[tuple[str, int | None]] = []
    for line, on, off, shade in styles:
        hollow = bool(line.drawn) and all(point.status == UNTRAINED for point in line.drawn)
        entries.append((f"{off if hollow else on} {line.label}", shade))
    entries.append((f"{with_.bar} trained up to {' and '.join(map(str, what.trained))}", None))
    if what.chance:
        entries.append((f"{with_.chance * 2} chance", None))
    hollow_marks = "".join(off for line, _, off, _ in styles if line.has(UNTRAINED))
    if hollow_marks:
        entries.append((f"{hollow_marks} {UNTRAINED}", None))
    for status in WITHOUT_FIGURES:
        if any(line.has(status) for line in what.series):
            entries.append((f"{with_.missing} {status}", None))
    lines, used = [""], 0
    for text, paint in ((text[: width - 2], paint) for text, paint in entries):
        if used and used + 3 + len(text) > width - 2:
            lines, used = [*lines, ""], 0
        lines[-1] += ("   " if used else "  ") + (_paint(text, paint) if colour and paint is not None else text)
        used += (3 if used else 2) + len(text)
    return lines


def _paint(text: str, shade: int) -> str:
    return f"\x1b[38;5;{shade}m{text}\x1b[0m"


def _styles(series: Sequence[Series], with_: Characters) -> list[tuple[Series, str, str, int]]:
    """Each line with its mark for trained rows, its mark for untrained ones and its colour."""
    return list(zip(series, cycle(with_.trained), cycle(with_.untrained), cycle(COLOURS), strict=False))


def _coordinates(points: Sequence[Point]) -> tuple[list[int], list[float]]:
    return [point.length for point in points], [point.value for point in points if point.value is not None]
