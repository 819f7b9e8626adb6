"""One job brought to its end, in the process that computes it: an older run goes on, or a new one is started."""

import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from posemb.errors import Diverged, Interrupted, PosembError
from posemb.run.execute import resume, start
from posemb.run.folder import RunFolder
from posemb.run.manifest import why_ended
from posemb.run.process import here
from posemb.run.signals import interrupt
from posemb.run.watch import Watch
from posemb.sweep.folder import Job
from posemb.sweep.notes import Note, Notes
from posemb.sweep.turn import turn

# To go on with a diverged run is to diverge again: every step is drawn from its seed.
FINAL = ("completed", "diverged")
LONGEST = 2000  # characters of an error that a note carries; the whole of it is in the log


def attempt(job: Job, runs: Path, notes: Notes, config_dir: Path | None, stop: Callable[[], bool]) -> Note:
    """Run a job unless it is finished, or somebody else's at this moment. Whatever goes wrong becomes its note.

    Args:
        job: what to run.
        runs: the folder of all runs.
        notes: where to tell how it stands.
        config_dir: a folder of the user's own options.
        stop: asked from time to time; once it says yes, the run is saved and left.

    Raises:
        SystemExit: whoever started this process wants it to end; the run is saved up to its last checkpoint.
    """
    if stop():
        return notes.write(job, Note("stopped"))
    reporter = _Reporter(job, notes, stop)
    try:
        with turn(job, runs) as mine:
            if not mine:
                return notes.write(job, Note("busy"))
            return notes.write(job, _run(job, runs, config_dir, reporter))
    except SystemExit as leaving:
        notes.write(job, _note(leaving, "interrupted", reporter))
        raise
    except Diverged as error:
        return notes.write(job, _note(error, "diverged", reporter))
    except (Interrupted, KeyboardInterrupt) as error:
        return notes.write(job, _note(error, "interrupted", reporter))
    except Exception as error:
        if not isinstance(error, PosembError):
            traceback.print_exc()
        return notes.write(job, _note(error, "failed", reporter))


def _run(job: Job, runs: Path, config_dir: Path | None, watch: Watch) -> Note:
    there = job.folders(runs)
    if there and there[0].state in FINAL:
        return standing(there[0])
    if there and there[0].state == "running" and here(there[0].manifest):  # by somebody who trains the same by hand
        return Note("busy", str(there[0].path))
    machine = job.config["run"]
    if there:
        return standing(resume(there[0].path, watch, config_dir, machine["device"], machine["threads"]))
    return standing(start(job.config, runs, watch, config_dir))


def standing(folder: RunFolder) -> Note:
    """How a run stands, as a note."""
    state = folder.state
    return Note(state, str(folder.path), why_ended(folder.manifest, state))


def _note(error: BaseException, state: str, reporter: "_Reporter") -> Note:
    run = getattr(error, "run", None) or reporter.run
    told = str(error) if isinstance(error, PosembError) else f"{type(error).__name__}: {error}"
    if isinstance(error, SystemExit):
        told = "Its process was told to end."
    return Note(state, None if run is None else str(run), told[:LONGEST])


class _Reporter(Watch):
    """Tells the sweep that a job has begun, and lets its wish to stop come in like a Ctrl-C."""

    def __init__(self, job: Job, notes: Notes, stop: Callable[[], bool]) -> None:
        self.job, self.notes, self.stop = job, notes, stop
        self.run: Path | None = None
        self.asked = False

    def started(self, folder: Path, facts: Mapping[str, Any]) -> None:
        self.run = folder
        self.notes.write(self.job, Note("running", str(folder)))

    def note(self, message: str) -> None:
        print(message, file=sys.stderr, flush=True)

    def stepped(self, row: Mapping[str, Any]) -> None:
        self._ask()

    def evaluated(self, row: Mapping[str, Any]) -> None:
        self._ask()

    def _ask(self) -> None:
        if not self.asked and self.stop():
            self.asked = True
            interrupt()  # the run listens for it: it finishes this step and saves
