"""A run as a user sees it: started, killed, stopped, gone on with. Real processes, real signals."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from safetensors.numpy import load_file

TINY = ["--task", "last", "--size", "6", "--threads", "1", "--sizes", "3,6,9", "train.batch=8", "model.width=16"]


def posemb(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "posemb.cli", *arguments]


def run(*arguments: str, expect: int = 0) -> dict:
    """One command with --json: its document."""
    done = subprocess.run(posemb(*arguments, "--json"), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == expect, done.stderr
    return json.loads(done.stdout)


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def losses(run_folder: str) -> list[tuple]:
    """All that a metrics row says about learning; speed and time belong to the machine."""
    return [
        (row["step"], row["loss"], row["accuracy"], row["lr"], row.get("validation"))
        for row in rows(Path(run_folder) / "metrics.jsonl")
    ]


def training_steps(run_folder: str) -> list[int]:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(run_folder, size_guidance={"scalars": 0})
    events.Reload()
    return [event.step for event in events.Scalars("train/loss")]


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """200 steps without a break."""
    runs = tmp_path_factory.mktemp("straight")
    return run("train", *TINY, "--steps", "200", "run.log_every=1", "run.checkpoint_every=50", "--runs", str(runs))


def start_and_signal(runs: Path, number: signal.Signals, step: int) -> tuple[int, Path]:
    """The same 200 steps, and a signal once `step` is logged. The exit code and the folder."""
    command = posemb(
        "train", *TINY, "--steps", "200", "run.log_every=1", "run.checkpoint_every=50", "--runs", str(runs)
    )
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        logs = list(runs.rglob("metrics.jsonl"))
        if logs and logs[0].read_text().count("\n") >= step:
            break
        time.sleep(0.002)
    process.send_signal(number)
    return process.wait(timeout=60), logs[0].parent


def test_the_same_config_and_seed_give_the_same_curve(straight: dict, tmp_path: Path) -> None:
    again = run("train", *TINY, "--steps", "200", "run.log_every=1", "--runs", str(tmp_path))
    curves = [(Path(one["run"]) / "curve.jsonl").read_bytes() for one in (straight, again)]
    assert curves[0] == curves[1]
    assert Path(straight["run"]).name == Path(again["run"]).name  # the hash knows neither folder nor cadence of saving
    other = run("train", *TINY, "--steps", "200", "--seed", "1", "--runs", str(tmp_path))
    assert (Path(other["run"]) / "curve.jsonl").read_bytes() != curves[0]


@pytest.mark.parametrize(
    ("number", "code", "state"),
    [(signal.SIGKILL, -9, "crashed"), (signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "interrupted")],
)
def test_a_broken_run_goes_on_as_if_nothing_had_happened(
    straight: dict, tmp_path: Path, number: signal.Signals, code: int, state: str
) -> None:
    left, folder = start_and_signal(tmp_path, number, step=100)
    assert left == code
    assert run("show", str(folder))["state"] == state
    # What a power cut leaves: half a line.
    with (folder / "metrics.jsonl").open("a") as log:
        log.write('{"step": 9')
    resumed = run("resume", str(folder))
    assert resumed["state"] == "completed"
    assert resumed["run"] == str(folder)
    assert losses(resumed["run"]) == losses(straight["run"])
    assert (folder / "curve.jsonl").read_bytes() == (Path(straight["run"]) / "curve.jsonl").read_bytes()
    weights, expected = (load_file(Path(one["run"]) / "weights.safetensors") for one in (resumed, straight))
    assert weights.keys() == expected.keys()
    assert all((weights[name] == expected[name]).all() for name in expected)
    assert training_steps(resumed["run"]) == list(range(1, 201))


def test_a_completed_run_is_not_resumed(straight: dict) -> None:
    done = subprocess.run(posemb("resume", straight["run"]), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "completed" in done.stderr
    assert done.stdout == ""


def test_an_evaluation_leaves_the_curve_alone(straight: dict) -> None:
    folder = Path(straight["run"])
    before = (folder / "curve.jsonl").read_bytes()
    result = run("eval", straight["run"], "--sizes", "3,12", "--count", "64")
    assert [(row["size"], row["count"]) for row in result["curve"]] == [(3, 64), (12, 64)]
    assert rows(folder / "eval-1.jsonl") == result["curve"]
    assert (folder / "curve.jsonl").read_bytes() == before


def test_load_gives_the_model_back(straight: dict) -> None:
    import torch

    import posemb as package

    loaded = package.load(straight["run"])
    saved = load_file(Path(straight["run"]) / "weights.safetensors")
    assert torch.equal(loaded.model.head.weight, torch.from_numpy(saved["head.weight"]))
    assert loaded.task.solve("abc") == "c"


SPOILED = '''
import torch
from posemb.position.base import PositionMethod

class Spoiled(PositionMethod):
    """Works until a length is asked for that it turns into nonsense."""

    def at_embedding(self, x, at, tables):
        return x * float("nan") if x.shape[1] >= 9 else x
'''


def test_a_loss_that_is_no_number_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "configs/position").mkdir(parents=True)
    (tmp_path / "configs/position/spoiled.yaml").write_text("_target_: spoiled.Spoiled\n")
    (tmp_path / "spoiled.py").write_text(SPOILED)
    command = posemb(
        "train", *TINY, "--position", "spoiled", "--steps", "50", "--json",
        "--config-dir", str(tmp_path / "configs"), "--runs", str(tmp_path / "runs"),
    )  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 3, done.stderr
    result = json.loads(done.stdout)
    assert result["state"] == "diverged"
    assert "loss became nan" in result["error"]
    assert "train.lr" in done.stderr and "Traceback" not in done.stderr
    assert rows(Path(result["run"]) / "metrics.jsonl") == [] or result["steps"] >= 1


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [[0] * 8, list(range(8))])
def test_starts_in_the_same_second_never_share_a_folder(tmp_path: Path, seeds: list[int]) -> None:
    started = [
        subprocess.Popen(
            posemb("train", *TINY, "--steps", "5", "--seed", str(seed), "--runs", str(tmp_path), "--json"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for seed in seeds
    ]
    folders = {json.loads(process.communicate(timeout=300)[0])["run"] for process in started}
    assert len(folders) == 8
    assert len(list(tmp_path.rglob("manifest.json"))) == 8
