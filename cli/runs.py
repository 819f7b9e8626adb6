"""posemb runs: the runs that there are, and what each came to."""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from posemb.errors import RunFolderError, UsageError

from . import options
from .console import document, out, say
from .failure import after, quoted

if TYPE_CHECKING:
    from posemb.run.inventory import Summary
    from posemb.sweep.selection import Selection

STATES = ("completed", "running", "interrupted", "failed", "diverged", "crashed")
WARNINGS = 5  # more of them would bury the table


def list_runs(
    words: options.Words = None,
    sort: Annotated[
        str | None, typer.Option(metavar="KEY", help="Order by a column or a key of the config; -KEY: downwards.")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV, with every setting of every run.")] = False,
    json: options.Json = False,
    runs: options.Runs = Path("runs"),
    debug: options.Debug = False,
) -> None:
    """List the runs that there are: state, the settings that differ, accuracy in distribution, horizon L90."""
    from posemb.sweep.selection import select

    from .listing import in_order, rows_of_csv, table

    if csv and json:
        raise UsageError("--csv and --json: choose one.")
    selection = select(words or [], runs)
    shown = _summed_up(selection)
    if sort is not None and shown:
        shown = in_order(shown, sort)
    if json:
        from posemb.run.manifest import SCHEMA

        document({"schema": SCHEMA, "runs": [asdict(one) for one in shown]})
    elif csv:
        out(rows_of_csv(shown))
    elif shown:
        out(table(shown))
        _say_errors(shown)
    _warn(selection.warnings)
    _summary(shown, selection, words or [], runs)


def _summed_up(selection: "Selection") -> "list[Summary]":
    from posemb.run.inventory import summary

    shown = []
    for folder in selection.folders:
        try:
            shown.append(summary(folder))
        except RunFolderError as damage:
            selection.warnings.append(f"Left out: {damage}")
    return shown


def _warn(warnings: Sequence[str]) -> None:
    for line in warnings[:WARNINGS]:
        say(line, "note")
    if len(warnings) > WARNINGS:
        say(f"{len(warnings) - WARNINGS} more of this kind", "note")


def _say_errors(shown: "Sequence[Summary]") -> None:
    from .listing import first_lines

    lines = first_lines(shown)
    if lines:
        out("\n" + "\n".join(lines))


def _summary(shown: "Sequence[Summary]", selection: "Selection", words: Sequence[str], runs: Path) -> None:
    """What was shown, and what to do next."""
    if selection.sweep is not None:
        say(f"Sweep {selection.sweep.name}: {selection.sweep.question or 'no question was written down.'}")
    if not shown:
        say(f"No run to show for {' '.join(map(shlex.quote, words))}." if words else f"No runs in {quoted(runs)} yet.")
        again = " ".join(["posemb runs", *options.elsewhere(runs)])
        say(again if words else "posemb train --position rope --task last", "next")
        return
    often = Counter(one.state for one in shown)
    counted = ", ".join(f"{often[state]} {state}" for state in STATES if often[state])
    say(f"{len(shown)} {'run' if len(shown) == 1 else 'runs'}: {counted}.")
    _next(shown, words, runs)


def _next(shown: "Sequence[Summary]", words: Sequence[str], runs: Path) -> None:
    stopped = next((one for one in shown if one.state in ("interrupted", "crashed")), None)
    if stopped is not None:
        after(stopped.state, Path(stopped.run))
    done = [one for one in shown if one.state == "completed"]
    if len(done) < 2:
        if stopped is None or done:
            say(f"posemb show {quoted((done or shown)[0].run)}", "next")
        return
    (task, _), *others = Counter(one.task for one in done).most_common()
    narrower = [f"task={task}"] if others else []
    say(" ".join(["posemb compare", *map(shlex.quote, words), *narrower, *options.elsewhere(runs)]), "next")
