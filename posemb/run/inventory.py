"""The runs that lie below a folder: found without opening them, then summed up without their metrics."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posemb.errors import RunFolderError
from posemb.eval.horizon import in_distribution, l90
from posemb.labels import position_label
from posemb.run.flat import flat
from posemb.run.folder import RunFolder
from posemb.run.manifest import why_ended
from posemb.run.opening import CONFIG, MANIFEST, SWEEP

DEPTH = 3  # runs/<task>/<position>/<name>

# A folder of this name was made for a run, whatever it holds by now.
NAME = re.compile(r"s\d+(\.\d+)?-[0-9a-f]{8}(-\d+)?")


def run_paths(place: Path, depth: int = DEPTH) -> list[Path]:
    """The run folders at or below a folder, half-written ones included, in the natural order of their paths.

    Neither what is hidden nor what lies inside a run or a sweep is looked at.

    Args:
        place: the folder; it need not exist.
        depth: how many folders deep to look.
    """
    return sorted(_walk(str(place), depth), key=natural)


def natural(path: Path | str) -> list[tuple[str | int, ...]]:
    """A key to sort paths by: numbers in them count as numbers, so that s2 comes before s10."""
    return [
        tuple(int(piece) if piece.isascii() and piece.isdecimal() else piece for piece in re.split(r"([0-9]+)", part))
        for part in Path(path).parts
    ]


def is_run(place: Path) -> bool:
    """Whether a folder is, or was to be, a run."""
    return os.path.isfile(place / MANIFEST) or os.path.isfile(place / CONFIG)  # False where it may not be looked into


def _walk(place: str, depth: int) -> Iterator[Path]:
    try:
        inside = {entry.name: entry.path for entry in os.scandir(place)}
    except OSError:  # no folder, or none that may be read: then its name alone tells
        inside = {}
    if MANIFEST in inside or CONFIG in inside or (NAME.fullmatch(os.path.basename(place)) and os.path.isdir(place)):
        yield Path(place)
    elif depth and SWEEP not in inside:
        for name, path in inside.items():
            if not name.startswith(".") and os.path.isdir(path):
                yield from _walk(path, depth - 1)


@dataclass(frozen=True)
class Summary:
    """What a run is and what it came to, without its curve.

    Attributes:
        run: its folder.
        state: as its document says it.
        position: the method.
        ids: the id scheme.
        task: the task.
        seed: a number, or {"init", "data"} where they differ.
        settings: the flat config.
        in_distribution: the lowest exact match up to the trained size, or None.
        l90: the horizon, or None.
        seconds: training and evaluation together; None before there are any.
        finished: when, in UTC, ISO 8601, or None.
        error: why it ended early, or None.
    """

    run: str
    state: str
    position: str
    ids: str
    task: str
    seed: int | dict[str, int]
    settings: dict[str, Any]
    in_distribution: float | None
    l90: int | None
    seconds: float | None
    finished: str | None
    error: str | None

    @property
    def method(self) -> str:
        """The position label."""
        return position_label({"position": self.position, "ids": self.ids})


def summary(folder: RunFolder) -> Summary:
    """Sum up a run.

    Raises:
        RunFolderError: its curve is damaged or cannot be read.
    """
    try:
        return _summed_up(folder)
    except (KeyError, TypeError, AttributeError) as damage:  # whole JSON, and not what a run writes
        raise RunFolderError(f"{folder.path} is damaged: {type(damage).__name__}: {damage}.") from damage


def _summed_up(folder: RunFolder) -> Summary:
    config, manifest, state = folder.config, folder.manifest, folder.state
    curve, seed, timings = folder.curve.read(), config["seed"], manifest["timings"]
    return Summary(
        run=str(folder.path),
        state=state,
        **{group: config["choice"][group] for group in ("position", "ids", "task")},
        seed=seed["init"] if seed["init"] == seed["data"] else dict(seed),
        settings=flat(config),
        in_distribution=in_distribution(curve, config["train"]["size"]),
        l90=l90(curve),
        seconds=sum(timings.values()) if timings else None,
        finished=manifest.get("finished"),
        error=why_ended(manifest, state),
    )
