"""What a run says in TensorBoard's HParams tab: every key of its config as a column, what it came to as metrics.

Each run says this for itself, in a small event file of its own. The tab gathers the columns of all runs, those that
differ first. Nothing here writes an experiment's summary, as `add_hparams` does: TensorBoard believes the first one
that it finds, and would then show the keys of one run for all.
"""

import io
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from posemb.eval.horizon import in_distribution, l90
from posemb.run.disk import writing
from posemb.run.flat import flat
from posemb.run.folder import RunFolder
from posemb.run.log import event_file_name
from posemb.run.result import curve_of

SUFFIX = ".hparams"  # of the event file's name


def save_hparams(folder: RunFolder, state: str | None = None) -> Path:
    """Write what the tab shows of a run that has ended into an event file in its folder, in one move.

    A run that did not complete has no metrics: its curve may end anywhere.

    Args:
        folder: the run.
        state: how it ended; None takes what the folder says.

    Raises:
        RunFolderError: it could not be written, or the curve is damaged or cannot be read.
    """
    state = state or folder.state
    size, steps = folder.config["train"]["size"], folder.config["train"].get("steps", 0)
    metrics = outcome(curve_of(folder), size) if state == "completed" else {}
    began, ended = (_seconds(folder.manifest.get(key)) for key in ("started", "finished"))
    data = _events(columns(folder.config), metrics, steps, state, began, ended)
    path = folder.path / event_file_name(SUFFIX)
    beside = folder.path / f".hparams.{os.getpid()}.part"  # a name that TensorBoard does not read
    with writing(path):
        try:
            beside.write_bytes(data)
            os.replace(beside, path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    return path


def has_hparams(folder: Path) -> bool:
    """Whether the folder of a run holds what the tab shows of it. A resume deletes it with the other event files."""
    return any(path.stat().st_size for path in folder.glob(f"events.out.tfevents.*{SUFFIX}"))


def columns(config: Mapping[str, Any]) -> dict[str, bool | float | str]:
    """A config as the tab takes it: the keys that a person types, each with a bool, a number or a text.

    A null has no cell. As a text it would stand among another run's numbers, and the tab could not sort its column.
    """
    return {
        key: value if isinstance(value, bool | int | float | str) else str(value)
        for key, value in flat(config).items()
        if value is not None
    }


def outcome(curve: Sequence[Mapping[str, Any]], trained_size: int) -> dict[str, float]:
    """The metrics of a run, by tag; those that it has. The tab shows the first five tags of the alphabet unasked."""
    found = {"answer/in_distribution": in_distribution(curve, trained_size), "answer/l90": l90(curve)}
    for row in curve:
        if "mode" in row and row["size"] == trained_size:
            found[f"answer/bits_per_character/{row['mode']}"] = row["bits_per_character"]
    return {tag: value for tag, value in found.items() if value is not None}


def _events(
    cells: Mapping[str, bool | float | str],
    metrics: Mapping[str, float],
    step: int,
    state: str,
    began: float | None,
    ended: float | None,
) -> bytes:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.record_writer import RecordWriter

    buffer = io.BytesIO()
    records = RecordWriter(buffer)
    ended = ended or time.time()
    records.write(Event(wall_time=ended, file_version="brain.Event:2").SerializeToString())
    values = [
        *_session(cells, state, began, ended),
        *(Summary.Value(tag=t, simple_value=v) for t, v in metrics.items()),
    ]
    records.write(Event(wall_time=ended, step=step, summary=Summary(value=values)).SerializeToString())
    return buffer.getvalue()


def _session(cells: Mapping[str, bool | float | str], state: str, began: float | None, ended: float) -> Iterator[Any]:
    """Two summaries without data: all that the tab reads is in their metadata."""
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.plugins.hparams import api_pb2, metadata
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionEndInfo, SessionStartInfo

    start = SessionStartInfo(start_time_secs=began or ended)
    for key, value in cells.items():
        kind = "bool_value" if isinstance(value, bool) else "string_value" if isinstance(value, str) else "number_value"
        setattr(start.hparams[key], kind, value)
    status = api_pb2.STATUS_SUCCESS if state == "completed" else api_pb2.STATUS_FAILURE
    end = SessionEndInfo(status=status, end_time_secs=ended)
    for tag, said in (
        (metadata.SESSION_START_INFO_TAG, HParamsPluginData(session_start_info=start)),
        (metadata.SESSION_END_INFO_TAG, HParamsPluginData(session_end_info=end)),
    ):
        yield Summary.Value(tag=tag, metadata=metadata.create_summary_metadata(said), tensor=metadata.NULL_TENSOR)


def _seconds(moment: Any) -> float | None:
    """A manifest's time in seconds since 1970."""
    try:
        return datetime.fromisoformat(moment).timestamp()
    except (TypeError, ValueError):
        return None
