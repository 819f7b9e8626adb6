from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from posemb.run.folder import RunFolder
from posemb.run.identity import folder_label, folder_name
from posemb.run.manifest import describe

CONFIG: dict[str, Any] = {
    "choice": {"position": "rope", "ids": "sequential", "task": "copy"},
    "position": {"_target_": "posemb.position.rope.RoPE", "base": 10000.0},
    "ids": {"_target_": "posemb.ids.sequential.Sequential"},
    "task": {"_target_": "posemb.task.copy.Copy"},
    "model": {"width": 64},
    "train": {"size": 20, "steps": 100, "lr": 1e-5, "note": "1e3"},
    "eval": {"sizes": None, "count": 512},
    "seed": {"init": 3, "data": 3},
    "run": {"device": "auto", "threads": None},
}


@pytest.fixture
def config() -> dict[str, Any]:
    return deepcopy(CONFIG)


@pytest.fixture
def make_run(tmp_path: Path, config: dict[str, Any]) -> Callable[..., RunFolder]:
    """Make a folder of a run that is running in this process; keywords change its config's seed and choice."""

    def make(runs: Path = tmp_path / "runs", seed: int = 3, **choice: str) -> RunFolder:
        config["seed"] = {"init": seed, "data": seed}
        config["choice"] |= choice
        manifest = describe(config, digest=None, parameters=7, trained_length=43, device="cpu", threads=1)
        return RunFolder.create(runs, folder_label(config["choice"]), folder_name(config, None), config, manifest)

    return make


def metric(step: int) -> dict[str, Any]:
    """A row as training logs it."""
    row: dict[str, Any] = {"step": step, "loss": 1 / step, "accuracy": 0.5, "lr": 0.001, "tokens_per_second": 9000}
    return row | {"seconds": step / 10, "validation": {"loss": 2.0, "exact_match": 0.25}}


def answered(size: int, exact_match: float | None, **more: Any) -> dict[str, Any]:
    """A row of the curve of a task with answers."""
    cannot = exact_match is None
    figure = None if cannot else 0.5
    row = {"step": 100, "size": size, "length": 2 * size + 3, "exact_match": exact_match, "token_accuracy": figure}
    row |= {"loss": figure, "entropy": figure, "count": 512, "low": figure, "high": figure, "chance": 0.1}
    return row | {"status": "cannot represent" if cannot else "ok"} | more
