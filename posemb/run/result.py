"""What a run came to, as the one JSON document that other programs may rely on. Read from its files alone."""

from collections.abc import Mapping, Sequence
from typing import Any

from posemb.eval.horizon import in_distribution, l90
from posemb.run.compose import CLASSES
from posemb.run.folder import RunFolder
from posemb.run.manifest import SCHEMA, why_ended


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
    """
    config, manifest = folder.config, folder.manifest
    curve = folder.curve.read() if curve_rows is None else [dict(row) for row in curve_rows]
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
        "steps": max([manifest.get("steps", 0), *(row["step"] for row in folder.metrics.read())]),
        "device": device or manifest["device"],
        "threads": threads or manifest["threads"],
        "config_hash": manifest["config_hash"],
        "in_distribution": in_distribution(curve, trained_size),
        "l90": l90(curve),
        "seconds": sum(manifest["timings"].values()) if manifest["timings"] else None,
        "error": why_ended(folder.manifest, folder.state),
        "curve": curve,
    }
