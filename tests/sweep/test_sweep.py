"""Sweeps through the public door: a command typed in a folder, and what it leaves there."""

import json
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from posemb.cli.app import run

from posemb.run.check import check
from posemb.run.compose import compose
from posemb.run.identity import folder_name
from posemb.sweep.folder import Job, read_sweep
from tests.sweep.conftest import TINY, Said, command, environment
from tests.sweep.example import config, swept
from tests.sweep.test_conduct import held

Posemb = Callable[..., Said]


def manifests(runs: Path) -> dict[str, dict[str, Any]]:
    """By the run's path below the folder of all runs."""
    found = {str(path.parent.relative_to(runs)): path for path in runs.glob("*/*/*/manifest.json")}
    return {name: json.loads(path.read_text()) for name, path in found.items()}


def folder_name_of(overrides: list[str]) -> str:
    return folder_name(check(compose(overrides)), None)


def jobs_of(said: Said) -> dict[str, dict[str, Any]]:
    """The jobs of a sweep's document, by their position."""
    return {job["values"]["position"]: job for job in said.json["jobs"]}


def test_jobs_that_fail_cost_only_themselves_and_what_is_final_is_never_run_again(
    posemb: Posemb, own: Path, tmp_path: Path
) -> None:
    sweep = ("sweep", *TINY, "--steps", "40", "--position", "raises,dies,diverges,rope", "--seed", "0,0,0")
    sweep = (*sweep, "--config-dir", str(own), "--name", "mixed", "--jobs", "2")
    said = posemb(*sweep, "--json")
    assert said.code == 4, said.err
    assert "left out: 8 jobs that would repeat another one" in said.err
    jobs = jobs_of(said)
    assert {name: job["state"] for name, job in jobs.items()} == {
        "raises": "failed",
        "dies": "crashed",
        "diverges": "diverged",
        "rope": "completed",
    }
    assert jobs["raises"]["error"] == "ZeroDivisionError: planted"
    assert "killed by SIGKILL" in jobs["dies"]["error"]
    for name in ("raises", "dies", "diverges"):
        assert f"{name}, seed 0: {jobs[name]['state']}: {jobs[name]['error']}" in said.err
    assert "Traceback" not in said.err
    assert "ZeroDivisionError: planted" in next((tmp_path / "runs/sweeps/mixed/logs").glob("*raises*")).read_text()
    told = {run["position"]: run for run in posemb("runs", "mixed", "--json").json["runs"]}
    assert told["dies"]["state"] == "crashed" and told["dies"]["error"] == jobs["dies"]["error"]

    before = manifests(tmp_path / "runs")
    again = posemb(*sweep, "--json")
    assert again.code == 4
    assert "1 finished already, 1 diverged already, 2 to go on with" in again.err
    assert jobs_of(again)["rope"] == jobs["rope"]
    after = manifests(tmp_path / "runs")
    assert after.keys() == before.keys(), "no job has got a second folder"
    for name, manifest in before.items():
        grew = len(after[name]["processes"]) - len(manifest["processes"])
        assert grew == (1 if "raises" in name or "dies" in name else 0), name


def test_a_job_that_another_process_has_holds_up_nothing_else(tmp_path: Path) -> None:
    words = ("sweep", *TINY, "--steps", "4", "--seed", "0,1", "--jobs", "1", "--name", "shared")
    words = (*words, "train.warmup=${train.batch}")  # what a launcher must not resolve on the way
    runs = tmp_path / "runs"
    plan = subprocess.run(command(*words, "--dry-run", "--json"), capture_output=True, cwd=tmp_path, env=environment())
    (first, _) = json.loads(plan.stdout)["jobs"]
    runs.mkdir()
    holder = held(runs, Job("", folder_name_of(first["overrides"]), {}, [], {}))
    said = tmp_path / "said"
    with said.open("wb") as file:
        process = subprocess.Popen(command(*words), stderr=file, stdout=file, cwd=tmp_path, env=environment())
        while "completed (" not in said.read_text():
            assert process.poll() is None, said.read_text()
            time.sleep(0.1)
        assert "seed 1" in said.read_text() and "completed (1 of 2): seed 0" not in said.read_text()
        holder.communicate("")
        assert process.wait(timeout=120) == 0, said.read_text()
    assert "Waiting for 1 of the jobs" in said.read_text()
    assert len(manifests(runs)) == 2


def test_closed_streams_are_no_accident(tmp_path: Path) -> None:
    words = ("sweep", *TINY, "--steps", "2", "--seed", "0,1", "--name", "closed")
    line = f"{shlex.join(command(*words))} >&- 2>&-"
    assert subprocess.run(line, shell=True, cwd=tmp_path, env=environment()).returncode == 0
    assert [manifest["state"] for manifest in manifests(tmp_path / "runs").values()] == ["completed"] * 2


