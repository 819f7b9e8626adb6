"""One group of runs that differ in their seeds alone, summed up."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from posemb.report.effect import Difference
from posemb.report.statistics import Estimate

Document = Mapping[str, Any]

MEASURES = ("area", "l90", "l50", "in_distribution")


@dataclass(frozen=True)
class Row:
    """One size of a group; for text, one size in one mode.

    Attributes:
        size: the task's own measure.
        length: tokens in a whole row.
        multiple: size as a multiple of the trained one.
        mode: of a text, `blocked` or `sliding`; else None.
        estimate: exact match, or bits per character, over the runs that count. Where some of them have no figure, it is
            a 0 for exact match; bits per character then have no median.
        chance: what guessing scores; None for text.
        status: ok, untrained rows, not finite or cannot represent: the worst among the runs.
    """

    size: int
    length: int
    multiple: float
    mode: str | None
    estimate: Estimate
    chance: float | None
    status: str


@dataclass(frozen=True)
class Versus:
    """A group against the baseline, paired by data seed.

    Attributes:
        difference: of the measure, this group's minus the baseline's; one value for each pair, and their mean.
        pairs: how many data seeds both have, with a run that counts.
        p: two-sided p of the sign-flip test of the mean difference; None without pairs.
        adjusted: the same after Holm's correction for the number of groups tested.
        least: the smallest p that so many pairs can give; None without pairs.
        why: why there are no pairs; None where there are some.
    """

    difference: Difference
    pairs: int
    p: float | None
    adjusted: float | None
    least: float | None
    why: str | None = None


@dataclass(frozen=True)
class Group:
    """Runs that differ in their seeds alone.

    Attributes:
        label: what tells it from the other groups, for people.
        keys: the values of the keys that are grouped by.
        documents: every completed run, by seed.
        learned: for each document whether it learned in distribution: .9 at every size up to L. True for text.
        rows: the curve, medians over the runs that count.
        in_distribution: lowest exact match at any size up to the trained one; without figures for text.
        l90: largest evaluated size up to which exact match stays at .9 or above; without figures for text. The median
            is the lower one, so it is such a size as well.
        l50: the same at .5.
        area: mean of the curve over the logarithm of size, from the trained size on: `posemb.report.area`.
        success: runs that learned, of all completed ones.
        versus: the test against the baseline; None for the baseline itself and for what is not comparable.
        everyone: whether runs that did not learn count as well.
    """

    label: str
    keys: dict[str, Any]
    documents: list[Document]
    learned: list[bool]
    rows: list[Row]
    in_distribution: Estimate
    l90: Estimate
    l50: Estimate
    area: Estimate
    success: tuple[int, int]
    versus: Versus | None
    everyone: bool = False

    @property
    def counted(self) -> list[bool]:
        """For each document whether medians, intervals and tests count it."""
        return [learned or self.everyone for learned in self.learned]

    @property
    def trained_size(self) -> int:
        """The one size that its runs were trained up to."""
        return int(self.documents[0]["trained_size"])

    @property
    def known(self) -> bool:
        """Whether anything was evaluated up to the trained size, which is what says who learned; True for text."""
        return any(
            row["size"] <= one["trained_size"] or "mode" in row for one in self.documents for row in one["curve"]
        )

    @property
    def comparable(self) -> bool:
        """Whether any of its runs counts."""
        return any(self.counted)

    def measure(self, name: str) -> Estimate:
        """One of `MEASURES`, by its name."""
        found: Estimate = getattr(self, name)
        return found


def tasks(groups: Iterable[Group]) -> set[str]:
    """The tasks of some groups."""
    return {document["task"] for group in groups for document in group.documents}


def is_text(document: Document) -> bool:
    """Whether a run's curve is in bits per character."""
    return any("mode" in row for row in document["curve"])
