"""Running a planned sweep: its plan, its progress, and what it came to."""

import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from posemb.errors import Interrupted, PosembError, UsageError
from posemb.report.cells import counted

from .console import document, interactive, out, say
from .failure import quoted
from .jobs import JobLines, call, listed
from .options import elsewhere
from .planned import jobs_gone, plan_lines, plan_table, tally

if TYPE_CHECKING:
    from posemb.sweep.engine import Engine
    from posemb.sweep.folder import Sweep
    from posemb.sweep.notes import Note

FAILED = 4  # the exit code where some jobs did not complete


def run(
    sweep: "Sweep",
    again: int,
    engine: "Engine",
    runs: Path,
    config_dir: Path | None,
    *,
    named: bool,
    dry_run: bool,
    fail_fast: bool,
    json: bool,
) -> None:
    """Show the plan and, unless that is all that was asked for, carry it out.

    Args:
        sweep: the plan.
        again: jobs that were left out, being others over again.
        engine: what runs the jobs.
        runs: the folder of all runs.
        config_dir: a folder of the user's own options.
        named: whether the user chose the name: then no other sweep's plan is replaced.
        dry_run: whether to stop after the plan.
        fail_fast: whether the first job that fails stops all.
        json: whether to print the sweep's document instead of the comparison.

    Raises:
        UsageError: the name is another sweep's.
        typer.Exit: with code 4, where some jobs did not complete.
        PosembError: as `posemb.sweep.course.conduct`.
    """
    from posemb.sweep.course import conduct, standings
    from posemb.sweep.course import document as sweep_document

    gone = jobs_gone(sweep, runs)
    if gone and named:
        raise UsageError(
            f"--name {sweep.name}: there is a sweep of that name, with {counted(gone, 'job')} that this one has not.\n"
            f"Choose another name, or delete {quoted(sweep.folder(runs))} first: the runs are elsewhere, and stay."
        )
    outcomes = standings(sweep.jobs, runs)
    say(plan_lines(sweep, again, gone, engine, runs, outcomes))
    if dry_run:
        if json:
            document(sweep_document(sweep, runs, outcomes))
        else:
            out(plan_table(sweep, runs, outcomes))
        say("Nothing was written. Without --dry-run the sweep begins.", "next")
        return
    watch = _watch(sweep)
    try:
        conduct(sweep, runs, engine, watch, outcomes, config_dir, fail_fast)
    except Interrupted as stop:
        watch.close()
        say(f"{tally(sweep, outcomes)}.")
        if json:
            document(sweep_document(sweep, runs, outcomes))
        raise stop
    finally:
        watch.close()
    _finish(sweep, runs, outcomes, json)


def _watch(sweep: "Sweep") -> JobLines:
    if interactive(sys.stderr):
        from .live import Live

        return Live(sweep)
    return JobLines(sweep)


def _finish(sweep: "Sweep", runs: Path, outcomes: dict[str, "Note"], json: bool) -> None:
    """What came of it: the comparison, the report, and what failed."""
    from posemb.sweep.course import document as sweep_document

    if json:
        document(sweep_document(sweep, runs, outcomes))
    else:
        try:
            _compare(sweep, runs)
        except PosembError as reason:  # no reason to keep the rest back
            say(f"No report: {reason}", "note")
    ended = [(job, outcomes[job.key]) for job in sweep.jobs if job.key in outcomes]
    bad = [(job, note) for job, note in ended if note.state != "completed"]
    say(f"{tally(sweep, outcomes)}. Plan and logs are in {quoted(sweep.folder(runs))}.")
    for line in listed([f"{call(job)}: {note.state}: {note.error}" for job, note in bad if note.error]):
        say(f"  {line}")
    for line in listed(_cautions([note.run for _, note in ended])):
        say(line, "note")
    if bad:
        say("The same command tries those again that did not diverge.", "next")
        raise typer.Exit(FAILED)
    say(" ".join(["posemb compare", shlex.quote(sweep.name), "--by-size", *elsewhere(runs)]), "next")
    say(f"posemb board {quoted(runs)}", "next")


def _cautions(runs: Sequence[str | None]) -> list[str]:
    """What methods said of their constants before training, each sentence once, and of how many runs."""
    from posemb.run.folder import RunFolder

    said: Counter[str | None] = Counter()
    for run in runs:
        if run is not None:
            with suppress(PosembError):
                said[RunFolder.open(run).manifest.get("caution")] += 1
    return [f"{caution} Said of {counted(count, 'run')}." for caution, count in said.items() if caution]


def _compare(sweep: "Sweep", runs: Path) -> None:
    """Print how the groups compare, and write the report into the sweep's folder."""
    from posemb.sweep.selection import select

    from .compare import show_comparison
    from .comparing import Asked, compared
    from .report_file import save_report

    selection = select([str(sweep.folder(runs))], runs)
    try:
        comparison = compared(selection, Asked(), runs)
    except UsageError as reason:  # it varied what cannot be compared as it stands, such as tasks
        say(f"No comparison of all of it: {reason}", "note")
        return
    show_comparison(comparison, by_size=False)
    if comparison.groups:
        path = sweep.folder(runs) / "report.html"
        save_report(path, selection, comparison)
        say(f"The report is {quoted(path)}: open it in a browser.")
