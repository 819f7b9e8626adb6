"""What a launcher calls, on whatever machine, for each job."""

import json
import multiprocessing
import os
import sys
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from posemb.run.process import me
from posemb.sweep.folder import Job
from posemb.sweep.isolation import isolated
from posemb.sweep.notes import Note, Notes

LOGS = "logs"


@dataclass(frozen=True)
class Work:
    """A sweep's work, sent to every process that takes part in it.

    Attributes:
        folder: the sweep's.
        runs: the folder of all runs.
        launch: the folder of this launch's notes.
        config_dir: a folder of the user's own options.
        isolated: run each job in a process of its own, so that one that is killed outright takes nothing with it.
            Where the engine has a process for each job already, that is one too many.
        fail_fast: whether the first job that fails stops all.
        sweep: the process that launched it.
    """

    folder: Path
    runs: Path
    launch: Path
    config_dir: Path | None
    isolated: bool
    fail_fast: bool = False
    sweep: dict[str, Any] = field(default_factory=me)

    def __call__(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Run the job that an engine hands over; what it came to, as plain values."""
        job = received(config["job"])
        notes = Notes(self.launch)
        if notes.stopped:
            return asdict(notes.write(job, Note("stopped")))
        note = isolated(self, job) if self.isolated else self.attempt(job)
        if self.fail_fast and note.bad:
            notes.stop()  # from here, so that not even the next job begins
        return asdict(note)

    def attempt(self, job: Job, sending: Connection | None = None) -> Note:
        """Run a job in this process. `sending`: where to, in a process of its own."""
        from posemb.sweep.attempt import attempt

        notes = Notes(self.launch)
        parent = multiprocessing.parent_process() if sending is not None else None
        if sending is not None:
            log = self._log(job)
        note = attempt(
            job,
            self.runs,
            notes,
            self.config_dir,
            lambda: notes.stopped or (parent is not None and not parent.is_alive()),
        )
        if sending is not None:
            sending.send(note)
            with suppress(OSError):  # most jobs have nothing to say
                if log.stat().st_size == 0:
                    log.unlink()
        return note

    def _log(self, job: Job) -> Path:
        """Send what this process prints into a file, so that it does not run across the sweep's own display."""
        path = self.folder / LOGS / f"{job.key.replace('/', '.')}.log"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError:
            file = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # the sweep was started with it closed
                stream.flush()
        os.dup2(file, 1)
        os.dup2(file, 2)
        return path


def sent(job: Job) -> str:
    """A job as one plain word: what it says would mean something to Hydra's interpolation."""
    return b64encode(json.dumps(asdict(job)).encode()).decode()


def received(word: str) -> Job:
    """The job in such a word."""
    return Job(**json.loads(b64decode(word)))
