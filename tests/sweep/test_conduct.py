"""The conductor, with engines that behave as launchers do when things go wrong."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from posemb.errors import Interrupted, PosembError
from posemb.sweep import conduct as module
from posemb.sweep.conduct import TRIES, Conductor
from posemb.sweep.folder import Job
from posemb.sweep.notes import Note, Notes
from posemb.sweep.turn import taken, turn
from posemb.sweep.watch import SweepWatch
from posemb.sweep.work import Work
from tests.sweep.example import config, made, swept

Behaviour = Callable[["Engine", Sequence[Job]], list[Note]]


class Engine:
    """An engine that does what a test says, launch by launch; the last saying holds for all later launches."""

    launcher, at_once = "played", 2

    def __init__(self, *behaviours: Behaviour) -> None:
        self.behaviours = list(behaviours)
        self.launched: list[list[str]] = []
        self.notes: Notes | None = None

    def launch(self, work: Work, jobs: Sequence[Job]) -> list[Note]:
        self.notes = Notes(work.launch)
        self.launched.append([job.key for job in jobs])
        behaviour = self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]
        return behaviour(self, jobs)


class Heard(SweepWatch):
    def __init__(self) -> None:
        self.ends: list[tuple[str, str]] = []
        self.notes: list[str] = []

    def ended(self, job: Job, note: Note) -> None:
        self.ends.append((job.key, note.state))

    def note(self, message: str) -> None:
        self.notes.append(message)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK", 0.02)


@pytest.fixture
def jobs(tmp_path: Path) -> list[Job]:
    return swept(tmp_path / "runs", "s", [config(seed=seed) for seed in range(3)]).jobs


def conductor(
    tmp_path: Path, engine: Engine, fail_fast: bool = False, heard: Heard | None = None
) -> tuple[Conductor, Heard]:
    runs = tmp_path / "runs"
    notes = Notes.begin(runs / "sweeps" / "s")
    heard = heard or Heard()
    work = Work(runs / "sweeps" / "s", runs, notes.folder, None, isolated=False, fail_fast=fail_fast)
    return Conductor(work, engine, runs, heard), heard  # type: ignore[arg-type]


def states(found: Conductor, jobs: Sequence[Job]) -> list[str | None]:
    return [found.outcomes[job.key].state if job.key in found.outcomes else None for job in jobs]


def complete(engine: Engine, jobs: Sequence[Job]) -> list[Note]:
    return [Note("completed") for _ in jobs]


def test_what_the_engine_returns_counts_where_no_note_could_be_written(tmp_path: Path, jobs: list[Job]) -> None:
    found, heard = conductor(tmp_path, Engine(lambda engine, some: [Note("failed", error="disk full") for _ in some]))
    found.conduct(jobs)
    assert states(found, jobs) == ["failed"] * 3
    assert [state for _, state in heard.ends] == ["failed"] * 3


def test_a_job_that_was_killed_costs_only_itself(tmp_path: Path, jobs: list[Job]) -> None:
    def worker_dies(engine: Engine, some: Sequence[Job]) -> list[Note]:
        assert engine.notes is not None
        engine.notes.write(some[0], Note("running", "/somewhere"))
        engine.notes.write(some[1], Note("completed"))
        raise RuntimeError("A worker process was terminated")

    engine = Engine(worker_dies, complete)
    found, _ = conductor(tmp_path, engine)
    found.conduct(jobs)
    assert states(found, jobs) == ["crashed", "completed", "completed"]
    assert found.outcomes[jobs[0].key].run == "/somewhere"
    assert engine.launched == [[job.key for job in jobs], [jobs[2].key]], "only what never ran is launched again"


def test_a_job_that_lost_its_worker_to_anothers_accident_is_launched_again(tmp_path: Path, jobs: list[Job]) -> None:
    def interrupts(engine: Engine, some: Sequence[Job]) -> list[Note]:
        assert engine.notes is not None
        engine.notes.write(some[0], Note("interrupted", "/somewhere"))
        raise RuntimeError("A worker process was terminated")

    engine = Engine(interrupts, complete)
    found, _ = conductor(tmp_path, engine)
    found.conduct(jobs)
    assert states(found, jobs) == ["completed"] * 3

    engine = Engine(interrupts)
    found, _ = conductor(tmp_path, engine)
    found.conduct(jobs)
    assert states(found, jobs) == ["interrupted"] * 3, "but not for ever"
    assert len(engine.launched) == TRIES * 3


def test_an_engine_that_launches_nothing_is_given_up(tmp_path: Path, jobs: list[Job]) -> None:
    def refuses(engine: Engine, some: Sequence[Job]) -> list[Note]:
        raise FileNotFoundError("sbatch")

    engine = Engine(refuses)
    found, _ = conductor(tmp_path, engine)
    with pytest.raises(PosembError, match="The engine played ran no job: FileNotFoundError: sbatch"):
        found.conduct(jobs)
    assert len(engine.launched) == TRIES


def test_fail_fast_ends_with_the_first_that_failed(tmp_path: Path, jobs: list[Job]) -> None:
    def one_by_one(engine: Engine, some: Sequence[Job]) -> list[Note]:
        return [Note("failed", error="no"), Note("stopped"), Note("stopped")]

    found, _ = conductor(tmp_path, Engine(one_by_one), fail_fast=True)
    found.conduct(jobs)
    assert states(found, jobs) == ["failed", "stopped", "stopped"]


def test_fail_fast_stops_what_an_engine_that_gave_up_has_left_running(tmp_path: Path, jobs: list[Job]) -> None:
    def gives_up(engine: Engine, some: Sequence[Job]) -> list[Note]:
        assert engine.notes is not None
        engine.notes.write(some[0], Note("running", "/somewhere"))
        raise RuntimeError("job 0 was killed")

    engine = Engine(gives_up)
    found, _ = conductor(tmp_path, engine, fail_fast=True)
    found.conduct(jobs)
    assert states(found, jobs) == ["crashed", None, None]
    assert engine.notes is not None and engine.notes.stopped, "jobs that wait on a cluster read this when they begin"


def test_jobs_that_say_busy_though_nobody_has_them_are_tried_ever_less_often(
    tmp_path: Path, jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(module.time, "sleep", waits.append)
    monkeypatch.setattr(module.time, "monotonic", lambda: sum(waits))
    said = [lambda engine, some: [Note("busy") for _ in some]] * 6
    engine = Engine(*said, complete)
    found, heard = conductor(tmp_path, engine)
    found.conduct(jobs)
    assert states(found, jobs) == ["completed"] * 3
    assert len(engine.launched) == 7
    assert sum(waits) == pytest.approx(module.LOOK * sum(2**number for number in range(1, 7)), abs=6 * module.LOOK)
    assert sum("another process has them" in note for note in heard.notes) == 1


def test_what_an_earlier_launch_said_does_not_count(tmp_path: Path, jobs: list[Job]) -> None:
    def interrupts(engine: Engine, some: Sequence[Job]) -> list[Note]:
        assert engine.notes is not None
        for job in some:
            engine.notes.write(job, Note("interrupted", "/somewhere"))
        raise RuntimeError("gone")

    def silent(engine: Engine, some: Sequence[Job]) -> list[Note]:
        assert engine.notes is not None and [engine.notes.read(job) for job in some] == [None] * 3
        return complete(engine, some)

    found, _ = conductor(tmp_path, Engine(interrupts, silent))
    found.conduct(jobs)
    assert states(found, jobs) == ["completed"] * 3


def test_a_signal_stops_what_runs_and_is_told_on(tmp_path: Path, jobs: list[Job]) -> None:
    def until_asked(engine: Engine, some: Sequence[Job]) -> list[Note]:
        assert engine.notes is not None
        engine.notes.write(some[0], Note("completed"))
        os.kill(os.getpid(), signal.SIGTERM)
        while not engine.notes.stopped:
            time.sleep(0.01)
        return [Note("completed"), Note("interrupted", "/somewhere"), Note("stopped")]

    found, heard = conductor(tmp_path, Engine(until_asked))
    with pytest.raises(Interrupted) as stop:
        found.conduct(jobs)
    assert stop.value.exit_code == 143
    assert states(found, jobs) == ["completed", "interrupted", "stopped"]
    assert any("A second signal leaves at once" in note for note in heard.notes)


HOLDS = """
import sys, time
from pathlib import Path
from posemb.sweep.folder import Job
from posemb.sweep.turn import turn
with turn(Job("", sys.argv[2], {}, [], {}), Path(sys.argv[1])) as mine:
    print(mine, flush=True)
    sys.stdin.read()
