"""A run as it proceeds, on a terminal: a bar with loss, accuracy, speed and time left."""

import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .console import coloured
from .follower import Follower, figures


class Bar(Follower):
    """A bar with loss, accuracy, speed and time left. It is drawn when a row comes, at most ten times a second."""

    def __init__(self, json: bool) -> None:
        super().__init__(json)
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True, no_color=not coloured(sys.stderr), highlight=False)
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=max(6, min(40, console.width - 72))),
            MofNCompleteColumn(),
            TextColumn("{task.fields[figures]}"),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=console,
            auto_refresh=False,  # no thread of its own: it would take turns with the training
            transient=True,
        )
        self.bar: Any = None
        self.drawn = 0.0

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
        self._draw(completed=row["step"], figures=figures(row))

    def evaluating(self, total: int) -> None:
        """Begin the bar anew, for the sizes."""
        self._open("evaluating", total)

    def evaluated(self, row: Mapping[str, Any]) -> None:
        """Move the bar."""
        self._draw(advance=1, figures=f"size {row['size']}")

    def close(self) -> None:
        """Take the bar away, so that what follows starts on a clean line."""
        with suppress(OSError):
            self.progress.stop()

    def _open(self, description: str, total: int, done: int = 0) -> None:
        if self.bar is not None:
            self.progress.remove_task(self.bar)
        with suppress(OSError):
            self.bar = self.progress.add_task(description, total=total, completed=done, figures="")
            self.progress.start()

    def _draw(self, **changes: Any) -> None:
        self.progress.update(self.bar, **changes)
        if time.monotonic() - self.drawn >= 0.1:
            self.drawn = time.monotonic()
            with suppress(OSError):
                self.progress.refresh()
