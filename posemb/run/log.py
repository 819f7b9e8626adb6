"""The two logs of a run and their view in TensorBoard."""

import os
import socket
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from posemb.run.disk import writing
from posemb.run.folder import RunFolder
from posemb.run.journal import plain

NOT_SCALARS = frozenset({"step", "time", "seconds"})
CURVE_FIGURES = ("exact_match", "token_accuracy", "bits_per_character", "loss", "entropy")


class TrainingLog:
    """Writes each row to its journal, then to TensorBoard. The journals are the truth, the event files a view of them.

    Opening one throws the event files away and builds them anew from the journals, so after a resume (which cuts the
    journals first) steps strictly increase. The curve has step = length and a folder of its own, `curve/`: so the
    curves of several runs overlay, and no resume of the training can erase one.

    Args:
        folder: the run; its journals hold what was logged before.
    """

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._training = EventFile(folder.path)
        for row in folder.metrics.read():
            self._training.add(row["step"], training_scalars(row), row["time"])
        self._curve: EventFile | None = None
        remove_event_files(folder.path / "curve")
        for row in folder.curve.read():
            self._add_to_curve(row)

    def step(self, row: Mapping[str, Any]) -> None:
        """A row of metrics.jsonl: `step`, numbers (train/...), and groups of numbers such as `validation`.

        Raises:
            RunFolderError: it could not be written.
        """
        stamped = plain({**row, "time": time.time()})
        self._folder.metrics.append(stamped)
        self._training.add(row["step"], training_scalars(stamped), stamped["time"])

    def curve(self, row: Mapping[str, Any]) -> None:
        """A row of curve.jsonl.

        Raises:
            RunFolderError: it could not be written.
        """
        self._folder.curve.append(row)
        self._add_to_curve(row)

    def close(self) -> None:
        """Close the event files."""
        self._training.close()
        if self._curve is not None:
            self._curve.close()

    def _add_to_curve(self, row: Mapping[str, Any]) -> None:
        if self._curve is None:
            self._curve = EventFile(self._folder.path / "curve")
        self._curve.add(row["length"], curve_scalars(row), time.time())


def training_scalars(row: Mapping[str, Any]) -> dict[str, float]:
    """The tags of a row of metrics: train/<key> for its numbers, <group>/<key> for the numbers of a group in it."""
    return {tag: value for tag, value in _tags(row) if isinstance(value, int | float)}


def _tags(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}/{name}", figure) for name, figure in value.items())
        elif key not in NOT_SCALARS:
            yield f"train/{key}", value


def curve_scalars(row: Mapping[str, Any]) -> dict[str, float]:
    """The tags of a row of the curve: curve/<figure>, for text curve/<figure>/<mode>. Null figures have none."""
    mode = f"/{row['mode']}" if "mode" in row else ""
    return {f"curve/{figure}{mode}": row[figure] for figure in CURVE_FIGURES if row.get(figure) is not None}


def remove_event_files(folder: Path) -> None:
    """Delete a folder's event files; what they show can be built again."""
    with writing(folder):
        for path in folder.glob("events.out.tfevents.*"):
            path.unlink(missing_ok=True)


def event_file_name(suffix: str = "") -> str:
    """A new name for a file of events. TensorBoard reads a folder's files in the order of their names.

    Time stands first, to the nanosecond, so that a server that has read the old files goes on to this one.
    """
    return f"events.out.tfevents.{time.time_ns():020d}.{socket.gethostname()}.{os.getpid()}{suffix}"


class EventFile:
    """One fresh file of TensorBoard events, in place of any that the folder held.

    Written in this thread, record by record: TensorBoard's own writer has a thread whose errors surface late.
    """

    def __init__(self, folder: Path) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog, SourceMetadata
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.summary.writer.record_writer import RecordWriter

        self._event, self._summary = Event, Summary
        remove_event_files(folder)
        self.path = folder / event_file_name()
        with writing(self.path):
            folder.mkdir(exist_ok=True)
            self._records = RecordWriter(self.path.open("xb", buffering=0))
        self._write(
            Event(wall_time=time.time(), file_version="brain.Event:2", source_metadata=SourceMetadata(writer="posemb"))
        )
        # To a server that has read the file before this one, START says: forget its steps.
        self._write(Event(wall_time=time.time(), step=0, session_log=SessionLog(status=SessionLog.START)))

    def add(self, step: int, scalars: Mapping[str, float], wall_time: float) -> None:
        """Scalars of one step.

        Raises:
            RunFolderError: they could not be written.
        """
        values = [self._summary.Value(tag=tag, simple_value=value) for tag, value in scalars.items()]
        if values:
            self._write(self._event(wall_time=wall_time, step=step, summary=self._summary(value=values)))

    def close(self) -> None:
        """Close the file."""
        with writing(self.path):
            self._records.close()

    def _write(self, event: Any) -> None:
        with writing(self.path):
            self._records.write(event.SerializeToString())
