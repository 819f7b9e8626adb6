"""Jobs in processes of their own, in a worker that an engine uses for one job after the other."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from posemb.errors import PosembError
from posemb.run.folder import RunFolder
from posemb.run.process import alive, here
from posemb.sweep.folder import Job
from posemb.sweep.notes import Note, Notes

if TYPE_CHECKING:
    from posemb.sweep.work import Work

_at_work: set[str] = set()  # jobs that this process waits for
_watched = threading.Event()  # set once a thread looks whether the sweep still lives


def isolated(work: "Work", job: Job) -> Note:
    """Run a job in a process of its own, and wait for it: killed, it takes nothing with it but itself."""
    context = _context(work.sweep)
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=work.attempt, args=(job, sending))
    _at_work.add(job.key)
    try:
        process.start()
        sending.close()
        note = _answer(work, job, process, receiving)
        process.join(10)
        return note
    finally:
        _at_work.discard(job.key)


def _context(sweep: Mapping[str, Any]) -> Any:
    """How processes are made: by a server that has loaded torch once and computes nothing itself.

    It forks a fresh process for each job: quick, and safe, since no thread is running in it.
    """
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    if os.getpid() != sweep["pid"]:  # in a worker of the engine's
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the job, and for the sweep
        multiprocessing.set_start_method(method, force=True)  # joblib's own method is unknown to a child
        if not _watched.is_set():
            _watched.set()
            threading.Thread(target=_leave_with, args=(sweep,), daemon=True).start()
    context: Any = multiprocessing.get_context(method)
    context.set_forkserver_preload(["posemb.sweep.attempt"])
    return context


def _answer(work: "Work", job: Job, process: Any, receiving: Connection) -> Note:
    """What a job's process says at its end. The pipe tells when that comes without a word, even if its server died."""
    asked = False
    try:
        while not receiving.poll(1):
            if not asked and _orphaned(work.sweep):  # nobody is left to wait for this: it saves and leaves
                asked = True
                process.terminate()  # once: a second signal would cut its saving short
        note: Note = receiving.recv()
    except (EOFError, OSError):
        process.join(10)  # for its exit code
        note = _without_a_word(job, Notes(work.launch), process.exitcode)
    return note


def _without_a_word(job: Job, notes: Notes, code: int | None) -> Note:
    """What became of a job whose process ended without answering. Its manifest could not be told why: it is now."""
    last = notes.read(job)
    if last is not None and last.ended:
        return last
    note = notes.write(job, _killed(last, code))
    if note.run is not None:
        with suppress(PosembError):
            RunFolder.open(note.run).update(error=note.error)
    return note


def _leave_with(sweep: Mapping[str, Any]) -> None:
    """End this worker when the sweep has been killed outright: nobody is left to tell it that there is no more work."""
    while not _orphaned(sweep) or _at_work:  # its job saves first
        time.sleep(1)
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
