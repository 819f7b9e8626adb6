"""Runs and sweeps, made up in no time."""

from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from posemb.labels import position_label
from posemb.run.compose import CLASSES
from posemb.run.folder import RunFolder
from posemb.run.identity import folder_label, folder_name
from posemb.run.manifest import describe
from posemb.sweep.folder import Job, Sweep
from tests.run.conftest import CONFIG, answered

LEARNED = [answered(10, 1.0), answered(20, 0.95), answered(40, 0.5)]  # trained on sizes up to 20


@cache
def manifest() -> dict[str, Any]:
    return describe(CONFIG, digest=None, parameters=7, trained_length=43, device="cpu", threads=1)


def config(seed: int | dict[str, int] = 0, **changed: Any) -> dict[str, Any]:
    """A config; `position="ape"` chooses an option, `model__width=32` sets a key."""
    one = deepcopy(CONFIG)
    one["seed"] = {"init": seed, "data": seed} if isinstance(seed, int) else seed
    for name, value in changed.items():
        group, _, key = name.partition("__")
        if key:
            one[group][key] = value
        else:
            one["choice"][group] = value
            one[group] = {"_target_": f"posemb.{group}.{value}"}
    assert set(one["choice"]) == set(CLASSES)
    return one


def made(
    runs: Path,
    state: Any = "completed",
    curve: list[dict[str, Any]] = LEARNED,
    error: str | None = None,
    timings: dict[str, float] | None = None,
    **changed: Any,
) -> RunFolder:
    """A run that ended so; one in the state `running` goes on in this very process."""
    made_of = config(**changed)
    folder = RunFolder.create(runs, folder_label(made_of["choice"]), folder_name(made_of, None), made_of, manifest())
    folder.curve.rewrite(curve)
    if state != "running":
        folder.finish(state, error, timings={"training": 1.5, "evaluation": 0.25} if timings is None else timings)
    folder.release()
    return folder


def swept(runs: Path, name: str, configs: list[dict[str, Any]], question: str | None = None) -> Sweep:
    """A sweep over these configs, none of which ran."""
    jobs = [
        Job(folder_label(one["choice"]), folder_name(one, None), values={}, overrides=[], config=one) for one in configs
    ]
    sweep = Sweep(
        name=name,
        question=question,
        axes={"position": [position_label(one["choice"]) for one in configs]},
        zipped=[],
        jobs=jobs,
        argv=["sweep"],
        versions={},
        git=None,
        created="2026-01-01T00:00:00+00:00",
    )
    sweep.save(runs)
    return sweep
