"""A run as it proceeds, on a terminal: a bar with loss, accuracy, speed and time left."""

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .console import coloured
from .follower import Follower

LEAST, MOST = 4, 40  # columns of the bar itself
SAMPLE = {"loss": 1, "accuracy": 1, "tokens_per_second": 1}  # figures of the usual width


class Bar(Follower):
    """A bar with loss, accuracy, speed and time left. It is drawn when a row comes, at most ten times a second."""

    def __init__(self, json: bool) -> None:
        super().__init__(json)
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.table import Column

        console = Console(stderr=True, no_color=not coloured(sys.stderr), highlight=False)
        self.track = BarColumn(LEAST)
        self.progress = Progress(
            TextColumn("{task.description}"),
            self.track,
            MofNCompleteColumn(table_column=Column(no_wrap=True)),
            TextColumn("{task.fields[figures]}"),
            TimeRemainingColumn(compact=True, table_column=Column(no_wrap=True)),
            TextColumn("left"),
            console=console,
            auto_refresh=False,  # no thread of its own: it would take turns with the training
            transient=True,
        )
        self.bar: Any = None
        self.tuning: Any = None
        self.drawn = 0.0
        self.room = 0  # columns for the figures

    def started(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Open the bar."""
        super().started(folder, facts)
        self._open("training", facts["steps"], facts["done"])

    def note(self, message: str) -> None:
        """One line above the bar."""
        # A terminal that went away, or a signal's note in the middle of a frame, is no reason to stop a run.
        with suppress(OSError, RuntimeError):
            self.progress.console.print(message, markup=False, soft_wrap=True)

    def stepped(self, row: Mapping[str, Any]) -> None:
        """Move the bar."""
        self._draw(self.bar, completed=row["step"], figures=short_figures(row, self.room))

    def evaluating(self, total: int) -> None:
        """Begin the bar anew, for the rows of the curve."""
        self._open("evaluating", total)

    def evaluated(self, row: Mapping[str, Any]) -> None:
        """Move the bar."""
        self._end_tuning()  # it may have diverged before its last step
        self._draw(self.bar, advance=1, figures=f"size {row['size']}")

    def tuned(self, label: str, step: int, steps: int) -> None:
        """A second bar below that of the rows, for as long as a form is tuned."""
        if step == 1:
            self._end_tuning()
            with suppress(OSError):
                words = label if len(label) <= self.room else ""
                self.tuning = self.progress.add_task("tuning", total=steps, figures=words)
        if self.tuning is not None:
            self._draw(self.tuning, completed=step)
        if step == steps:
            self._end_tuning()

    def close(self) -> None:
        """Take the bar away, so that what follows starts on a clean line."""
        with suppress(OSError):
            self.progress.stop()

    def leaving(self) -> None:
        """Take the bar away and bring the cursor back. Past Rich, which a signal may have stopped halfway."""
        if self.progress.live.is_started:
            with suppress(OSError, ValueError):
                os.write(sys.stderr.fileno(), b"\r\x1b[K\x1b[?25h")  # start of the line, erase it, show the cursor

    def _open(self, description: str, total: int, done: int = 0) -> None:
        if self.bar is not None:
            self.progress.remove_task(self.bar)
            self.bar = None
        with suppress(OSError):  # the terminal may have gone: then there is no bar, and the run goes on
            rest = self.progress.console.width - len(f"{description}  {total}/{total}   1:00:00 left")
            self.room = rest - LEAST
            self.track.bar_width = max(LEAST, min(MOST, rest - len(short_figures(SAMPLE, self.room))))
            self.bar = self.progress.add_task(description, total=total, completed=done, figures="")
            self.progress.start()

    def _end_tuning(self) -> None:
        if self.tuning is not None:
            self.progress.remove_task(self.tuning)
            self.tuning = None

    def _draw(self, task: Any, **changes: Any) -> None:
        if task is None:
            return
        self.progress.update(task, **changes)
        if time.monotonic() - self.drawn >= 0.1:
            self.drawn = time.monotonic()
            with suppress(OSError):
                self.progress.refresh()


def short_figures(row: Mapping[str, Any], room: int) -> str:
    """A row of metrics in as many of its words as fit, always of the same width, so that nothing jumps."""
    speed = float(row["tokens_per_second"])
    pace = f"{speed:.0f}" if speed < 1000 else f"{speed / 1000:.3g}k" if speed < 999_500 else f"{speed / 1e6:.3g}M"
    words = [f"loss {row['loss']:.3f}", f"accuracy {row['accuracy']:.3f}", f"{pace:>5} tokens/s"]
    while words and len("  ".join(words)) > room:
        words.pop()
    return "  ".join(words)
