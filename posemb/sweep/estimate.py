"""How long a sweep may take, from runs that have ended."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from posemb.run.opening import MANIFEST
from posemb.sweep.folder import Job


class Pace(NamedTuple):
    """How fast a finished run was."""

    step: float  # seconds for a training step, validation and checkpoints included
    evaluation: float  # seconds


def estimate(jobs: Sequence[Job], runs: Path, at_once: int) -> float | None:
    """Seconds that these jobs will take, so many at a time.

    A job is as fast as the median of the finished runs of its task with its method; where there are none, of its task.

    Returns:
        None where no run of one of the tasks has ended yet.
    """
    paces: dict[str, list[Pace]] = {}
    for task in {job.label.partition("/")[0] for job in jobs}:
        for path in (runs / task).glob(f"*/*/{MANIFEST}"):
            if pace := _pace(path):
                for key in (task, f"{task}/{path.parts[-3]}"):
                    paces.setdefault(key, []).append(pace)
    seconds = []
    for job in jobs:
        known = paces.get(job.label) or paces.get(job.label.partition("/")[0])
        if known is None:
            return None
        step, evaluation = (median(pace[part] for pace in known) for part in (0, 1))
        seconds.append(step * job.config["train"]["steps"] + evaluation)
    return max(sum(seconds) / max(1, min(at_once, len(seconds))), max(seconds, default=0.0))


def _pace(path: Path) -> Pace | None:
    try:
        manifest: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if manifest["state"] != "completed":
            return None
        timings = manifest["timings"]
        return Pace(timings["training"] / manifest["steps"], timings["evaluation"])
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError):  # no run to learn from
        return None
