"""What other processes do with a job: a second sweep, an orphan of one that was killed, somebody who trains by hand."""

from pathlib import Path

from posemb.run.process import here
from posemb.sweep.attempt import FINAL, standing
from posemb.sweep.folder import Job
from posemb.sweep.notes import Note
from posemb.sweep.turn import taken


def finished(job: Job, runs: Path) -> Note | None:
    """How a job came out that needs no more work, whoever ran it; else None."""
    folders = job.folders(runs)
    return standing(folders[0]) if folders and folders[0].state in FINAL else None


def busy(job: Job, runs: Path) -> bool:
    """Whether another process has the job at this moment."""
    folders = job.folders(runs)
    by_hand = bool(folders) and folders[0].state == "running" and here(folders[0].manifest)
    return by_hand or taken(job, runs)
