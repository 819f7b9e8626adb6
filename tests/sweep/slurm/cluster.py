"""A Slurm cluster in a folder, as tests see it: its login node, its jobs, and an administrator's commands."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from tests.sweep.slurm.programs import install
from tests.sweep.slurm.state import Task, jobs, options, tasks

TIMEOUT = 240  # seconds; the machine may be busy


class Cluster:
    """Programs, state and a working folder for whoever types on its login node.

    Attributes:
        home: where commands are typed.
        path: its PATH.
    """

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self._state = folder / "state"
        self._state.mkdir()
        self._programs = folder / "bin"
        install(self._programs)
        self.path = f"{self._programs}{os.pathsep}{os.environ['PATH']}"
        kept = {key: value for key, value in os.environ.items() if key != "POSEMB_RUNS"}
        self._environment = kept | {
            "FAKE_SLURM": str(self._state),
            "PATH": self.path,
            "PYTHONPATH": str(Path(__file__).parent / "site"),
        }

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Type `posemb WORDS` on the login node."""
        command = [sys.executable, "-m", "posemb.cli", *words]
        return subprocess.Popen(
            command, cwd=self.home, env=self._environment, stdout=-1, stderr=-1, stdin=subprocess.DEVNULL, text=True
        )

    def posemb(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Type it and wait."""
        process = self.begin(*words)
        out, err = process.communicate(timeout=TIMEOUT)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def slurm(self, *words: str) -> str:
        """Type one of Slurm's programs."""
        return subprocess.check_output(words, env=self._environment, text=True)

    def tasks(self, job: str | None = None) -> list[Task]:
        """All tasks of all jobs, or of one."""
        return [task for one in jobs(self._state) for task in tasks(one) if job in (None, one.name)]

    def options(self, job: str) -> dict[str, str]:
        """What the script of a job asked for."""
        return options(self._state / job)

    def shut_down(self) -> None:
        """Kill whatever still runs."""
        for pid, kill in self._processes():
            with suppress(FileNotFoundError, ProcessLookupError, ValueError):
                kill(int(pid.read_text()), signal.SIGKILL)

    def _processes(self) -> Iterator[tuple[Path, Callable[[int, int], None]]]:
        yield from ((job / "controller", os.kill) for job in jobs(self._state))
        yield from ((task.folder / "script", os.killpg) for task in self.tasks())
