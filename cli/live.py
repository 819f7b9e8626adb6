"""A sweep on a terminal: a bar for every running job, and one for all of them."""

import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posemb.report.cells import counted

from .console import coloured
from .jobs import JobLines, call

if TYPE_CHECKING:
    from posemb.sweep.folder import Job, Sweep
    from posemb.sweep.notes import Note
    from posemb.sweep.watch import Progress

MOST = 16  # bars of running jobs; a cluster may run hundreds
KNOWN = 0.05  # share that must be done before the time left is guessed


class Live(JobLines):
    """Bars that are drawn about once a second, below the lines about jobs that have ended."""

    def __init__(self, sweep: "Sweep") -> None:
        super().__init__(sweep)
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.table import Column

        console = Console(stderr=True, no_color=not coloured(sys.stderr), highlight=False)
        self.width = max(4, min(30, console.width // 4))
        self.display = Progress(
            TextColumn("{task.description}", table_column=Column(no_wrap=True)),
            BarColumn(self.width),
            TextColumn("{task.fields[figures]}", table_column=Column(no_wrap=True)),
            console=console,
            auto_refresh=False,  # drawn from the thread that hears the jobs
            transient=True,
        )
        self.bars: dict[str, Any] = {}
        self.shares: dict[str, float] = {}
        self.ending: dict[str, int] = {}
        self.since = time.monotonic()
        self.planned = 0
        self.all: Any = None

    def began(self, jobs: Sequence["Job"], at_once: int | None) -> None:
        """Open the bar of all jobs; after an accident take away those of the jobs that are launched again."""
        super().began(jobs, at_once)
        for bar in self.bars.values():
            self.display.remove_task(bar)
        self.bars.clear()
        if self.all is None:
            self.planned = len(jobs)
            with suppress(OSError):
                self.all = self.display.add_task("all jobs", total=self.planned, figures="starting ...")
                self.display.start()

    def started(self, job: "Job", run: Path) -> None:
        """A bar of its own, while there is room."""
        if len(self.bars) < MOST:
            steps = job.config["train"]["steps"]
            self.bars[job.key] = self.display.add_task(f"  {call(job)}", total=steps, figures="")
        self.shares[job.key] = 0.0

    def proceeded(self, job: "Job", progress: "Progress") -> None:
        """Move a job's bar, and that of all jobs."""
        steps = job.config["train"]["steps"]
        self.shares[job.key] = 0.9 * min(1.0, progress.steps / steps)  # the rest is evaluation, more or less
        if job.key in self.bars:
            row = progress.last
            words = f"loss {row['loss']:.3f}  accuracy {row['accuracy']:.3f}" if row.get("loss") is not None else ""
            told = (
                f"evaluated {counted(progress.rows, 'size')}" if progress.rows else f"{progress.steps}/{steps}  {words}"
            )
            room = max(0, self.display.console.width - self.width - len(call(job)) - 5)
            self.display.update(self.bars[job.key], completed=progress.steps, figures=told[:room])
        self._draw()

    def ended(self, job: "Job", note: "Note") -> None:
        """Take a job's bar away; its line goes above the others."""
        if job.key in self.bars:
            self.display.remove_task(self.bars.pop(job.key))
        self.shares[job.key] = 1.0
        self.ending[note.state] = self.ending.get(note.state, 0) + 1
        super().ended(job, note)
        self._draw()

    def note(self, message: str) -> None:
        """One line above the bars."""
        with suppress(OSError, RuntimeError):
            self.display.console.print(message, markup=False, soft_wrap=True)

    def close(self) -> None:
        """Take the bars away, so that what follows starts on a clean line."""
        with suppress(OSError):
            self.display.stop()

    def leaving(self) -> None:
        """Take the bars away and bring the cursor back, past Rich, which a signal may have stopped halfway."""
        if self.display.live.is_started:
            with suppress(OSError, ValueError):
                os.write(sys.stderr.fileno(), b"\r\x1b[J\x1b[?25h")  # start of the line, erase what is below, cursor

    def _draw(self) -> None:
        if self.all is None:
            return
        share = sum(self.shares.values()) / max(1, self.planned)
        running = sum(1 for done in self.shares.values() if done < 1)
        words = [f"{many} {state}" for state, many in self.ending.items() if state != "stopped"]
        words += [f"{running} running"] if running else []
        waiting = self.planned - len(self.shares)
        words += [f"{waiting} waiting"] if waiting else []
        if KNOWN < share < 1:
            left = (time.monotonic() - self.since) * (1 - share) / share
            words.append(f"about {int(left // 60)}:{int(left % 60):02d} left")
        self.display.update(self.all, completed=share * self.planned, figures=", ".join(words))
        with suppress(OSError):
            self.display.refresh()
