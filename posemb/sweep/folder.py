"""A sweep on disk: `runs/sweeps/<name>/sweep.json`, the plan. What became of a job is in the run folder of the job."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from posemb.errors import RunFolderError, UsageError
from posemb.run.disk import replace, writing
from posemb.run.existing import existing
from posemb.run.folder import RunFolder
from posemb.run.manifest import SCHEMA

SWEEPS, PLAN = "sweeps", "sweep.json"


@dataclass(frozen=True)
class Job:
    """One run of a sweep.

    Attributes:
        label: `<task>/<position label>`: where its run folder stands among all runs.
        name: of that folder: `s<seed>-<hash>`. A taken name may have got `-2`.
        values: its value on each axis.
        overrides: all that is set for it, as Hydra takes it: `posemb train` with these is the same run.
        config: composed and checked: what runs.
    """

    label: str
    name: str
    values: dict[str, str]
    overrides: list[str]
    config: dict[str, Any]

    @property
    def key(self) -> str:
        """What tells it from every other job."""
        return f"{self.label}/{self.name}"

    def folders(self, runs: Path) -> list[RunFolder]:
        """Its run folders, the one that got farthest first; none before it ran."""
        return existing(runs, self.label, self.name)


@dataclass(frozen=True)
class Sweep:
    """What a sweep's file says.

    Attributes:
        name: of its folder below `runs/sweeps`.
        question: what it asks, in a sentence, or None.
        axes: each axis and its values, as typed, in the order in which they vary, the last one fastest.
        zipped: axes that went in step instead of being crossed.
        jobs: all of them, in the order in which they are started.
        argv: the command that planned it, from its second word on.
        versions: Python, posemb, torch, Hydra at that time.
        git: commit, dirty flag and folder of the code at that time, or None.
        created: UTC, ISO 8601.
    """

    name: str
    question: str | None
    axes: dict[str, list[str]]
    zipped: list[str]
    jobs: list[Job]
    argv: list[str]
    versions: dict[str, Any]
    git: dict[str, Any] | None
    created: str
    schema: int = field(default=SCHEMA)

    def folder(self, runs: Path) -> Path:
        """Where it is kept."""
        return runs / SWEEPS / self.name

    def save(self, runs: Path) -> Path:
        """Write its plan, in one move; returns its folder.

        Raises:
            RunFolderError: it could not be written.
        """
        folder = self.folder(runs)
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        replace(folder / PLAN, (json.dumps(asdict(self), allow_nan=False) + "\n").encode())
        return folder


def read_sweep(folder: Path) -> Sweep:
    """The plan in the folder of a sweep.

    Raises:
        UsageError: there is none.
        RunFolderError: it cannot be read, is damaged, or is from a newer posemb.
    """
    path = folder / PLAN
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as missing:
        raise UsageError(f"{folder} is not the folder of a sweep: it has no {PLAN}.") from missing
    except OSError as refusal:
        raise RunFolderError(f"Cannot read {path}: {refusal.strerror}.") from refusal
    except ValueError as damage:
        raise RunFolderError(f"{path} is damaged: it is not whole JSON.") from damage
    schema = said.get("schema") if isinstance(said, dict) else None
    if isinstance(schema, int) and schema > SCHEMA:
        raise RunFolderError(f"{path} was written by a newer posemb (schema {schema}; this one reads {SCHEMA}).")
    try:
        return Sweep(**said | {"jobs": [Job(**job) for job in said["jobs"]]})
    except (KeyError, TypeError) as damage:
        raise RunFolderError(f"{path} is damaged: {type(damage).__name__}: {damage}.") from damage
