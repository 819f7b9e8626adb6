"""What a launcher calls for each job: the job comes over whole, and its process is looked after."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from posemb.sweep.folder import Job
from posemb.sweep.isolation import isolated
from posemb.sweep.notes import Note, Notes
from posemb.sweep.work import Work, received, sent
from tests.sweep.conftest import environment


def test_a_job_comes_over_whole_whatever_it_says() -> None:
    job = Job("last/rope", "s0-00000000", {"a": "1"}, ["run.checkpoint_every=${train.steps}", "task.file='ü b'"], {})
    assert received(sent(job)) == job
    assert sent(job).strip("=").replace("+", "").replace("/", "").isalnum()


class Played(Work):
    """Work whose jobs do what a test says, in their own processes."""

    def attempt(self, job: Job, sending=None):  # type: ignore[no-untyped-def, override]
        exec(job.config["do"], {"sending": sending, "Note": Note, "os": os, "signal": signal, "time": time})
        return Note("completed")


def played(tmp_path: Path, do: str) -> Note:
    notes = Notes.begin(tmp_path / "sweep")
    work = Played(tmp_path / "sweep", tmp_path, notes.folder, None, isolated=True)
    return isolated(work, Job("last/rope", "s0-00000000", {}, [], {"do": do}))


KILLED = "Its process ended: killed by SIGKILL, out of memory perhaps."
ENDS = {
    "completed": ("sending.send(Note('completed'))", "completed", None),
    "a long word": ("sending.send(Note('failed', None, 'x' * 300_000))", "failed", "x" * 300_000),
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", "crashed", KILLED),
    "left": ("os._exit(3)", "crashed", "Its process ended: exit code 3."),
}


@pytest.mark.parametrize(("do", "state", "error"), ENDS.values(), ids=ENDS)
def test_how_a_process_ends_is_known(tmp_path: Path, do: str, state: str, error: str | None) -> None:
    note = played(tmp_path, do)
    assert (note.state, note.error) == (state, error)


ORPHAN = """
import subprocess, sys, threading, time
from pathlib import Path
from posemb.run.process import began, me
from posemb.sweep.folder import Job
from posemb.sweep.isolation import isolated
from posemb.sweep.notes import Notes
from tests.sweep.test_work import Played

folder, do = Path(sys.argv[1]), sys.argv[2]
sweep = subprocess.Popen(["sleep", "60"])  # is killed outright once the job is at work

def kill():
    while not (folder / "begun").exists():
        time.sleep(0.05)
    sweep.kill()
    sweep.wait()

threading.Thread(target=kill, daemon=True).start()
notes = Notes.begin(folder / "sweep")
who = me() | {"pid": sweep.pid, "process_began": began(sweep.pid)}
work = Played(folder / "sweep", folder, notes.folder, None, isolated=True, sweep=who)
isolated(work, Job("last/rope", "s0-00000000", {}, [], {"do": do}))
time.sleep(60)
"""
SAVES = """
told = []
signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))
open({begun!r}, "w").close()
while not told:
    time.sleep(0.05)
time.sleep(3)  # a slow disk; meanwhile it is not asked again
open({saved!r}, "w").write(str(len(told)))
"""


def test_the_job_of_a_sweep_that_was_killed_is_asked_once_and_saves_and_its_worker_leaves(tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    do = SAVES.format(begun=str(tmp_path / "begun"), saved=str(saved))
    command = [sys.executable, "-c", ORPHAN, str(tmp_path), do]
    assert subprocess.run(command, env=environment(), timeout=55).returncode == 1
    assert saved.read_text() == "1"
