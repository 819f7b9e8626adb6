"""Holding a run's folder while one process writes it."""

import os
from collections.abc import Callable
from pathlib import Path

from posemb.errors import RunFolderError
from posemb.run.disk import writing


def hold(folder: Path) -> Callable[[], None]:
    """Lock a folder for this process; the kernel lets go when the process ends, however it ends.

    Returns:
        What lets go of it earlier.

    Raises:
        RunFolderError: another process holds it.
    """
    try:
        import fcntl
    except ImportError:  # not a POSIX system: the pid in the manifest must do
        return lambda: None
    with writing(folder):
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as taken:
        os.close(descriptor)
        raise RunFolderError(f"{folder} is being written by another process. Wait for it, or stop it first.") from taken
    except OSError:  # a file system without locks: the pid must do here too
        os.close(descriptor)
        return lambda: None
    return lambda: os.close(descriptor)
