"""Writing to disk so that a crash leaves the old file or the new one, and a failure says what it could not write."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from posemb.errors import RunFolderError, UsageError


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the operating system's refusal (disk full, read-only, no permission) into one clear message.

    Raises:
        RunFolderError: what could not be written, why, and that what is already there stands.
    """
    try:
        yield
    except OSError as refusal:
        reason = refusal.strerror or str(refusal)
        raise RunFolderError(
            f"Cannot write {path}: {reason}.\nNothing written before is lost: make room or give permission, then go on."
        ) from refusal


def replace(path: Path, data: bytes) -> None:
    """Write `data` beside `path`, force it to the disk and rename it into place.

    Raises:
        RunFolderError: the disk refused; `path` is what it was before.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    with writing(path):
        try:
            with open(beside, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)


def refuse_file(folder: Path) -> None:
    """See to it that `folder` is one, or can become one.

    Raises:
        UsageError: it is something else, or lies below something else.
    """
    there = next((place for place in (folder, *folder.absolute().parents) if os.path.exists(place)), None)
    if there is not None and not there.is_dir():
        raise UsageError(f"Runs cannot go into {folder}: {there} is not a folder. Choose another one with --runs DIR.")


def first_free(paths: Iterable[Path], take: Callable[[Path], object]) -> Path:
    """The first of `paths` that `take` could make for this process alone: it fails on what exists.

    Raises:
        RunFolderError: the disk refused.
    """
    for path in paths:
        with writing(path):
            try:
                take(path)
            except FileExistsError:
                continue
            return path
    raise RunFolderError("No name is free.")


def _sync_folder(folder: Path) -> None:
    """Force a rename to the disk. Some network file systems cannot; the file itself is safe there all the same."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)
