"""The commands, and how one of them is run."""

from collections.abc import Sequence
from typing import Annotated

import typer

from .board import board
from .check import check
from .cite import cite
from .compare import compare
from .console import out, prepare_streams, say
from .doctor import doctor
from .eval import evaluate
from .extend import extend
from .failure import report
from .list import list_options
from .options import Debug
from .report import make_report
from .repro import repro
from .resume import resume
from .runs import list_runs
from .sample import sample
from .show import show
from .sweep import sweep
from .train import train

INTERRUPTED = 130

app = typer.Typer(
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("train")(train)
app.command("sweep")(sweep)
app.command("eval")(evaluate)
app.command("extend")(extend)
app.command("sample")(sample)
app.command("resume")(resume)
app.command("list")(list_options)
app.command("runs")(list_runs)
app.command("show")(show)
app.command("compare")(compare)
app.command("report")(make_report)
app.command("board")(board)
app.command("repro")(repro)
app.command("check")(check)
app.command("cite")(cite)
app.command("doctor")(doctor)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        out(f"posemb {version('posemb')}")
        raise typer.Exit()


@app.callback(invoke_without_command=True)
def about(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Which position method should a transformer use, and what happens to it past the length it was trained on?

    Train a tiny transformer with one method on one task that depends on order, and see its accuracy at every length,
    up to several times the trained one.

    A first look, in seconds: posemb train --position rope --task last
    """
    if context.invoked_subcommand is None:
        out(context.get_help())


def run(argv: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 failed, 2 usage, 3 diverged, 130 or 143 interrupted."""
    prepare_streams()
    try:
        outcome = app(args=list(argv), prog_name="posemb", standalone_mode=False)
    except Exception as error:
        return report(error, debug="--debug" in argv)
    if outcome == INTERRUPTED:  # Typer makes this of Ctrl-C where no run was there to be saved
        say("Interrupted.")
    return outcome if isinstance(outcome, int) else 0
