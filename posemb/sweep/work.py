"""What a launcher calls, on whatever machine, for each job."""

import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from posemb.run.process import alive, here, me
from posemb.sweep.folder import Job
from posemb.sweep.notes import Note, Notes
from posemb.sweep.turn import taken

LOGS = "logs"

_at_work = threading.Lock()  # held while this process waits for a job's own
_watched = threading.Event()  # set once a thread looks whether the sweep still lives


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
        job = Job(**json.loads(config["job"]))
        notes = Notes(self.launch)
        if notes.stopped:
            return asdict(notes.write(job, Note("stopped")))
        with _at_work:
            note = self._isolated(job) if self.isolated else self.attempt(job)
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

    def _isolated(self, job: Job) -> Note:
        method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        if os.getpid() != self.sweep["pid"]:  # in a worker of the engine's
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the job, and for the sweep
            multiprocessing.set_start_method(method, force=True)  # joblib's own method is unknown to a child
            if not _watched.is_set():
                _watched.set()
                threading.Thread(target=_leave_with, args=(self.sweep,), daemon=True).start()
        # A server that has loaded torch once, and computes nothing itself, forks a fresh process for each job: quick,
        # and safe, since no thread is running in it.
        context: Any = multiprocessing.get_context(method)
        context.set_forkserver_preload(["posemb.sweep.attempt"])
        receiving, sending = context.Pipe(duplex=False)
        process = context.Process(target=self.attempt, args=(job, sending))
        process.start()
        sending.close()
        while process.is_alive():
            process.join(1)
            if _orphaned(self.sweep):  # nobody is left to wait for this
                process.terminate()
        while taken(job, self.runs):  # the server was killed, not the job
            time.sleep(1)
        notes = Notes(self.launch)
        try:
            note: Note = receiving.recv()
        except (EOFError, OSError):
            note = notes.write(job, _killed(notes.read(job), process.exitcode))
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
            stream.flush()
        os.dup2(file, 1)
        os.dup2(file, 2)
        return path


def _leave_with(sweep: Mapping[str, Any]) -> None:
    """End this worker when the sweep has been killed outright: nobody is left to tell it that there is no more work."""
    while not _orphaned(sweep):
        time.sleep(1)
    with _at_work:  # its job saves first
        os._exit(1)


def _orphaned(sweep: Mapping[str, Any]) -> bool:
    """Whether the sweep was killed outright. A worker on another machine cannot know, and works on."""
    return here(sweep) and not alive(sweep)


def _killed(last: Note | None, code: int | None) -> Note:
    """The note of a process that ended without one."""
    how = f"exit code {code}"
    if code is not None and code < 0:
        how = f"killed by {signal.Signals(-code).name}" + (", out of memory perhaps" if code == -signal.SIGKILL else "")
    return Note("crashed", last.run if last else None, f"Its process ended: {how}.")
