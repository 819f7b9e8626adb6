"""Later evaluations of a finished run: files of their own, beside its curve."""

import os
import re
from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from posemb.errors import RunFolderError
from posemb.run.disk import first_free, replace
from posemb.run.folder import RunFolder
from posemb.run.journal import Journal, encode

NAMED = re.compile(r"(eval|extend)-\d+\.jsonl")


class Evaluation(NamedTuple):
    """A later evaluation: its file, its rows, and what it was computed with."""

    file: Path
    rows: list[dict[str, Any]]
    device: str
    threads: int


def later(path: Path) -> list[Path]:
    """The files of a run's later evaluations and extensions, the oldest first."""
    found = [file for file in path.glob("*.jsonl") if NAMED.fullmatch(file.name)]
    return sorted(found, key=lambda file: (file.stat().st_mtime_ns, file.name))


def refuse_unwritable(folder: RunFolder) -> None:
    """See to it that a file can be made in a run's folder, before hours go into what is to be in it.

    Raises:
        RunFolderError: none can.
    """
    probe = folder.path / f".probe.{os.getpid()}.part"
    try:
        probe.touch()
        probe.unlink()
    except OSError as refusal:
        raise RunFolderError(
            f"Cannot write into {folder.path}: {refusal.strerror or refusal}.\nThe rows would go there, so nothing was "
            "computed. Give permission or make room, or copy the run's folder to where you may write."
        ) from refusal


def scalings(folder: RunFolder) -> list[str]:
    """The scalings that a run was extended with, in the order in which they were first tried.

    Raises:
        RunFolderError: a file with the rows of an extension is damaged or cannot be read.
    """
    files = sorted(folder.path.glob("extend-*.jsonl"))
    tried = [row.get("scaling") for file in files for row in Journal(file).read()]
    return [name for name in dict.fromkeys(tried) if isinstance(name, str) and name != "none"]


def save_evaluation(folder: RunFolder, rows: Iterable[Mapping[str, Any]], kind: str = "eval") -> Path:
    """Write the rows of an evaluation into the next free `<kind>-<n>.jsonl` of a run.

    Raises:
        RunFolderError: it could not be written.
    """
    data = b"".join(encode(row) for row in rows)
    names = (folder.path / f"{kind}-{number}.jsonl" for number in count(1))
    # The empty file takes the number; the rows then move in as a whole.
    path = first_free(names, lambda path: path.touch(exist_ok=False))
    try:
        replace(path, data)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path
