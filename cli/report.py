"""posemb report: a comparison as one HTML file."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from posemb.errors import UsageError

from . import options
from .compare import Allow, Baseline, GroupBy, Measure, Unlearned
from .comparing import Asked, compared
from .console import out, say
from .failure import quoted
from .report_file import save_report

if TYPE_CHECKING:
    from posemb.sweep.selection import Selection


def make_report(
    words: options.Words = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Where to write it: else report.html, of a sweep in its folder."),
    ] = None,
    question: Annotated[str | None, typer.Option(metavar="TEXT", help="What was asked: the heading.")] = None,
    group_by: GroupBy = None,
    baseline: Baseline = None,
    measure: Measure = "area",
    allow: Allow = None,
    include_unlearned: Unlearned = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is no report of posemb's.")] = False,
    runs: options.Runs = Path("runs"),
    debug: options.Debug = False,
) -> None:
    """Write the comparison of runs as one HTML file: question, answer, figure, tables, configs, commands."""
    from posemb.report.answer import answer
    from posemb.report.characters import fitted
    from posemb.sweep.selection import select

    from .comparison_page import wrapped

    selection = select(words or [], runs)
    path = output or _place(selection, words or [], runs)
    _check(path, force)
    for line in selection.warnings:
        say(line, "note")
    asked = Asked(group_by, baseline, measure, allow, include_unlearned)
    comparison = compared(selection, asked, runs)
    save_report(path, selection, comparison, question)
    out(fitted("\n".join(map(wrapped, answer(comparison))), sys.stdout.encoding))
    say(f"The report is {quoted(path)}: open it in a browser, print it, or send it on as it is.")
    same = [*map(shlex.quote, words or []), *asked.typed(), "--save paper", *options.elsewhere(runs)]
    say(" ".join(["posemb compare", *same]), "next")


def _place(selection: "Selection", words: Sequence[str], runs: Path) -> Path:
    """Beside the plan of the one sweep that was named, else in the working folder."""
    from posemb.sweep.folder import PLAN

    if selection.sweep is None:
        return Path("report.html")
    typed = [Path(word) for word in words if (Path(word) / PLAN).is_file()]
    return (typed[0] if typed else selection.sweep.folder(runs)) / "report.html"


def _check(path: Path, force: bool) -> None:
    """See to it that a report may be written there.

    Raises:
        UsageError: it may not: the name, the folder, or what is there already.
    """
    from posemb.report.page import is_report

    if path.is_dir():
        raise UsageError(f"{path} is a folder. Name a file in it: --output {quoted(path / 'report.html')}")
    if path.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"--output {path}: a report is HTML, so its name must end in .html.")
    if not path.parent.is_dir():
        raise UsageError(f"--output {path}: there is no folder {path.parent}. Make it first, or name another file.")
    if path.exists() and not force and not is_report(path):
        raise UsageError(
            f"{path} is there already and is no report of posemb's, so it stays as it is.\n"
            "Name another file with --output, or overwrite it with --force."
        )
