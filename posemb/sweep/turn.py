"""Whose turn a job is: of all sweeps that plan it, one process at a time looks for its run or makes it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from posemb.run.disk import writing
from posemb.sweep.folder import SWEEPS, Job

LOCKS = ".lock"


@contextmanager
def turn(job: Job, runs: Path) -> Iterator[bool]:
    """Take a job's turn for the length of the context; the kernel gives it back when the process ends, however it ends.

    Yields:
        Whether it could be taken; False while another process has it.

    Raises:
        RunFolderError: the lock's file cannot be made.
    """
    try:
        import fcntl
    except ImportError:  # not a POSIX system: the state of the run folder must do
        yield True
        return
    path = runs / SWEEPS / LOCKS
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        # One file for all jobs, one byte of it for each: POSIX locks reach over NFS, and no file is left for each job.
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(job))
    except (BlockingIOError, PermissionError):
        os.close(file)
        yield False
        return
    except OSError:  # a file system without locks
        os.close(file)
        yield True
        return
    try:
        yield True
    finally:
        os.close(file)


def taken(job: Job, runs: Path) -> bool:
    """Whether some other process has the job's turn now."""
    with turn(job, runs) as mine:
        return not mine


def _place(job: Job) -> int:
    """A byte of its own: the hash in the name of its folder covers seed, method and everything else."""
    return int(job.name.rpartition("-")[2], 16)
