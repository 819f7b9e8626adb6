"""Tokens as a model says them: on a terminal a bar, once it has been at it for longer than a moment."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from .console import coloured, interactive

MOMENT, FRAME = 0.5, 0.1  # seconds before the first frame, and between two


@contextmanager
def saying() -> Iterator[Callable[[int, int], None] | None]:
    """Something to tell how many tokens were said, and of how many; None where no frames may be drawn."""
    if not interactive(sys.stderr):
        yield None
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()


class _Bar:
    def __init__(self) -> None:
        self.due = time.monotonic() + MOMENT
        self.progress: Any = None
        self.task: Any = None

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() < self.due:
            return
        with suppress(OSError):  # the terminal may have gone: the answer comes all the same
            if self.progress is None:
                self._open(total)
            self.progress.update(self.task, completed=done, total=total)  # the next prompt may have another
            self.progress.refresh()
        self.due = time.monotonic() + FRAME

    def _open(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.table import Column

        self.progress = Progress(
            TextColumn("answering"),
            BarColumn(None),
            MofNCompleteColumn(table_column=Column(no_wrap=True)),
            TextColumn("tokens", table_column=Column(no_wrap=True)),
            console=Console(stderr=True, no_color=not coloured(sys.stderr), highlight=False),
            auto_refresh=False,
            transient=True,
        )
        self.task = self.progress.add_task("", total=total)
        self.progress.start()

    def close(self) -> None:
        """Take it away, so that what follows starts on a clean line."""
        with suppress(OSError):
            if self.progress is not None:
                self.progress.stop()
