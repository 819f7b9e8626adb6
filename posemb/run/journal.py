"""An append-only file of JSON rows: the truth about a run, written as it happens."""

import json
import math
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from posemb.errors import RunFolderError
from posemb.run.disk import replace, writing

Row = dict[str, Any]


def plain(value: Any) -> Any:
    """The same value as JSON can carry it: numbers that are not finite become None, tuples lists."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def encode(row: Mapping[str, Any]) -> bytes:
    """One row as one line of JSON, newline included. In ASCII: a path that is not UTF-8 could not be encoded."""
    return (json.dumps(plain(row), allow_nan=False) + "\n").encode()


class Journal:
    """Rows in a file, one a line. A torn last line (no newline) is never read, and is cut before the next append.

    Args:
        path: the file; it need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, row: Mapping[str, Any]) -> None:
        """Add one row and hand it to the operating system at once.

        Raises:
            RunFolderError: the row could not be written; the rows before it stand.
        """
        line = encode(row)
        with writing(self.path):
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            try:
                _cut_torn_line(file)
                while line:
                    line = line[os.write(file, line) :]
            finally:
                os.close(file)

    def read(self) -> list[Row]:
        """All whole rows, in the order in which they were written; none if there is no file.

        Raises:
            RunFolderError: the file cannot be read, or a line in its middle is damaged.
        """
        if not self.path.is_file():
            return []
        try:
            lines = self.path.read_bytes().split(b"\n")[:-1]
        except OSError as refusal:
            raise RunFolderError(f"Cannot read {self.path}: {refusal.strerror}.") from refusal
        rows = []
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not isinstance(row, dict):
                raise RunFolderError(f"{self.path}, line {number}, is damaged: it is not a JSON object.")
            rows.append(row)
        return rows

    def tail(self, size: int) -> list[Row]:
        """The whole rows in the last `size` bytes: a quick look at a file that grows. None where it cannot be read."""
        try:
            with open(self.path, "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - size))
                lines = file.read(size).split(b"\n")[:-1]
        except OSError:
            return []
        rows = []
        for line in lines:
            with suppress(ValueError):  # the first one is most often cut
                rows.append(json.loads(line))
        return [row for row in rows if isinstance(row, dict)]

    def rewrite(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Put these rows in place of all rows, in one move.

        Raises:
            RunFolderError: they could not be written; the old rows stand.
        """
        replace(self.path, b"".join(encode(row) for row in rows))


def _cut_torn_line(file: int) -> None:
    """Cut an open file back to its last newline."""
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode) or status.st_size == 0 or os.pread(file, 1, status.st_size - 1) == b"\n":
        return
    os.ftruncate(file, os.pread(file, status.st_size, 0).rfind(b"\n") + 1)
