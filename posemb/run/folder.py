"""What a run leaves on disk: config, manifest, two logs. tensors.py adds the weights, evaluations.py later curves."""

import json
import os
import weakref
from itertools import count
from pathlib import Path
from shutil import rmtree
from typing import Any

from posemb.errors import RunFolderError, UsageError
from posemb.run.disk import first_free, replace, writing
from posemb.run.journal import Journal, plain
from posemb.run.lock import hold
from posemb.run.manifest import State, now
from posemb.run.opening import CONFIG, MANIFEST, dump_config, read_config, read_manifest, refuse_other
from posemb.run.process import alive, here, me


class RunFolder:
    """One run's folder. Make one with `create`, read or resume one with `open`.

    Attributes:
        path: the folder.
        config: the composed config, enough to build the run again.
        manifest: who, with what, where and how it ended; changed through `update`.
        metrics: one row for each logged training step.
        curve: one row for each evaluated size.
        note: one line that a person should read, or None.
    """

    def __init__(self, path: Path, config: dict[str, Any], manifest: dict[str, Any]) -> None:
        self.path, self.config, self.manifest = path, config, manifest
        self.metrics = Journal(path / "metrics.jsonl")
        self.curve = Journal(path / "curve.jsonl")
        self.note: str | None = None
        self._lock: weakref.finalize | None = None

    @classmethod
    def create(cls, runs: Path, label: str, name: str, config: dict[str, Any], manifest: dict[str, Any]) -> "RunFolder":
        """Make `runs/label/name`, or `name-2`, `name-3` where that is taken; `note` then says so.

        Raises:
            RunFolderError: the folder could not be made or written.
        """
        parent = Path(runs).absolute() / label
        with writing(parent):
            parent.mkdir(parents=True, exist_ok=True)
        names = (parent / (name if number == 1 else f"{name}-{number}") for number in count(1))
        path = first_free(names, Path.mkdir)
        folder = cls(path, config, dict(manifest))
        if path.name != name:
            folder.note = f"{name} exists already, so this run goes to {path.name}."
        try:
            folder._hold()
            replace(path / CONFIG, dump_config(config))
            folder.update()
        except BaseException:
            folder.release()
            rmtree(path, ignore_errors=True)  # made a moment ago: nothing in it is of worth
            raise
        return folder

    @classmethod
    def open(cls, path: str | Path) -> "RunFolder":
        """Read a run's folder.

        Raises:
            UsageError: it is missing, or no run folder.
            RunFolderError: it is half-written, damaged, from a newer posemb, or cannot be read.
        """
        path = Path(path).absolute()
        refuse_other(path)
        manifest = read_manifest(path)
        return cls(path, read_config(path), manifest)

    @property
    def state(self) -> State | str:
        """The manifest's state; `crashed` where it says running and that process is gone."""
        state = str(self.manifest["state"])
        return "crashed" if state == "running" and here(self.manifest) and not alive(self.manifest) else state

    def update(self, **changes: Any) -> None:
        """Change the manifest, in one move.

        Raises:
            RunFolderError: it could not be written; the old one stands.
        """
        changed = plain(self.manifest | changes)
        replace(self.path / MANIFEST, (json.dumps(changed, indent=2) + "\n").encode())  # in ASCII, as in a journal
        self.manifest = changed

    def finish(self, state: State, error: str | None = None, **changes: Any) -> None:
        """Write how the run ended and let go of the folder. `changes`: timings, for example."""
        try:
            self.update(state=state, error=error, finished=now(), **changes)
        finally:
            self.release()

    def refuse_completed(self) -> None:
        """Nothing is left to go on with in a completed run.

        Raises:
            UsageError: this is one.
        """
        if self.state == "completed":
            raise UsageError(f"{self.path} is completed. To see it: posemb show {self.path}")

    def claim(self) -> None:
        """Take the folder over to go on with its run, in this process. `note` may hold a warning.

        Raises:
            UsageError: the run is completed, perhaps since it was opened.
            RunFolderError: a living process is writing it, or it cannot be written.
        """
        self._hold()
        try:
            self.manifest = read_manifest(self.path)
            self.refuse_completed()
            if self.state == "running":
                who = f"process {self.manifest.get('pid')} on {self.manifest.get('host')}"
                if not here(self.manifest):
                    self.note = f"It was left running as {who}, which cannot be asked from here: taking over."
                elif self.manifest.get("pid") != os.getpid():
                    raise RunFolderError(f"{self.path} is still running as {who}. Wait for it, or stop it first.")
            for leftover in self.path.glob(".*.part"):
                leftover.unlink(missing_ok=True)
            self.update(state="running", error=None, finished=None, **me())
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Let another process claim the folder. The end of this process does so too."""
        if self._lock is not None:
            self._lock()
            self._lock = None

    def _hold(self) -> None:
        self._lock = weakref.finalize(self, hold(self.path))

    def cut_metrics(self, step: int) -> None:
        """Drop the metrics after `step` (the checkpoint's), in one move."""
        self.metrics.rewrite([row for row in self.metrics.read() if row["step"] <= step])

    def clear_curve(self) -> None:
        """Drop the curve, to evaluate anew."""
        self.curve.rewrite([])
