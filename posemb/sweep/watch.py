"""What a sweep tells whoever watches it: the command line draws it, Python callers hear nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posemb.run.journal import Journal
from posemb.sweep.folder import Job
from posemb.sweep.notes import Note

TAIL = 4096  # bytes, enough for the last rows of a log


@dataclass(frozen=True)
class Progress:
    """How far a job is.

    Attributes:
        steps: that were trained.
        rows: of the curve that were evaluated.
        last: the last row of metrics; empty before there is one.
    """

    steps: int
    rows: int
    last: dict[str, Any]


class SweepWatch:
    """Called as a sweep proceeds, from the thread that conducts it. This base class ignores everything."""

    def began(self, jobs: Sequence[Job], at_once: int | None) -> None:
        """A launch begins: what it will run. `at_once`: how many jobs at a time; None where the engine knows."""

    def started(self, job: Job, run: Path) -> None:
        """A job has begun, in this run folder."""

    def proceeded(self, job: Job, progress: Progress) -> None:
        """A job is so far; called about once a second for each running job."""

    def ended(self, job: Job, note: Note) -> None:
        """A job has ended, well or badly."""

    def note(self, message: str) -> None:
        """Something a person should know, in one line."""

    def leaving(self) -> None:
        """A second signal came, and the process ends at once. Quick, no error."""


def progress(run: Path) -> Progress:
    """How far a run is, from the ends of its logs alone."""
    metrics = Journal(run / "metrics.jsonl").tail(TAIL)
    rows = Journal(run / "curve.jsonl").tail(TAIL * 100)
    last = metrics[-1] if metrics else {}
    return Progress(int(last.get("step", 0)), len(rows), last)
