"""Later evaluations of a finished run: files of their own, beside its curve."""

from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from posemb.run.disk import first_free, replace
from posemb.run.folder import RunFolder
from posemb.run.journal import encode


class Evaluation(NamedTuple):
    """A later evaluation: its file, its rows, and what it was computed with."""

    file: Path
    rows: list[dict[str, Any]]
    device: str
    threads: int


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