@pytest.mark.parametrize(
    ("words", "told"),
    {
        ("--seed", "0,1", "seed=0,1"): "seed is set twice",
        ("--seed", "0,1", "--steps", "3", "train.steps=4"): "train.steps is set twice",
        ("--seed", "3"): "Nothing varies",
        ("--seed", "0..2"): "--seed 0..2: must be a whole number",
        ("--position", "ape,,rope"): "position has no option 'ape,,rope'",
        ("--seed", "0,1", "--name", "a/b"): "--name a/b: it becomes that of a folder",
        ("--seed", "0,1", "--jobs", "0"): "--jobs 0: expected a whole number from 1 on",
        ("--seed", "0,1", "--jobs", "2", "hydra/launcher=basic"): "--jobs 2 is for this machine",
        ("--seed", "0,1", "--zip", "seed,position"): "--zip position: no axis is called that",
        ("--position", "ape,rop"): "position has no option 'rop'",
        ("--seed", "0,-1"): "seed=-1: must be at least 0",
        ("--experiment", "nothing"): "neither experiments/nothing.yaml nor a file of that path",
    }.items(),
)
def test_wrong_words_are_found_before_anything_is_written(
    words: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["sweep", *TINY, *words]) == 2
    out, err = capfd.readouterr()
    assert told in err and not out and len(err.splitlines()) <= 8
    assert not list(tmp_path.iterdir())


def test_a_name_that_was_chosen_is_no_other_sweeps(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    runs = tmp_path / "runs"
    swept(runs, "mine", [config(seed=seed) for seed in (0, 1, 2)])
    assert run(["sweep", *TINY, "--seed", "0,1", "--name", "mine", "--runs", str(runs)]) == 2
    err = capfd.readouterr().err
    assert "there is a sweep of that name, with 3 jobs that this one has not" in err
    assert len(read_sweep(runs / "sweeps" / "mine").jobs) == 3


def test_settings_of_joblib_go_with_jobs(tmp_path: Path) -> None:
    assert run(["sweep", *TINY, "--seed", "0,1", "--jobs", "1", "hydra.launcher.verbose=0", "--dry-run"]) == 0


def test_a_dry_run_writes_nothing_and_lists_every_job(posemb: Posemb, tmp_path: Path) -> None:
    said = posemb("sweep", *TINY, "--steps", "40", "--position", "ape,rope", "--seed", "range(0,3)", "--dry-run")
    assert said.code == 0
    rows = said.out.splitlines()
    assert rows[0].split() == ["position", "seed", "state", "folder"]
    assert [row.split()[:3] for row in rows[1:]] == [
        [position, seed, "new"] for seed in "012" for position in ("ape", "rope")
    ]
    assert "6 jobs = 2 position × 3 seed" in said.err and "time unknown" in said.err
    assert not list(tmp_path.iterdir())


def test_fail_fast_begins_nothing_more(posemb: Posemb, own: Path, tmp_path: Path) -> None:
    sweep = (
        "sweep",
        *TINY,
        "--steps",
        "40",
        "--position",
        "raises,rope,ape",
        "--config-dir",
        own,
        "--jobs",
        "1",
        "--fail-fast",
    )
    said = posemb(*sweep, "--json")
    assert said.code == 4
    assert [job["state"] for job in said.json["jobs"]] == ["failed", "stopped", "stopped"]
    assert "3 jobs: 1 failed, 2 not begun" in said.err
    assert [name.split("/")[1] for name in manifests(tmp_path / "runs")] == ["raises"]


def test_ctrl_c_saves_what_runs_and_the_same_command_goes_on(posemb: Posemb, tmp_path: Path) -> None:
    words = ("sweep", *TINY, "--steps", "700", "--position", "ape,rope,nope", "--jobs", "2", "--name", "stopped")
    process = subprocess.Popen(
        command(*words), stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment(), start_new_session=True
    )
    runs = tmp_path / "runs"
    while len(list(runs.glob("*/*/*/checkpoint.pt"))) < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to everything in it
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "Sweep interrupted. The same command goes on with it." in err
    states = sorted(manifest["state"] for manifest in manifests(runs).values())
    assert states == ["interrupted", "interrupted"], err

    said = posemb(*words)
    assert said.code == 0, said.err
    assert "1 to start, 2 to go on with" in said.err
    assert "3 jobs: 3 completed" in said.err
    assert len(manifests(runs)) == 3
    assert (runs / "sweeps/stopped/report.html").is_file()
    assert not list((runs / "sweeps/stopped/launches").iterdir())


def test_what_methods_say_of_their_constants_is_said_once(posemb: Posemb) -> None:
    said = posemb("sweep", *TINY, "--steps", "2", "--position", "t5,rope", "--seed", "0,1", "--name", "cautions")
    assert said.code == 0, said.err
    cautions = [line for line in said.err.splitlines() if "t5: training shows distances up to" in line]
    assert len(cautions) == 1 and cautions[0].startswith("note: ") and cautions[0].endswith(" Said of 2 runs.")
