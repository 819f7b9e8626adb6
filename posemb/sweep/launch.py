"""One launch of an engine, in a thread of its own: another one listens for signals and looks after the jobs."""

from collections.abc import Sequence
from threading import Thread
from typing import TYPE_CHECKING

from posemb.sweep.folder import Job
from posemb.sweep.notes import Note
from posemb.sweep.work import Work

if TYPE_CHECKING:
    from posemb.sweep.engine import Engine


class Launch(Thread):
    """Begins at once.

    Attributes:
        returned: what the engine returned for each job; empty where it raised.
        trouble: what it raised, or None.
    """

    def __init__(self, engine: "Engine", work: Work, jobs: Sequence[Job]) -> None:
        super().__init__(daemon=True)
        self._engine, self._work, self._jobs = engine, work, jobs
        self.returned: list[Note] = []
        self.trouble: BaseException | None = None
        self.start()

    def run(self) -> None:
        """Launch."""
        try:
            self.returned = self._engine.launch(self._work, self._jobs)
        except BaseException as trouble:  # a worker hands on the Ctrl-C that it got as well
            self.trouble = trouble
