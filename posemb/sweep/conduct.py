"""The course of a sweep: launch what is left, hear what becomes of it, launch again what an accident held up."""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from posemb.errors import Interrupted, PosembError
from posemb.run.opening import first_line
from posemb.run.signals import Signals
from posemb.sweep.engine import Engine
from posemb.sweep.folder import Job
from posemb.sweep.launch import Launch
from posemb.sweep.notes import Note, Notes
from posemb.sweep.others import busy, finished
from posemb.sweep.turn import taken
from posemb.sweep.watch import SweepWatch, progress
from posemb.sweep.work import Work

LOOK = 1.0  # seconds between two looks at the notes
LONGEST_WAIT = 60.0
TRIES = 3  # of a job that was interrupted by no fault of its own; of an engine that launches nothing


class Conductor:
    """Conducts one launch of a sweep in this process.

    Args:
        work: what the engine is to call.
        engine: what runs the jobs.
        runs: the folder of all runs.
        watch: who is told.

    Attributes:
        outcomes: by `Job.key`, how each job ended.
    """

    def __init__(self, work: Work, engine: Engine, runs: Path, watch: SweepWatch) -> None:
        self._work, self._engine, self._runs, self._watch = work, engine, runs, watch
        self._notes = Notes(work.launch)
        self._running: dict[str, str] = {}
        self._trouble: BaseException | None = None
        self.outcomes: dict[str, Note] = {}

    def conduct(self, jobs: Sequence[Job]) -> None:
        """Bring these jobs to their ends.

        Raises:
            Interrupted: a signal came; what was running has been saved, and the same sweep goes on with it.
            PosembError: the engine launches nothing.
        """
        tried: dict[str, int] = {}
        idle = 0
        with Signals(self._stop, self._watch.leaving) as self._signals:
            left, ready = list(jobs), list(jobs)
            while ready and not self._stopping:
                before = len(self.outcomes)
                self._launch(ready)
                self._judge(ready, tried)
                left, ready = self._left(left)
                idle = idle + 1 if ready and len(self.outcomes) == before else 0
                self._idle(idle)
            if self._signals.caught is not None:
                raise Interrupted(self._signals.caught, "Sweep interrupted. The same command goes on with it.")

    def _idle(self, launches: int) -> None:
        """After so many launches in a row that ended no job: give the engine up, or wait ever longer for the next."""
        if launches == TRIES and self._trouble is not None:
            reason = f"{type(self._trouble).__name__}: {first_line(self._trouble)}"
            raise PosembError(f"The engine {self._engine.launcher} ran no job: {reason}") from self._trouble
        if launches == TRIES:
            self._watch.note("The jobs that are left say that another process has them. Trying again, ever less often.")
        until = time.monotonic() + min(LONGEST_WAIT, LOOK * 2**launches if launches else 0)
        while time.monotonic() < until and not self._stopping:
            time.sleep(LOOK)

    @property
    def _stopping(self) -> bool:
        bad = self._work.fail_fast and any(note.bad for note in self.outcomes.values())
        return self._signals.caught is not None or bad

    def _stop(self) -> None:
        self._notes.stop()
        self._watch.note("Stopping: the running jobs finish their step and save. A second signal leaves at once.")

    def _launch(self, jobs: Sequence[Job]) -> None:
        """One launch, and what is heard of it."""
        for job in jobs:
            self._notes.clear(job)
        self._watch.began(jobs, self._engine.at_once)
        launch = Launch(self._engine, self._work, jobs)
        while launch.is_alive():
            launch.join(LOOK)
            self._look(jobs)
        self._trouble = launch.trouble
        for job, note in zip(jobs, launch.returned, strict=False):  # also where a full disk has swallowed the notes
            self._heard(job, note)

    def _look(self, jobs: Iterable[Job]) -> None:
        there = self._notes.written()
        for job in jobs:
            if job.key in self.outcomes:
                continue
            note = self._notes.read(job, there)
            if note is not None:
                self._heard(job, note)
            if job.key in self._running:
                self._watch.proceeded(job, progress(Path(self._running[job.key])))

    def _heard(self, job: Job, note: Note) -> None:
        if job.key in self.outcomes:
            return
        if note.state == "running" and note.run is not None and self._running.get(job.key) != note.run:
            self._running[job.key] = note.run
            self._watch.started(job, Path(note.run))
        # A job that was interrupted though nobody asked for it lost its worker to another one's accident.
        if note.ended and (note.state not in ("interrupted", "stopped") or self._stopping):
            self._end(job, note)

    def _end(self, job: Job, note: Note) -> None:
        self._running.pop(job.key, None)
        self.outcomes[job.key] = note
        self._watch.ended(job, note)
        if note.bad and self._work.fail_fast:
            self._notes.stop()

    def _judge(self, jobs: Iterable[Job], tried: dict[str, int]) -> None:
        """What became of jobs that said nothing at their end, because an accident took their process."""
        for job in jobs:
            if job.key in self.outcomes:
                continue
            note = self._notes.read(job)
            self._running.pop(job.key, None)
            if note is None or note.state in ("busy", "stopped"):
                continue
            if note.state == "running" and not taken(job, self._runs):
                self._end(job, self._notes.write(job, Note("crashed", note.run, "Its process was killed outright.")))
                continue
            tried[job.key] = tried.get(job.key, 0) + 1
            if tried[job.key] == TRIES:
                self._end(job, note)

    def _left(self, jobs: Sequence[Job]) -> tuple[list[Job], list[Job]]:
        """The jobs that have not ended, and those that can run now. Waits while other processes have them all."""
        told = False
        while True:
            left = [job for job in jobs if not self._settled(job)]
            ready = [job for job in left if not busy(job, self._runs)]
            if ready or not left or self._stopping:
                return left, ready
            if not told:
                told = True
                self._watch.note(f"Waiting for {len(left)} of the jobs, which another process is running.")
            time.sleep(LOOK)

    def _settled(self, job: Job) -> bool:
        note = None if job.key in self.outcomes else finished(job, self._runs)
        if note is not None:
            self._end(job, note)
        return job.key in self.outcomes
