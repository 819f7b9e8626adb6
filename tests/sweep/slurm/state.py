"""What the small Slurm knows: one folder for each job, one below it for each task of an array."""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any


def root() -> Path:
    return Path(os.environ["FAKE_SLURM"])


@dataclass(frozen=True)
class Task:
    """A job without an array, or one task of an array; `job` is the folder of the whole."""

    job: Path
    number: int | None

    @property
    def name(self) -> str:
        """As Slurm calls it."""
        return self.job.name if self.number is None else f"{self.job.name}_{self.number}"

    @property
    def folder(self) -> Path:
        return self.job / str(self.number or 0)

    @property
    def state(self) -> str:
        return self.read("state") or "PENDING"

    def read(self, what: str) -> str:
        try:
            return (self.folder / what).read_text()
        except FileNotFoundError:
            return ""

    def write(self, what: str, text: str) -> None:
        part = self.folder / f".{what}.{os.getpid()}"
        part.write_text(text)
        part.replace(self.folder / what)

    def drop(self, what: str) -> None:
        (self.folder / what).unlink(missing_ok=True)

    def signal(self, number: int) -> None:
        """To the step, as Slurm does; the script that waits for it is left alone."""
        if step := self.read("step"):
            with suppress(ProcessLookupError):
                os.kill(int(step), number)

    def paths(self, pattern: str) -> str:
        """A path of `--output` with its `%` filled in."""
        marks = {"%A": self.job.name, "%a": str(self.number), "%j": self.name, "%t": "0"}
        for mark, meaning in marks.items():
            pattern = pattern.replace(mark, meaning)
        return pattern


def make_job(options: dict[str, Any]) -> Path:
    """A folder for a new job; ids begin with 1001."""
    root().mkdir(parents=True, exist_ok=True)
    for number in count(1001):
        job = root() / str(number)
        try:
            job.mkdir()
        except FileExistsError:
            continue
        (job / "options.json").write_text(json.dumps(options))
        for task in tasks(job):
            task.folder.mkdir()
        return job
    raise AssertionError


def options(job: Path) -> dict[str, Any]:
    return json.loads((job / "options.json").read_text())


def tasks(job: Path) -> list[Task]:
    array = options(job).get("array")
    if array is None:
        return [Task(job, None)]
    low, high = array.partition("%")[0].split("-")
    return [Task(job, number) for number in range(int(low), int(high) + 1)]


def at_once(job: Path) -> int:
    """How many tasks of an array run at a time: what stands after its `%`."""
    limit = options(job).get("array", "").partition("%")[2]
    return int(limit) if limit else len(tasks(job))


def jobs(state: Path) -> Iterator[Path]:
    yield from sorted(path for path in state.glob("*") if path.name.isdigit())


def named(words: str) -> list[Task]:
    """The tasks that `1001` or `1001_2` means."""
    job, _, number = words.partition("_")
    return [task for task in tasks(root() / job) if not number or task.number == int(number)]
