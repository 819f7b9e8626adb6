"""posemb cite: what to cite for a method, an id scheme, a task, or for what runs used."""

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from posemb.errors import UsageError
from posemb.run.nearest import meant

from . import completion, options
from .console import document, interactive, out, say

if TYPE_CHECKING:
    from posemb.run.catalog import Option
    from posemb.run.folder import RunFolder

FORM = (
    'Source names no work, or one in a form that is not read. Write Su et al. 2021, "TITLE", arXiv:ID, or a URL in '
    "place of the id; with authors as in Press, Smith & Lewis; or None: REASON where there is no work."
)


def _offered(incomplete: str) -> list[str]:
    return list(dict.fromkeys([*completion.shown(incomplete), *completion.selections(incomplete)]))


def cite(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME|RUN|SWEEP|KEY=VALUE]...",
            help="Methods, id schemes or tasks by name; runs, folders of runs or a sweep, and filters over them: "
            "task=last. Nothing: all that there is to cite.",
            autocompletion=_offered,
            show_default=False,
        ),
    ] = None,
    runs: options.Runs = Path("runs"),
    config_dir: options.ConfigDir = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Print the works behind methods, id schemes and tasks as BibTeX, and posemb's own entry.

    A name gives all the works that its docstring names; runs, only those of what they used: their scaling, and those
    that they were extended with, included.
    """
    from posemb.run.cite import Bibliography

    named, others = _sorted_out(words or [], runs, config_dir)
    folders = _folders(others, runs) if others else []
    found = Bibliography()
    for one in named:
        found.add(one, config_dir, every=True)
    for folder in folders:
        found.add_run(folder, config_dir)
    entries = found.entries(_versions(folders))
    if json:
        from posemb.run.manifest import SCHEMA

        described = [
            {"type": one.kind, "key": one.key, "fields": dict(one.fields), "cited_by": list(one.cited_by)}
            for one in entries
        ]
        content = {"schema": SCHEMA, "entries": described, "without": sorted(found.without)}
        document(content | {"unread": sorted(found.unread)})
    else:
        out("\n\n".join(map(str, entries)))
    for line in found.notes:
        say(line, "note")
    if found.without:
        say(f"There is no work to cite for {', '.join(sorted(found.without))}.", "note")
    if found.unread:
        say(f"{', '.join(sorted(found.unread))}: {FORM}", "note")
    if interactive(sys.stdout) and not json:
        say(" ".join(["posemb cite", *map(shlex.quote, words or []), *options.elsewhere(runs), "> posemb.bib"]), "next")


def _sorted_out(words: Sequence[str], runs: Path, config_dir: Path | None) -> tuple[list["Option"], list[str]]:
    """The options that some words name, every one there is where there are no words; and the other words.

    Raises:
        UsageError: a word names nothing.
    """
    from posemb.run.catalog import catalog, option
    from posemb.run.compose import CLASSES
    from posemb.run.compose import options as options_of
    from posemb.run.inventory import is_run
    from posemb.sweep.filters import is_filter
    from posemb.sweep.selection import sweep_names

    known = {group: options_of(group, config_dir) for group in CLASSES}
    if not words:
        return [one for group in CLASSES for one in catalog(group, config_dir)], []
    named, others, sweeps = [], [], sweep_names(runs)
    for word in words:
        groups = [group for group in CLASSES if word in known[group] and not is_run(Path(word))]
        named += [option(group, word, config_dir) for group in groups]
        if not groups:
            others.append(word)
        if not groups and not is_filter(word) and word not in sweeps and not _is_folder(word, runs):
            every = dict.fromkeys([name for names in known.values() for name in names] + sweeps)
            raise UsageError(
                f"{word or repr(word)}: no method, id scheme or task, and no run, folder of runs or sweep of that "
                f"name. {meant(word, every, 'Names')}"
            )
    return named, others


def _is_folder(word: str, runs: Path) -> bool:
    return bool(word) and (os.path.isdir(word) or os.path.isdir(runs / word))


def _folders(words: Sequence[str], runs: Path) -> list["RunFolder"]:
    """The runs that some words mean.

    Raises:
        UsageError: there are none, or none that can be read.
    """
    from posemb.sweep.selection import select

    selection = select(words, runs)
    for line in selection.warnings:
        say(line, "note")
    if not selection.folders:
        listed = " ".join(["posemb runs", *options.elsewhere(runs)])
        raise UsageError(f"There are no such runs below {runs}. To see what there is: {listed}")
    return selection.folders


def _versions(folders: Sequence["RunFolder"]) -> list[str]:
    """The versions of posemb that began these runs."""
    told = [(folder.manifest.get("versions") or {}).get("posemb") for folder in folders]
    return [str(version) for version in told if version]