"""


def held(runs: Path, job: Job) -> "subprocess.Popen[str]":
    """Another process that has a job's turn until its stdin is closed."""
    command = [sys.executable, "-c", HOLDS, str(runs), job.name]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "True\n"
    return process


def test_a_turn_is_one_processs_until_it_ends(tmp_path: Path, jobs: list[Job]) -> None:
    process = held(tmp_path, jobs[0])
    assert taken(jobs[0], tmp_path) and not taken(jobs[1], tmp_path)
    with turn(jobs[0], tmp_path) as mine:
        assert not mine
    process.kill()
    process.wait()
    assert not taken(jobs[0], tmp_path)


def test_a_job_of_another_process_is_waited_for_and_not_run_twice(tmp_path: Path, jobs: list[Job]) -> None:
    runs = tmp_path / "runs"
    process = held(runs, jobs[0])

    def busy(engine: Engine, some: Sequence[Job]) -> list[Note]:
        return [Note("busy" if taken(job, runs) else "completed") for job in some]

    class Ends(Heard):
        def note(self, message: str) -> None:
            super().note(message)
            made(runs, seed=0)  # what the other process was at
            process.communicate("")

    engine = Engine(busy)
    found, heard = conductor(tmp_path, engine, heard=Ends())
    found.conduct(jobs)
    assert heard.notes == ["Waiting for 1 of the jobs, which another process is running."]
    assert states(found, jobs) == ["completed"] * 3
    assert engine.launched == [[job.key for job in jobs]]
