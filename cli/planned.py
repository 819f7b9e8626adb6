"""The plan of a sweep, and how its jobs stand, in words."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posemb.report.cells import counted

from .console import columns
from .failure import quoted

if TYPE_CHECKING:
    from posemb.sweep.engine import Engine
    from posemb.sweep.folder import Sweep
    from posemb.sweep.notes import Note


def plan_lines(
    sweep: "Sweep", again: int, gone: int, engine: "Engine", runs: Path, outcomes: Mapping[str, "Note"]
) -> str:
    """The plan in a few lines.

    Args:
        sweep: the plan.
        again: jobs that were left out, being others over again.
        gone: what `jobs_gone` says.
        engine: what will run the jobs.
        runs: the folder of all runs.
        outcomes: how jobs stand, by `Job.key`.
    """
    from posemb.sweep.attempt import FINAL
    from posemb.sweep.course import unfinished
    from posemb.sweep.estimate import estimate

    sizes = " × ".join(f"{len(values)} {key}" for key, values in sweep.axes.items())
    step = f" ({', '.join(sweep.zipped)} in step)" if sweep.zipped else ""
    lines = [f"{sweep.name}: {counted(len(sweep.jobs), 'job')} = {sizes}{step}"]
    if again:
        lines.append(f"  left out: {counted(again, 'job')} that would repeat another one")
    states = Counter(outcomes[job.key].state if job.key in outcomes else "new" for job in sweep.jobs)
    final = {state: states.pop(state) for state in FINAL if state in states}
    left = unfinished(sweep.jobs, outcomes)
    standing = [f"{often} {'finished' if state == 'completed' else state} already" for state, often in final.items()]
    standing += [f"{states.pop('new')} to start"] if "new" in states else []
    standing += [f"{sum(states.values())} to go on with"] if states else []
    lines.append(f"  {', '.join(standing)}")
    if gone:
        lines.append(
            f"  takes the place of an earlier plan of that name, with {counted(gone, 'job')} that this one has not"
        )
    if left:
        where = f"{engine.at_once} at a time" if engine.at_once else f"by the launcher {engine.launcher}"
        if engine.crowded:
            where += f", more than the {counted(engine.cores, 'core')} of this machine"
        seconds = estimate(left, runs, engine.at_once or 1)
        time = "time unknown: no run of this task has ended here yet"
        if seconds is not None:  # how many at a time a cluster runs is its own affair
            time = f"about {_time(seconds)}{'' if engine.at_once else ' of computing'}"
        lines.append(f"  {where}, {time}")
    return "\n".join(lines)


def jobs_gone(sweep: "Sweep", runs: Path) -> int:
    """How many jobs an earlier plan of the same name had that this one has not."""
    from posemb.errors import PosembError
    from posemb.sweep.folder import read_sweep

    try:
        before = read_sweep(sweep.folder(runs))
    except PosembError:
        return 0
    return len({job.key for job in before.jobs} - {job.key for job in sweep.jobs})


def plan_table(sweep: "Sweep", runs: Path, outcomes: Mapping[str, "Note"]) -> str:
    """The plan job by job."""
    from posemb.sweep.attempt import FINAL

    def standing(key: str) -> str:
        note = outcomes.get(key)
        if note is None:
            return "new"
        return note.state if note.state in FINAL else f"{note.state}, goes on"

    head = (*sweep.axes, "state", "folder")
    rows = [(*job.values.values(), standing(job.key), quoted(runs / job.key)) for job in sweep.jobs]
    return columns([head, *rows])


def tally(sweep: "Sweep", outcomes: Mapping[str, Any]) -> str:
    """How many jobs ended in which way."""
    states = Counter(outcomes[job.key].state if job.key in outcomes else "stopped" for job in sweep.jobs)
    states["not begun"] = states.pop("stopped", 0)
    ended = ", ".join(f"{often} {state}" for state, often in states.items() if often)
    return f"{counted(len(sweep.jobs), 'job')}: {ended}"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
