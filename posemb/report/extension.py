"""How far each form of an extended model holds, beside the plain one. Read from rows alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from posemb.eval.horizon import in_distribution, l90
from posemb.report.area import area
from posemb.report.table import multiple

Row = Mapping[str, Any]


class Span(NamedTuple):
    """A figure between the least and the most that it may be."""

    value: float
    low: float
    high: float

    @property
    def interval(self) -> str:
        """`40 to 48`."""
        return f"{multiple(self.low)} to {multiple(self.high)}"


class Ratio(NamedTuple):
    """How many times as far as the plain model. An end is None where nothing bounds it."""

    value: float
    low: float | None
    high: float | None

    @property
    def interval(self) -> str:
        """`1.67 to 2`; `at least 1.67`, `at most 2`; `no bound` where examples or sizes are too few for either end."""
        if self.high is None:
            return f"at least {multiple(self.low)}" if self.low else "no bound"
        below = "at most" if self.low is None else f"{multiple(self.low)} to"
        return f"{below} {multiple(self.high)}"


@dataclass(frozen=True)
class Outcome:
    """What one form came to.

    Attributes:
        scaling: its name.
        factor: how many times the trained length it aims at, or None.
        tuned: fine-tuning steps.
        temperature: what every score was multiplied by.
        rows: its curve.
    """

    scaling: str
    factor: float | None
    tuned: int
    temperature: float
    rows: list[Row]

    @property
    def label(self) -> str:
        """`pi, s = 2, t = 1.2, tuned`."""
        parts = [self.scaling, *([] if self.factor is None else [f"s = {self.factor:g}"])]
        parts += [] if self.temperature == 1 else [f"t = {self.temperature:g}"]
        return ", ".join([*parts, *(["tuned"] if self.tuned else [])])

    @property
    def horizon(self) -> Span:
        """L90, and what it is if exact match is at the low, or at the high end of its interval at every size."""
        low, high = (l90([row | {"exact_match": row[end]} for row in map(dict, self.rows)]) for end in ("low", "high"))
        return Span(l90(self.rows) or 0, low or 0, high or 0)

    @property
    def longest(self) -> int:
        """The longest evaluated size."""
        return max(row["size"] for row in self.rows)

    @property
    def cut_off(self) -> bool:
        """Whether it holds at every evaluated size, and perhaps farther."""
        return self.horizon.value == self.longest


def outcomes(rows: Iterable[Row]) -> list[Outcome]:
    """The forms that these rows are of, in their order: the plain one first."""
    found: dict[tuple[str, float | None, int, float], list[Row]] = {}
    for row in rows:
        key = (row["scaling"], row["factor"], row["tuned"], row["temperature"])
        found.setdefault(key, []).append(row)
    return [Outcome(*key, rows=own) for key, own in found.items()]


def farther(outcome: Outcome, plain: Outcome) -> Ratio | None:
    """How many times as far as the plain model; None where that holds nowhere, or both hold at every evaluated size.

    From the least over the most to the most over the least: wider than it need be, as the rows are the same. What may
    reach the longest evaluated size may reach farther: of that form the most is unknown, of the plain one the least.
    """
    one, other = outcome.horizon, plain.horizon
    if not other.value:
        return None
    if outcome is plain:
        return Ratio(1.0, 1.0, 1.0)
    if outcome.cut_off and plain.cut_off:
        return None
    least = None if one.low and other.high == plain.longest else one.low / other.high
    most = None if one.high == outcome.longest or not other.low else one.high / other.low
    return Ratio(one.value / other.value, least, most)


def surpasses(one: Outcome, plain: Outcome) -> bool:
    """Whether a form holds farther than the plain one, and at worst no less far: its L90 and that one's lower end."""
    return one.horizon.value > plain.horizon.value and one.horizon.low >= plain.horizon.low


def farthest(found: Sequence[Outcome], trained: int) -> Outcome:
    """The form that holds farthest of those that surpass the plain one, which comes first; itself where none does."""
    plain, *others = found
    return best([one for one in others if surpasses(one, plain)] or [plain], trained)


def promising(found: Sequence[Outcome], trained: int) -> Outcome:
    """The form to go on with: the farthest; where that is the plain one, what may hold farther, or comes nearest."""
    plain, *others = found
    most = farthest(found, trained)
    if most is not plain or not others:
        return most
    top = hopeful(others, trained)
    return top if top.horizon.value > plain.horizon.value else best(others, trained)


def hopeful(found: Sequence[Outcome], trained: int) -> Outcome:
    """The form whose L90 itself is the largest, however unsure it is."""
    return max(found, key=lambda one: (one.horizon.value, rank(one, trained)))


def best(found: Sequence[Outcome], trained: int) -> Outcome:
    """The form that holds farthest, the first one of equals."""
    return max(found, key=lambda one: rank(one, trained))


def rank(one: Outcome, trained: int) -> tuple[float, float, float, float]:
    """What forms are ordered by: the larger, the farther it holds.

    By the lower end of L90, so that chance does not decide; then by L90 itself; then by the lowest exact match up to
    the trained size, for what extends a model should not spoil it; then by the area under the curve beyond that.
    """
    within = in_distribution(one.rows, trained)
    return (one.horizon.low, one.horizon.value, within or 0.0, area(one.rows, trained) or 0.0)


def marked(found: Sequence[Outcome], trained: int) -> list[int]:
    """The sizes that stand for a curve: L, and what the factors aim at, of those that were evaluated."""
    multiples = {1.0, *(one.factor for one in found if one.factor is not None)}
    wanted = {int(round(trained * times, 6)) for times in multiples}
    sizes = {row["size"] for row in found[0].rows}
    return sorted(sizes & wanted) or sorted(sizes)[-1:]
