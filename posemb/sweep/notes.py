"""What the processes of one sweep tell each other, through small files in its folder: they need not share a machine."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import rmtree

from posemb.errors import RunFolderError
from posemb.run.disk import replace, writing
from posemb.run.process import alive, here, me
from posemb.sweep.folder import Job

LAUNCHES, BY, STOP = "launches", "by.json", "stop"


@dataclass(frozen=True)
class Note:
    """How a job stands.

    Attributes:
        state: as a run's: running, completed, failed, diverged, interrupted, crashed; or busy: another process has the
            job; or stopped: it never began, because the sweep was to stop.
        run: its folder, once there is one.
        error: why it ended early.
    """

    state: str
    run: str | None = None
    error: str | None = None

    @property
    def ended(self) -> bool:
        """Whether the job has nothing more to tell."""
        return self.state not in ("running", "busy")

    @property
    def bad(self) -> bool:
        """Whether the job went wrong by itself."""
        return self.state in ("failed", "diverged", "crashed")


class Notes:
    """The notes of one launch of a sweep. Reading and writing never fail: they are news, and the truth is in the runs.

    Args:
        folder: of the launch, below the sweep's.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def begin(cls, sweep: Path) -> "Notes":
        """For a launch by this process. What launches left behind whose process is gone is cleared away.

        Raises:
            RunFolderError: its folder could not be made.
        """
        for old in (sweep / LAUNCHES).glob(f"*/{BY}"):
            with suppress(OSError, ValueError):
                by = json.loads(old.read_text(encoding="utf-8"))
                if here(by) and not alive(by):
                    rmtree(old.parent, ignore_errors=True)
        who = me()
        folder = sweep / LAUNCHES / f"{who['host']}.{who['pid']}"
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / STOP).unlink(missing_ok=True)
        replace(folder / BY, json.dumps(who).encode())
        return cls(folder)

    def end(self) -> None:
        """Clear the launch away."""
        rmtree(self.folder, ignore_errors=True)

    def write(self, job: Job, note: Note) -> Note:
        """Say how a job stands."""
        with suppress(RunFolderError):
            replace(self._path(job), json.dumps(asdict(note)).encode())
        return note

    def clear(self, job: Job) -> None:
        """Forget how a job stood, before it is launched again."""
        with suppress(OSError):
            self._path(job).unlink(missing_ok=True)

    def written(self) -> set[str]:
        """The names of the notes that there are: one look for all jobs."""
        try:
            return set(os.listdir(self.folder))
        except OSError:
            return set()

    def read(self, job: Job, among: set[str] | None = None) -> Note | None:
        """How a job stands; None before the launch has come to it.

        Args:
            job: the job.
            among: what `written` returned; None looks anew.
        """
        path = self._path(job)
        if among is not None and path.name not in among:
            return None
        try:
            return Note(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def stop(self) -> None:
        """Ask all that work on the launch to stop: to save what they are at, and to begin nothing new."""
        with suppress(RunFolderError):
            replace(self.folder / STOP, b"")

    @property
    def stopped(self) -> bool:
        """Whether that was asked."""
        return (self.folder / STOP).exists()

    def _path(self, job: Job) -> Path:
        return self.folder / f"{job.key.replace('/', '.')}.json"
