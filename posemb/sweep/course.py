"""The course of a sweep, from its plan to how each job ended."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from posemb.run.disk import refuse_file
from posemb.run.manifest import SCHEMA
from posemb.run.result import document as run_document
from posemb.sweep.attempt import FINAL, standing
from posemb.sweep.conduct import Conductor
from posemb.sweep.engine import Engine
from posemb.sweep.folder import Job, Sweep
from posemb.sweep.notes import Note, Notes
from posemb.sweep.watch import SweepWatch
from posemb.sweep.work import Work


def standings(jobs: Sequence[Job], runs: Path) -> dict[str, Note]:
    """How the jobs stand that have a run already, by `Job.key`."""
    found = {job.key: job.folders(runs) for job in jobs}
    return {key: standing(folders[0]) for key, folders in found.items() if folders}


def unfinished(jobs: Sequence[Job], outcomes: Mapping[str, Note]) -> list[Job]:
    """The jobs that are to run: those that have no run, or one that can go on."""
    return [job for job in jobs if job.key not in outcomes or outcomes[job.key].state not in FINAL]


def conduct(
    sweep: Sweep,
    runs: Path,
    engine: Engine,
    watch: SweepWatch,
    outcomes: dict[str, Note],
    config_dir: Path | None = None,
    fail_fast: bool = False,
) -> None:
    """Run what is left of a sweep.

    Args:
        sweep: the plan; it is saved first.
        runs: the folder of all runs.
        engine: what runs the jobs.
        watch: who is told.
        outcomes: how jobs stand before, by `Job.key`; those that end are added.
        config_dir: a folder of the user's own options.
        fail_fast: whether the first job that fails stops all.

    Raises:
        UsageError: `runs` is a file.
        RunFolderError: the plan could not be written.
        Interrupted: a signal came; what was running has been saved.
        PosembError: the engine launches nothing.
    """
    refuse_file(runs)
    left = unfinished(sweep.jobs, outcomes)
    folder = sweep.save(runs)
    if not left:
        return
    notes = Notes.begin(folder)
    own = config_dir and config_dir.absolute()
    work = Work(folder, runs, notes.folder, own, isolated=not engine.isolates, fail_fast=fail_fast)
    conductor = Conductor(work, engine, runs, watch)
    try:
        conductor.conduct(left)
    finally:
        outcomes.update(conductor.outcomes)
        if engine.local or not notes.stopped:  # jobs on a cluster may still have to read that they are to stop
            notes.end()


def document(sweep: Sweep, runs: Path, outcomes: dict[str, Note]) -> dict[str, Any]:
    """What a sweep came to, as one JSON document."""
    return {
        "schema": SCHEMA,
        "sweep": sweep.name,
        "folder": str(sweep.folder(runs)),
        "question": sweep.question,
        "axes": sweep.axes,
        "jobs": [_told(job, runs, outcomes.get(job.key)) for job in sweep.jobs],
    }


def _told(job: Job, runs: Path, note: Note | None) -> dict[str, Any]:
    facts = {"run": note and note.run, "state": note.state if note else "waiting", "error": note and note.error}
    folders = job.folders(runs) if facts["state"] == "completed" else []
    came_to = run_document(folders[0]) if folders else {"in_distribution": None, "l90": None}
    return {
        "values": job.values,
        "overrides": job.overrides,
        **facts,
        "in_distribution": came_to["in_distribution"],
        "l90": came_to["l90"],
    }
