"""The plan of a sweep, and how its jobs stand, in words."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .console import columns
from .failure import quoted

if TYPE_CHECKING:
    from posemb.sweep.engine import Engine
    from posemb.sweep.folder import Sweep
    from posemb.sweep.notes import Note


def plan_lines(sweep: "Sweep", again: int, engine: "Engine", runs: Path, outcomes: Mapping[str, "Note"]) -> str:
    """The plan in a few lines."""
    from posemb.sweep.attempt import FINAL
    from posemb.sweep.estimate import estimate

    sizes = " × ".join(f"{len(values)} {key}" for key, values in sweep.axes.items())
    step = f" ({', '.join(sweep.zipped)} in step)" if sweep.zipped else ""
    lines = [f"{sweep.name}: {many(len(sweep.jobs), 'job')} = {sizes}{step}"]
    if again:
        lines.append(f"  left out: {many(again, 'job')} that would repeat another one")
    states = Counter(outcomes[job.key].state if job.key in outcomes else "new" for job in sweep.jobs)
    final = {state: states.pop(state) for state in FINAL if state in states}
    left = [job for job in sweep.jobs if job.key not in outcomes or outcomes[job.key].state not in FINAL]
    standing = [f"{many} {'finished' if state == 'completed' else state} already" for state, many in final.items()]
    standing += [f"{states.pop('new')} to start"] if "new" in states else []
    standing += [f"{sum(states.values())} to go on with"] if states else []
    lines.append(f"  {', '.join(standing)}")
    if gone := jobs_gone(sweep, runs):
        lines.append(
            f"  takes the place of an earlier plan of that name, with {many(gone, 'job')} that this one has not"
        )
    if left:
        where = f"{engine.at_once} at a time" if engine.at_once else f"by the launcher {engine.launcher}"
        if engine.crowded:
            where += f", more than the {many(engine.cores, 'core')} of this machine"
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


def counted(sweep: "Sweep", outcomes: Mapping[str, Any]) -> str:
    """How many jobs ended in which way."""
    states = Counter(outcomes[job.key].state if job.key in outcomes else "stopped" for job in sweep.jobs)
    states["not begun"] = states.pop("stopped", 0)
    counted = ", ".join(f"{many} {state}" for state, many in states.items() if many)
    return f"{many(len(sweep.jobs), 'job')}: {counted}"


def many(number: int, what: str) -> str:
    """`1 job`, `2 jobs`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
