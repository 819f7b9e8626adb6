"""Every engine that this machine has comes to the same, bit by bit."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from posemb.cli.app import run

from tests.sweep.conftest import Said

TRAINED = ("--task", "last", "--sizes", "5,30", "--device", "cpu", "--steps", "20", "model.width=32", "--threads", "1")
ENGINES = {
    "joblib": ["--jobs", "2"],
    "basic": ["hydra/launcher=basic"],
    "submitit_local": ["hydra/launcher=submitit_local"],
}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all runs in which `posemb train` made them, one by one."""
    runs = tmp_path_factory.mktemp("alone")
    for position in ("rope", "t5"):
        assert run(["train", *TRAINED, "--position", position, "--runs", str(runs)]) == 0
    return runs


@pytest.mark.parametrize("engine", ENGINES)
def test_a_job_is_the_run_of_posemb_train_under_every_engine(
    alone: Path, posemb: Callable[..., Said], tmp_path: Path, engine: str
) -> None:
    said = posemb("sweep", *TRAINED, "--position", "rope,t5", "--name", "two", *ENGINES[engine], "--json")
    assert said.code == 0, said.err
    assert [job["state"] for job in said.json["jobs"]] == ["completed"] * 2
    runs = tmp_path / "runs"
    folders = sorted(path.parent.relative_to(alone) for path in alone.glob("*/*/*/manifest.json"))
    assert sorted(path.parent.relative_to(runs) for path in runs.glob("*/*/*/manifest.json")) == folders
    for folder in folders:
        for name in ("weights.safetensors", "curve.jsonl"):
            assert (runs / folder / name).read_bytes() == (alone / folder / name).read_bytes()
        manifest = json.loads((runs / folder / "manifest.json").read_text())
        assert (manifest["state"], manifest["threads"], len(manifest["processes"])) == ("completed", 1, 1)
    assert not list((runs / "sweeps/two/launches").iterdir())
