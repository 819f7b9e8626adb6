"""Sweeps on a Slurm cluster: accidents, preemption, time limits, and a login node that is left."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from posemb.cli.app import run

from tests.docs.pages import ROOT, commands, write_files
from tests.sweep.slurm.cluster import TIMEOUT, Cluster
from tests.sweep.slurm.state import Task

# So slow that there is time for what happens to them: every step is logged and validated. That changes no result.
TRAINED = ("--task", "last", "--sizes", "5,30", "--threads", "1", "--device", "cpu", "--steps", "120", "model.width=32")
SLOWLY = ("run.log_every=1", "run.validate_every=1", "run.checkpoint_every=5")
SLURM = ("hydra/launcher=submitit_slurm", "hydra.launcher.partition=gpu", "hydra.launcher.timeout_min=30")
# With a launcher of one's own, from a file.
FOUR = ("--position", "rope,alibi", "--seed", "0,1", "--config-dir", "mine", "hydra/launcher=ours", "--name", "four")
OURS = """
defaults: [submitit_slurm]
partition: gpu
timeout_min: 30
array_parallelism: 2
additional_parameters: {mail-type: END}
"""
KEYS = ("last/rope/s0-", "last/alibi/s0-", "last/rope/s1-", "last/alibi/s1-")  # in the order of the array
LEFT, PREEMPTED, REQUEUED, KILLED = range(4)


def until(what: Callable[[], Any], process: "subprocess.Popen[str] | None" = None) -> Any:
    """Wait for it, as long as it can still come."""
    limit = time.monotonic() + TIMEOUT
    while not (found := what()):
        assert process is None or process.poll() is None, f"the sweep has ended: {process.communicate()}"
        assert time.monotonic() < limit, "in vain"
        time.sleep(0.02)
    return found


def folder(cluster: Cluster, key: str, runs: str = "runs") -> Path:
    (found,) = (cluster.home / runs).glob(f"{key}*")
    return found


def saved(cluster: Cluster, key: str, runs: str = "runs") -> bool:
    """Has the run of this name a checkpoint?"""
    return bool(list((cluster.home / runs).glob(f"{key}*/checkpoint.pt")))


def manifest(path: Path) -> dict[str, Any]:
    return json.loads((path / "manifest.json").read_text())


def kill(task: Task) -> None:
    os.kill(int(task.read("step")), signal.SIGKILL)


class Swept(NamedTuple):
    """What came of the sweep of four, and of typing it again."""

    first: subprocess.CompletedProcess[str]
    states: list[str]
    before: dict[str, Any]
    second: subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def swept(cluster: Cluster) -> Swept:
    """Four jobs: one is left alone, one told of its preemption, one requeued by Slurm itself, one killed outright."""
    own = cluster.home / "mine/hydra/launcher"
    own.mkdir(parents=True)
    (own / "ours.yaml").write_text(OURS)
    words = ("sweep", *TRAINED, *SLOWLY, *FOUR)
    process = cluster.begin(*words)
    accidents: dict[int, Callable[[Task], object]] = {
        PREEMPTED: lambda task: cluster.slurm("scancel", "--signal=USR2", task.name),
        REQUEUED: lambda task: cluster.slurm("scontrol", "requeue", task.name),
        KILLED: kill,
    }
    while accidents:
        number = until(lambda: next((one for one in accidents if saved(cluster, KEYS[one])), None), process)
        accidents.pop(number)(cluster.tasks("1001")[number])
    out, err = process.communicate(timeout=TIMEOUT)
    first = subprocess.CompletedProcess(words, process.returncode, out, err)
    states = [task.state for task in cluster.tasks("1001")]
    before = {key: manifest(folder(cluster, key)) for key in KEYS}
    return Swept(first, states, before, cluster.posemb(*words, "--json"))


def test_the_settings_reach_sbatch(cluster: Cluster, swept: Swept) -> None:
    asked = cluster.options("1001")
    assert (asked["partition"], asked["time"], asked["array"]) == ("gpu", "30", "0-3%2")
    assert (asked["job-name"], asked["mail-type"]) == ("posemb", "END")


def test_a_job_that_is_killed_outright_costs_only_itself(swept: Swept) -> None:
    assert swept.first.returncode == 4, swept.first.stderr
    assert "4 jobs: 3 completed, 1 crashed" in swept.first.stderr
    assert "alibi, seed 1: crashed: Its process was killed outright." in swept.first.stderr
    assert swept.states == ["COMPLETED", "COMPLETED", "COMPLETED", "FAILED"]
    states = [manifest["state"] for manifest in swept.before.values()]
    assert states == ["completed", "completed", "completed", "running"]  # another machine cannot know that it is not


def test_the_same_command_finishes_the_rest_alone(cluster: Cluster, swept: Swept) -> None:
    assert swept.second.returncode == 0, swept.second.stderr
    assert "3 finished already, 1 to go on with" in swept.second.stderr
    assert [job["state"] for job in json.loads(swept.second.stdout)["jobs"]] == ["completed"] * 4
    assert [task.name for task in cluster.tasks()][4:] == ["1002"]
    after = {key: manifest(folder(cluster, key)) for key in KEYS}
    assert [key for key in KEYS if after[key] != swept.before[key]] == [KEYS[KILLED]]
    assert len(after[KEYS[KILLED]]["processes"]) == 2


@pytest.mark.parametrize("number", [PREEMPTED, REQUEUED])
def test_a_preempted_job_goes_on_under_the_same_id_on_another_node(cluster: Cluster, swept: Swept, number: int) -> None:
    task = cluster.tasks("1001")[number]
    assert (task.read("starts"), task.state) == ("xx", "COMPLETED")
    told = swept.before[KEYS[number]]
    assert len(told["processes"]) == 2
    assert told["host"] == task.read("node")
    where = cluster.home / f"runs/sweeps/four/engine/.submitit/{task.name}"
    logs = "".join((where / f"{task.name}_0_log.{end}").read_text() for end in ("out", "err"))
    if number == PREEMPTED:
        assert "this job is preempted" in logs and f"Requeued job {task.name}" in logs
    else:
        assert "Bypassing signal SIGTERM" in logs and "cannot be asked from here: taking over" in logs
    assert cluster.tasks("1001")[LEFT].read("starts") == "x"


@pytest.mark.parametrize("key", KEYS)
def test_whatever_happened_the_result_is_the_one_of_posemb_train(
    cluster: Cluster, swept: Swept, key: str, tmp_path: Path
) -> None:
    _, position, seed = key.split("/")
    assert run(["train", *TRAINED, "--position", position, "--seed", seed[1], "--runs", str(tmp_path)]) == 0
    (alone,) = tmp_path.glob(f"{key}*")
    there = folder(cluster, key)
    assert there.name == alone.name
    for name in ("weights.safetensors", "curve.jsonl"):
        assert (there / name).read_bytes() == (alone / name).read_bytes()


def test_nothing_but_plan_report_and_logs_is_left(cluster: Cluster, swept: Swept) -> None:
    left = sorted(path.name for path in (cluster.home / "runs/sweeps/four").iterdir())
    assert left == ["engine", "launches", "report.html", "sweep.json"]
    assert not list((cluster.home / "runs/sweeps/four/launches").iterdir())
    assert len(list((cluster.home / "runs").glob("last/*/*"))) == 4


@pytest.mark.slow
def test_past_its_time_limit_a_job_comes_back_as_often_as_it_may(cluster: Cluster) -> None:
    words = ("sweep", *TRAINED, "--steps", "300", *SLOWLY, "--position", "nope", "--seed", "range(0,1)", *SLURM)
    words = (*words, "hydra.launcher.timeout_min=5", "hydra.launcher.max_num_timeout=1", "--runs", "limited")
    process = cluster.begin(*words)
    until(lambda: saved(cluster, "last/nope/s0-", "limited"), process)
    (task,) = cluster.tasks()[-1:]
    path = folder(cluster, "last/nope/s0-", "limited")
    # So shortly before a limit of five minutes, submitit takes the signal for that limit and not for a preemption.
    cluster.slurm("scancel", "--signal=USR2", task.name)
    until(lambda: len(manifest(path)["processes"]) == 2 and manifest(path)["state"] == "running", process)
    steps = manifest(path)["steps"]
    until(lambda: manifest(path)["steps"] > steps, process)
    cluster.slurm("scancel", "--signal=USR2", task.name)
    _, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 4
    assert "timed-out too many times" in err and "Traceback" not in err
    assert task.read("starts") == "xx"
    again = cluster.posemb(*words)
    assert again.returncode == 0, again.stderr
    assert len(manifest(path)["processes"]) == 3 and manifest(path)["state"] == "completed"


@pytest.mark.slow
def test_jobs_outlive_the_process_that_launched_them_and_are_not_run_twice(cluster: Cluster) -> None:
    words = ("sweep", *TRAINED, *SLOWLY, "--position", "rope,nope", *SLURM, "hydra.launcher.array_parallelism=1")
    words = (*words, "--runs", "left", "--name", "left")
    process = cluster.begin(*words)
    until(lambda: saved(cluster, "last/rope/s0-", "left"), process)
    process.kill()
    process.communicate()
    running, waiting = cluster.tasks()[-2:]
    assert (running.state, waiting.state) == ("RUNNING", "PENDING")
    again = cluster.posemb(*words)
    assert again.returncode == 0, again.stderr
    assert "2 jobs: 2 completed" in again.stderr
    # Those that were submitted first find their work done, or do it.
    until(lambda: {task.state for task in cluster.tasks()[-4:]} == {"COMPLETED"})
    for key in ("last/rope/s0-", "last/nope/s0-"):
        assert len(manifest(folder(cluster, key, "left"))["processes"]) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["hydra/launcher=nonsense"], "There is no hydra/launcher=nonsense. Launchers: basic, joblib, submitit_local"),
        (["hydra/launcher=submitit_slrum"], "Did you mean submitit_slurm or submitit_local?\n"),
        ([*SLURM, "hydra.launcher.nonsense=1"], "hydra/launcher=submitit_slurm has no nonsense."),
        ([*SLURM, "hydra.launcher.partitoin=1"], "Did you mean partition?"),
        ([*SLURM, "hydra.launcher.timeout_min=soon"], "Value 'soon' of type 'str' could not be converted to Integer"),
        ([*SLURM, "--jobs", "2"], "--jobs 2 is for this machine."),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_written(
    words: list[str], told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["sweep", *TRAINED, "--seed", "0,1", "--runs", str(tmp_path / "runs"), *words]) == 2
    out, err = capfd.readouterr()
    assert out == "" and told in err and len(err.splitlines()) <= 8
    assert not (tmp_path / "runs").exists()


def test_without_slurm_or_its_plugin_the_message_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["sweep", *TRAINED, "--seed", "0,1", "--runs", str(tmp_path / "runs"), *SLURM]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(words) == 2
    assert "there is no sbatch here.\nType this where jobs are submitted to Slurm" in capfd.readouterr().err

    from hydra.core.config_store import ConfigStore

    launchers = ConfigStore.instance().repo["hydra"]["launcher"]
    for name in ("submitit_slurm.yaml", "submitit_local.yaml"):  # as if it were not installed
        monkeypatch.delitem(launchers, name)
    assert run(words) == 2
    assert "Install it first: pip install 'posemb[slurm]'" in capfd.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_the_commands_of_the_page_on_scaling_out(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    page = ROOT / "docs/scaling-out.md"
    write_files(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", cluster.path)
    sweeps = [words[1:] for words in commands(page) if words[:2] == ["posemb", "sweep"]]
    assert sum("hydra/launcher=submitit_slurm" in words for words in sweeps) >= 3
    for words in sweeps:
        assert run([*words, "--dry-run"]) == 0, capfd.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["slurm"]
