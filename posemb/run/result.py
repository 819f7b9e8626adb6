"""What a run came to, as the one JSON document that other programs may rely on. Read from its files alone."""

from collections.abc import Mapping, Sequence
from typing import Any

from posemb.eval.horizon import in_distribution, l90
from posemb.run.folder import RunFolder
from posemb.run.manifest import SCHEMA


def document(folder: RunFolder, curve_rows: Sequence[Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """The document of a run, finished, failed or still running.

    `steps` counts the steps that were done and logged. `seed` is one number where both seeds are equal, else
    {"init", "data"}. `seconds` adds up the timings, resumed sessions included; None before there are any.

    Args:
        folder: the run.
        curve_rows: the rows to report, for a later evaluation; None takes the run's own curve.
    """
    config, manifest = folder.config, folder.manifest
    curve = folder.curve.read() if curve_rows is None else [dict(row) for row in curve_rows]
    trained_size = config["train"]["size"]
    seed = config["seed"]
    return {
        "schema": SCHEMA,
        "run": str(folder.path),
        "state": folder.state,
        "position": config["choice"]["position"],
        "ids": config["choice"]["ids"],
        "task": config["choice"]["task"],
        "seed": seed["init"] if seed["init"] == seed["data"] else dict(seed),
        "trained_size": trained_size,
        "trained_length": manifest["trained_length"],
        "parameters": manifest["parameters"],
        "steps": max((row["step"] for row in folder.metrics.read()), default=0),
        "device": manifest["device"],
        "threads": manifest["threads"],
        "config_hash": manifest["config_hash"],
        "in_distribution": in_distribution(curve, trained_size),
        "l90": l90(curve),
        "seconds": sum(manifest["timings"].values()) if manifest["timings"] else None,
        "error": _error(folder),
        "curve": curve,
    }


def _error(folder: RunFolder) -> str | None:
    if folder.state == "crashed":
        return f"Process {folder.manifest.get('pid')} ended without a word: killed, out of memory, or a power cut."
    error = folder.manifest["error"]
    return None if error is None else str(error)
