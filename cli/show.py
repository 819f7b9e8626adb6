"""posemb show: a method, an id scheme, a task, or finished runs."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from posemb.errors import UsageError
from posemb.run.nearest import meant

from . import completion, options
from .console import document, out, say
from .failure import after, quoted

if TYPE_CHECKING:
    from posemb.run.catalog import Option


def show(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME|RUN...",
            help="A method, an id scheme or a task (position=NAME where a name is several), or run folders.",
            autocompletion=completion.shown,
            show_default=False,
        ),
    ],
    code: Annotated[bool, typer.Option("--code", help="Of a method: the real source of its hooks.")] = False,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of runs: write the curves as FILE.png, .svg or .pdf.")
    ] = None,
    config_dir: options.ConfigDir = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Show what a method, an id scheme or a task is, or what runs came to."""
    runs = [name for name in names if _is_run(name)]
    if not runs:
        found = [_option(name, config_dir) for name in names]
        if figure is not None:
            raise UsageError(f"--figure {figure}: only runs have curves to draw, and {names[0]} is none.")
        _show_options(found, code, json, config_dir)
        return
    others = [name for name in names if name not in runs]
    if others:
        raise UsageError(f"{others[0]} is no run folder, and {runs[0]} is one. Show them apart.")
    if code:
        raise UsageError(f"--code: {runs[0]} is a run. Only a method, an id scheme or a task has code.")
    _show_runs([Path(run) for run in runs], figure, json, config_dir)


def _is_run(name: str) -> bool:
    from posemb.run.inventory import is_run

    return is_run(Path(name))


def _option(name: str, config_dir: Path | None) -> "Option":
    """The option that a name, or `group=name`, means.

    Raises:
        UsageError: it means none, or several.
        RunFolderError: it is a folder, and no run.
    """
    from posemb.run.catalog import option
    from posemb.run.compose import CLASSES, options

    group, equals, short = name.partition("=")
    if equals and group in CLASSES:
        return option(group, short, config_dir)
    known = {one: options(one, config_dir) for one in CLASSES}
    holding = [one for one in CLASSES if name in known[one]]
    if len(holding) > 1:
        choices = " or ".join(f"{one}={name}" for one in holding)
        raise UsageError(f"{name} has several meanings. Write {choices}.")
    if holding:
        return option(holding[0], name, config_dir)
    if "/" in name or os.path.exists(name):
        from posemb.run.folder import RunFolder
        from posemb.run.inventory import run_paths

        if run_paths(Path(name)):
            raise UsageError(f"{name} is not a run but a folder of runs. To list them: posemb runs {quoted(name)}")
        RunFolder.open(name)  # says what is wrong with it
    every = [one for names in known.values() for one in names]
    raise UsageError(f"{name}: no method, id scheme, task or run folder of that name. {meant(name, every, 'Names')}")


def _show_options(found: Sequence["Option"], code: bool, json: bool, config_dir: Path | None) -> None:
    from .pages import facts, page

    if json:
        from posemb.run.manifest import SCHEMA

        described = [facts(one, code) for one in found]
        document({"schema": SCHEMA} | (described[0] if len(described) == 1 else {"options": described}))
        return
    for one in found:
        out(page(one, code, config_dir))
    first = found[0]
    own = f" --config-dir {quoted(config_dir)}" if config_dir is not None else ""
    say(f"posemb train --{first.group} {first.name}{own}", "next")


def _show_runs(runs: Sequence[Path], figure: Path | None, json: bool, config_dir: Path | None) -> None:
    from posemb.run.folder import RunFolder
    from posemb.run.manifest import SCHEMA
    from posemb.run.result import document as result

    folders = [RunFolder.open(run) for run in runs]
    documents: list[dict[str, Any]] = [result(folder) for folder in folders]
    if figure is not None:  # first, because the file may be refused
        from posemb.report.figure import save_figure

        save_figure(documents, figure)
    if json:
        document(documents[0] if len(documents) == 1 else {"schema": SCHEMA, "runs": documents})
    else:
        from .curves import curve_page, title
        from .later import later_page

        out(curve_page(documents, title(folders[0].config, config_dir)))
        if lines := later_page(runs):
            out(f"\n{lines}")
    if figure is not None:
        say(f"The figure is {quoted(figure)}.")
    trained, state = documents[0]["trained_size"], documents[0]["state"]
    if state != "completed":
        after(state, runs[0])
    elif figure is None:
        say(f"posemb show {' '.join(map(quoted, runs))} --figure curve.png", "next")
    else:  # twice the trained size: every text and every table of the configs reaches as far
        say(f"posemb eval {quoted(runs[0])} --sizes {trained},{2 * trained}", "next")
