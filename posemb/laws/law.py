"""What a law is, and what it finds."""

from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from math import inf, isfinite

import torch
from torch import Tensor

from posemb.laws.record import share
from posemb.laws.subject import Subject
from posemb.laws.subjects import Place


class Exempt(Exception):
    """A law does not apply to a subject. The message says why."""


@dataclass
class Finding:
    """What a law measured of one subject.

    Attributes:
        error: the worst distance between things that must be equal, by how much of its bound it takes.
        bound: what that distance may be.
        fault: the worst of what is wrong, in words; empty where nothing is.
        moves: how far outputs move with all ids: measured, and not judged.
    """

    error: float | None = None
    bound: float = 0.0
    fault: str = ""
    moves: float | None = None

    def near(self, found: Tensor, right: Tensor, bound: float, what: str) -> None:
        """`found` must be `right`, up to `bound` in any number; with a bound of 0, to the last bit."""
        same = found.shape == right.shape
        self.at_most((found.double() - right.double()).abs().max().item() if same else inf, bound, what)

    def near_in_norm(self, found: Tensor, right: Tensor, bound: float, what: str) -> None:
        """`found` must be `right` up to a share `bound` of its length."""
        self.at_most(((found.double() - right.double()).norm() / right.double().norm()).item(), bound, what)

    def at_most(self, error: float, bound: float, what: str) -> None:
        """An error that must not be above `bound`."""
        error = error if isfinite(error) else inf
        if self.error is None or share(error, bound) > share(self.error, self.bound):
            self.error, self.bound = error, bound
            if error > bound:
                self.fault = f"{what}: {error:.1e}, allowed is {bound:.0e}" if bound else f"{what}: {error:.1e}"

    def holds(self, true: bool, what: str) -> None:
        """A statement that no number says."""
        if not true:
            self.fault = self.fault or what


Measure = Callable[[Subject, Finding], None]


@dataclass(frozen=True)
class Law:
    """Something that must be true of every subject.

    Attributes:
        name: one word.
        statement: what must hold, in a sentence or two.
        measure: adds to a finding what it sees of a subject, or raises `Exempt`.
        once: it is about the method alone: one id scheme and one mask are enough.
    """

    name: str
    statement: str
    measure: Measure
    once: bool = False

    def asks(self, place: Place) -> bool:
        """Whether this law is held against a method in this place."""
        return not self.once or (place.ids, place.subject.attention) == ("sequential", "causal")

    def of(self, subject: Subject) -> Finding:
        """The finding.

        Raises:
            Exempt: the law does not apply.
        """
        found = Finding()
        # What a method of the user's own prints is no part of the result.
        with torch.random.fork_rng(devices=[]), redirect_stdout(StringIO()):
            self.measure(subject, found)
        return found


def law(measure: Measure) -> Law:
    """A law from a function: its name, and its docstring."""
    return Law(measure.__name__, " ".join((measure.__doc__ or "").split()), measure)


def law_of_a_method(measure: Measure) -> Law:
    """A law that one id scheme and one mask say all about."""
    return replace(law(measure), once=True)
