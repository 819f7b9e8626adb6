"""posemb compare: groups of runs beside each other, over seeds."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options
from .comparing import Asked, compared
from .console import coloured, document, out, say, width
from .failure import quoted

if TYPE_CHECKING:
    from posemb.report.comparison import Comparison

GroupBy = Annotated[
    str | None,
    typer.Option("--group-by", metavar="KEY,...", help="Keys that tell groups apart: position,model.width."),
]
Baseline = Annotated[
    str | None, typer.Option(metavar="LABEL", help="The group that the others are tested against; else the first.")
]
Measure = Annotated[str, typer.Option(metavar="NAME", help="What is tested: area, l90, l50 or in_distribution.")]
Allow = Annotated[str | None, typer.Option(metavar="KEY,...", help="Keys that may differ all the same.")]
Unlearned = Annotated[
    bool, typer.Option("--include-unlearned", help="Count runs that did not learn the task in distribution as well.")
]
BySize = Annotated[bool, typer.Option("--by-size", help="Every size as well: median, interval and each seed.")]


def compare(
    words: options.Words = None,
    group_by: GroupBy = None,
    baseline: Baseline = None,
    measure: Measure = "area",
    allow: Allow = None,
    include_unlearned: Unlearned = False,
    by_size: BySize = False,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the curves as FILE.png, .svg or .pdf.")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write the figure, and tables as CSV and Parquet, into DIR; files of these names are replaced.",
        ),
    ] = None,
    json: options.Json = False,
    runs: options.Runs = Path("runs"),
    debug: options.Debug = False,
) -> None:
    """Compare methods over seeds: medians with intervals, success, horizons, and a paired test against a baseline."""
    from posemb.sweep.selection import select

    selection = select(words or [], runs)
    for line in selection.warnings:
        say(line, "note")
    asked = Asked(group_by, baseline, measure, allow, include_unlearned)
    comparison = compared(selection, asked, runs)
    written = _write(comparison, figure, save)  # first: a file may be refused
    if json:
        from posemb.report.export import as_document
        from posemb.run.manifest import SCHEMA

        document({"schema": SCHEMA, **as_document(comparison)})
    else:
        show_comparison(comparison, by_size)
    for line in written:
        say(line)
    _next(comparison, [*map(shlex.quote, words or []), *asked.typed(), *options.elsewhere(runs)], bool(figure or save))


def _write(comparison: "Comparison", figure: Path | None, save: Path | None) -> list[str]:
    """The files that were asked for, and where they are, in sentences."""
    lines: list[str] = []
    if not comparison.groups:
        return ["Nothing was written: no run is completed."] if figure or save else lines
    if figure is not None:
        from posemb.report.comparison_figure import save_comparison_figure

        lines.append(f"The figure is {quoted(save_comparison_figure(comparison, figure))}.")
    if save is not None:
        from posemb.report.export import save_all

        names = [path.name for path in save_all(comparison, save)]
        lines.append(f"In {quoted(save)}: {', '.join(names)}.")
    return lines


def show_comparison(comparison: "Comparison", by_size: bool) -> None:
    """Print the table of groups, their median curves, what they mean and what must be known of them.

    Args:
        comparison: what is shown.
        by_size: with a table of every size.
    """
    from posemb.report.answer import answer
    from posemb.report.characters import fitted
    from posemb.report.medians import median_chart
    from posemb.report.terminal import draw_chart

    from .comparison_page import group_table, head, reading, size_tables, wrapped

    parts = [head(comparison)]
    if comparison.groups:
        wide = min(width(sys.stdout), 110)
        parts += [part for part in (group_table(comparison), reading(comparison)) if part]
        parts += size_tables(comparison) if by_size else []
        chart = median_chart(comparison)
        parts.append(draw_chart(chart, width=wide, colour=coloured(sys.stdout), encoding=sys.stdout.encoding))
        parts.append("\n".join(map(wrapped, answer(comparison))))
    if comparison.notes:
        parts.append("\n".join(wrapped(f"- {note}", "  ") for note in comparison.notes))
    for part in parts[:-1]:
        out(fitted(part, sys.stdout.encoding) + "\n")
    out(fitted(parts[-1], sys.stdout.encoding))


def _next(comparison: "Comparison", same: Sequence[str], written: bool) -> None:
    """What to type next; `same` names the same comparison."""
    if not comparison.groups:
        say("posemb runs", "next")
    elif written:
        say(" ".join(["posemb report", *same]), "next")
    else:
        say(" ".join(["posemb compare", *same, "--figure curves.png"]), "next")
