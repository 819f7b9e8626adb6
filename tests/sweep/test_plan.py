from pathlib import Path

import pytest
import torch

from posemb.errors import UsageError
from posemb.run.compose import groups, options
from posemb.run.flat import flat
from posemb.sweep.axes import Token, read_axes
from posemb.sweep.estimate import estimate
from posemb.sweep.folder import Job, read_sweep
from posemb.sweep.plan import plan_jobs
from tests.sweep.example import config, made, swept

CHOICES = {group: options(group) for group in groups()}


def plan(*tokens: str, threads: int | None = 1) -> tuple[list[Job], int]:
    return plan_jobs(read_axes([Token(token, token) for token in tokens], (), CHOICES), threads=threads)


def test_every_job_is_composed_named_and_given_its_threads() -> None:
    jobs, again = plan("task=last", "position=ape,rope", "seed=0,1", "model.width=32")
    assert again == 0
    assert [(job.label, job.name[:3], job.values) for job in jobs] == [
        (f"last/{position}", f"s{seed}-", {"position": position, "seed": str(seed)})
        for seed in (0, 1)
        for position in ("ape", "rope")
    ]
    assert jobs[0].overrides == ["task=last", "model.width=32", "position=ape", "seed=0"]
    assert all(job.config["run"]["threads"] == 1 and job.config["model"]["width"] == 32 for job in jobs)


def test_threads_that_were_asked_for_stay_and_a_cluster_decides_for_itself() -> None:
    (first, *_), _ = plan("seed=0,1", "run.threads=2")
    assert first.config["run"]["threads"] == 2
    (first, *_), _ = plan("seed=0,1", threads=None)
    assert first.config["run"]["threads"] is None


def test_what_would_run_twice_is_left_out() -> None:
    jobs, again = plan("train.lr=1e-3,0.001,2e-3", "seed=1,1")
    assert ([job.values["train.lr"] for job in jobs], again) == (["0.001", "0.002"], 4)


def test_a_text_is_planned_by_its_content_and_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one.txt", "same.txt"):
        (tmp_path / name).write_text("the dog bites the man. " * 200)
    monkeypatch.chdir(tmp_path)
    jobs, again = plan("task=text", "train.size=8", "task.file=one.txt,same.txt")
    assert (len(jobs), again) == (1, 1)
    assert jobs[0].config["task"]["file"] == str(tmp_path / "one.txt")


def test_each_different_mistake_is_told_once() -> None:
    with pytest.raises(UsageError) as refusal:
        plan("position=ape,rope,rop", "seed=0,1", "train.lr=0.001,x")
    lines = str(refusal.value).splitlines()
    assert lines[0] == "train.lr=x: must be a number."
    assert "  (in 4 of 12 jobs)" in lines
    assert any("position has no option 'rop'" in line for line in lines)
    assert len(lines) <= 8


def test_parts_that_do_not_fit_each_other_are_found_before_anything_runs() -> None:
    with pytest.raises(UsageError, match="rows"):
        plan("task=last", "position=ape", "position.rows=3,500")


@pytest.mark.skipif(torch.cuda.is_available(), reason="has what is to be missing")
def test_a_device_that_is_not_here_is_no_mistake_where_the_jobs_run_elsewhere() -> None:
    with pytest.raises(UsageError, match="device cuda is not available here"):
        plan("seed=0,1", "run.device=cuda")
    axes = read_axes([Token(token, token) for token in ("seed=0,1", "run.device=cuda")], (), CHOICES)
    assert len(plan_jobs(axes, here=False)[0]) == 2


def test_a_sweep_comes_back_as_it_was_written(tmp_path: Path) -> None:
    sweep = swept(tmp_path, "mine", [config(seed=seed) for seed in (0, 1)], "Is it?")
    assert read_sweep(sweep.folder(tmp_path)) == sweep


def test_the_estimate_takes_the_method_then_the_task(tmp_path: Path) -> None:
    jobs = [Job("last/rope", "s0-00000000", {}, [], {"train": {"steps": 200}})]
    assert estimate(jobs, tmp_path, 2) is None
    timings = {"training": 20.0, "evaluation": 4.0}
    ape = made(tmp_path, timings=timings, task="last", position="ape")
    ape.update(steps=100)
    assert estimate(jobs, tmp_path, 2) == pytest.approx(44.0), "one job takes its whole time, however many at once"
    assert estimate(jobs * 4, tmp_path, 2) == pytest.approx(88.0)
    rope = made(tmp_path, timings={"training": 10.0, "evaluation": 1.0}, task="last", position="rope")
    rope.update(steps=100)
    assert estimate(jobs, tmp_path, 2) == pytest.approx(21.0), "that method's own runs know better"


def test_a_flat_config_has_the_keys_that_are_typed() -> None:
    one = flat(config(seed=3))
    assert (one["position"], one["position.base"], one["model.width"], one["seed.init"]) == ("rope", 10000.0, 64, 3)
    assert not [key for key in one if key.startswith("run") or "_target_" in key]
