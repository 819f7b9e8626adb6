"""What a run came to, as the one JSON document that other programs may rely on. Read from its files alone."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from posemb.errors import RunFolderError
from posemb.eval.horizon import in_distribution, l90
from posemb.run.compose import CLASSES
from posemb.run.folder import RunFolder
from posemb.run.manifest import SCHEMA, why_ended

NUMBER = float | int | None
# What every row of a curve has, and of which type it is; then what a task with answers adds, and what a text does.
ROW: dict[str, Any] = {"step": int, "size": int, "length": int, "status": str, "loss": NUMBER}
ANSWERED: dict[str, Any] = dict.fromkeys(("exact_match", "low", "high", "chance"), NUMBER)
READ: dict[str, Any] = {"mode": str, "bits_per_character": NUMBER}


def document(
    folder: RunFolder,
    curve_rows: Sequence[Mapping[str, Any]] | None = None,
    device: str | None = None,
    threads: int | None = None,
) -> dict[str, Any]:
    """The document of a run, finished, failed or still running.

    `steps` counts the steps that were done, as far as the checkpoint, the log or the end tells. `seed` is one number
    where both seeds are equal, else {"init", "data"}. `seconds` adds up the timings, resumed runs included; None
    before there are any.

    Args:
        folder: the run.
        curve_rows: the rows to report, for a later evaluation; None takes the run's own curve.
        device: where that evaluation computed; None takes the run's.
        threads: its CPU threads; None takes the run's.

    Raises:
        RunFolderError: a log of it is damaged or cannot be read.
    """
    config, manifest = folder.config, folder.manifest
    curve = curve_of(folder) if curve_rows is None else [dict(row) for row in curve_rows]
    trained_size = config["train"]["size"]
    seed = config["seed"]
    return {
        "schema": SCHEMA,
        "run": str(folder.path),
        "state": folder.state,
        **{group: config["choice"][group] for group in CLASSES},
        "seed": seed["init"] if seed["init"] == seed["data"] else dict(seed),
        "trained_size": trained_size,
        "trained_length": manifest["trained_length"],
        "parameters": manifest["parameters"],
        "steps": max([manifest.get("steps", 0), *_steps(folder)]),
        "device": device or manifest["device"],
        "threads": threads or manifest["threads"],
        "config_hash": manifest["config_hash"],
        "in_distribution": in_distribution(curve, trained_size),
        "l90": l90(curve),
        "seconds": sum(manifest["timings"].values()) if manifest["timings"] else None,
        "error": why_ended(folder.manifest, folder.state),
        "curve": curve,
    }


def curve_of(folder: RunFolder) -> list[dict[str, Any]]:
    """The rows of its curve.

    Raises:
        RunFolderError: one of them, though whole JSON, is none that a run writes.
    """
    rows = folder.curve.read()
    for line, row in enumerate(rows, start=1):
        kinds = ROW | (READ if "mode" in row else ANSWERED)
        wrong = [key for key, kind in kinds.items() if key not in row or not isinstance(row[key], kind)]
        if wrong:
            raise _damaged(folder.curve.path, line, wrong)
    return rows


def _steps(folder: RunFolder) -> list[int]:
    """The steps that it logged.

    Raises:
        RunFolderError: a row has none.
    """
    steps = []
    for line, row in enumerate(folder.metrics.read(), start=1):
        if not isinstance(row.get("step"), int):
            raise _damaged(folder.metrics.path, line, ["step"])
        steps.append(row["step"])
    return steps


def _damaged(path: Path, line: int, keys: Sequence[str]) -> RunFolderError:
    return RunFolderError(f"{path}, line {line}, is damaged: {', '.join(keys)} cannot be what a run wrote.")
