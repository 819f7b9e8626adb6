"""What a figure draws: the lines in the documents of some runs, and what the axes mean."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posemb.errors import UsageError
from posemb.labels import heat_label, position_label, seed_label

UNTRAINED, CANNOT, NOT_FINITE = "untrained rows", "cannot represent", "not finite"
WITHOUT_FIGURES = (CANNOT, NOT_FINITE)


@dataclass(frozen=True)
class Point:
    """One row of a curve.

    Attributes:
        length: tokens in a whole sequence.
        value: exact match, or bits per character; None under a status without figures.
        low: lower end of the 95 % interval, where the row has one.
        high: its upper end.
        status: ok, untrained rows, cannot represent, not finite.
    """

    length: int
    value: float | None
    low: float | None
    high: float | None
    status: str


@dataclass(frozen=True)
class Series:
    """One line: a run, one mode of a run on text, or the median of several.

    Attributes:
        aside: none of its runs learned the task, so that its points get no line.
    """

    label: str
    points: list[Point]
    aside: bool = False

    @property
    def drawn(self) -> list[Point]:
        """The points that have a value."""
        return [point for point in self.points if point.value is not None]

    def has(self, status: str) -> bool:
        """Whether any of its points has this status."""
        return any(point.status == status for point in self.points)

    @property
    def missing(self) -> list[Point]:
        """The points that have none: the position cannot be represented, or the model's numbers are not finite."""
        return [point for point in self.points if point.value is None]


@dataclass(frozen=True)
class Chart:
    """Some curves that share their axes.

    Attributes:
        title: the task.
        figure: what the y axis shows.
        series: the lines, in the order of the documents.
        trained: the trained lengths, in tokens, ascending; one where all runs agree.
        chance: (length, exact match of a guess), ascending; empty for text.
    """

    title: str
    figure: str
    series: list[Series]
    trained: list[int]
    chance: list[tuple[int, float]]

    @property
    def span(self) -> tuple[int, int]:
        """The shortest and the longest length, evaluated or trained."""
        lengths = [point.length for line in self.series for point in line.points] + self.trained
        return min(lengths), max(lengths)


def chart(documents: Sequence[Mapping[str, Any]]) -> Chart:
    """Gather the curves of some runs, to be drawn over each other.

    Raises:
        UsageError: no run has a curve, or text stands beside tasks that have answers.
    """
    drawable = [document for document in documents if document["curve"]]
    if not drawable:
        raise UsageError(
            "There is no curve to draw yet: " + ", ".join(f"{one['run']} is {one['state']}" for one in documents)
        )
    figures = {
        "exact_match" if "exact_match" in document["curve"][0] else "bits_per_character" for document in drawable
    }
    if len(figures) > 1:
        raise UsageError("Text is measured in bits per character, other tasks in exact match: draw them apart.")
    figure = figures.pop()
    lines = [
        line
        for label, document in zip(labels(drawable), drawable, strict=True)
        for line in _lines(label, document["curve"], figure)
    ]
    chance = {row["length"]: row["chance"] for document in drawable for row in document["curve"] if "chance" in row}
    return Chart(
        title=" and ".join(dict.fromkeys(document["task"] for document in drawable))
        + heat_label([row for document in drawable for row in document["curve"]]),
        figure=figure.replace("_", " "),
        series=lines,
        trained=sorted({document["trained_length"] for document in drawable}),
        # Two tasks have two chances: no one line would be true.
        chance=sorted(chance.items()) if len({document["task"] for document in drawable}) == 1 else [],
    )


def labels(documents: Sequence[Mapping[str, Any]]) -> list[str]:
    """What to call each run: its method, and as much more as tells it from the others."""
    called = [position_label(one) for one in documents]
    if len({one["task"] for one in documents}) > 1:
        called = [f"{label} on {one['task']}" for label, one in zip(called, documents, strict=True)]
    tells = (
        lambda one: f"seed {seed_label(one['seed'])}",
        lambda one: Path(one["run"]).name,
        lambda one: str(one["run"]),
    )
    for tell in tells:
        often = Counter(called)
        called = [
            f"{label} {tell(one)}" if often[label] > 1 else label for label, one in zip(called, documents, strict=True)
        ]
    return called


def status(row: Mapping[str, Any]) -> str:
    """A row's status; `not finite` where its figures are null though the positions can be represented."""
    return NOT_FINITE if row["loss"] is None and row["status"] != CANNOT else row["status"]


def _lines(label: str, rows: Sequence[Mapping[str, Any]], figure: str) -> list[Series]:
    """One line, or for text one for each mode."""
    modes = dict.fromkeys(row.get("mode") for row in rows)
    return [
        Series(
            label if mode is None else f"{label}, {mode}",
            sorted(
                (
                    Point(row["length"], row[figure], row.get("low"), row.get("high"), status(row))
                    for row in rows
                    if row.get("mode") == mode
                ),
                key=lambda point: point.length,
            ),
        )
        for mode in modes
    ]
