"""The jobs of a sweep as they proceed, on stderr: a line when one begins, and one when it ends."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from posemb.run.compose import CLASSES
from posemb.sweep.watch import SweepWatch

from .console import say
from .failure import quoted

if TYPE_CHECKING:
    from posemb.sweep.folder import Job, Sweep
    from posemb.sweep.notes import Note

MOST = 5  # errors that are shown at the end


class JobLines(SweepWatch):
    """Plain lines: no colour, no frames."""

    def __init__(self, sweep: "Sweep") -> None:
        self.sweep = sweep
        self.total = len(sweep.jobs)
        self.done = 0
        self.launched = False

    def began(self, jobs: Sequence["Job"], at_once: int | None) -> None:
        """Remember how many are left; a later launch is of some that were held up."""
        if not self.launched:
            self.launched, self.done = True, self.total - len(jobs)

    def started(self, job: "Job", run: Path) -> None:
        """One line."""
        self.note(f"started: {call(job)}, in {quoted(run)}")

    def ended(self, job: "Job", note: "Note") -> None:
        """One line, with the reason where it did not complete."""
        if note.state == "stopped":
            return
        self.done += 1
        self.note(f"{note.state} ({self.done} of {self.total}): {call(job)}{came_to(note)}")

    def note(self, message: str) -> None:
        """One line."""
        say(message)

    def close(self) -> None:
        """Take away what is drawn."""


def call(job: "Job") -> str:
    """What sets a job apart from the others, in words: `rope, seed 0, width 64`."""
    return ", ".join(
        value if key in CLASSES else f"{key.rpartition('.')[2]} {value}" for key, value in job.values.items()
    )


def came_to(note: "Note") -> str:
    """What came of a job that ended, after its name: accuracy and horizon, or the reason."""
    if note.state != "completed" or note.run is None:
        return f": {note.error.splitlines()[0]}" if note.error else ""
    from posemb.errors import PosembError
    from posemb.report.table import percent
    from posemb.run.folder import RunFolder
    from posemb.run.result import document

    try:
        content = document(RunFolder.open(note.run))
    except PosembError:
        return ""
    if content["in_distribution"] is None:
        return ""
    return f": in distribution {percent(content['in_distribution'])}, L90 {content['l90']}"


def listed(lines: Sequence[str]) -> list[str]:
    """The first few lines, and how many more there are."""
    return [*lines[:MOST], *([f"... and {len(lines) - MOST} more"] if len(lines) > MOST else [])]
