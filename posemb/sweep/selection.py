"""The runs that a few words mean: run folders, folders of runs, sweeps, and filters over them."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from posemb.errors import PosembError, RunFolderError, UsageError
from posemb.run.folder import RunFolder
from posemb.run.inventory import DEPTH, is_run, natural, run_paths
from posemb.run.nearest import nearest
from posemb.run.opening import first_line
from posemb.run.result import document
from posemb.sweep.filters import is_filter, passing, read_filter
from posemb.sweep.folder import PLAN, SWEEPS, Sweep, read_sweep


@dataclass
class Selection:
    """Some runs.

    Attributes:
        folders: each run once, in the natural order of their paths.
        sweep: the sweep that was named, where nothing else was; filters aside.
        warnings: what was left out and why, a line each.
    """

    folders: list[RunFolder] = field(default_factory=list)
    sweep: Sweep | None = None
    warnings: list[str] = field(default_factory=list)


def select(words: Sequence[str], runs: Path) -> Selection:
    """The runs that some words mean together, less those that a filter among the words keeps out.

    No word but filters means every run. A run that cannot be read, and a job of a sweep without a run, is a warning.

    Args:
        words: each a run's folder, a folder that holds runs, the name or the folder of a sweep, or a filter
            `key=value,value`.
        runs: the folder of all runs.

    Raises:
        UsageError: a word means nothing, or no run has the key of a filter.
        RunFolderError: the plan of a sweep is damaged.
    """
    filters = [read_filter(word) for word in words if is_filter(word)]
    selection = Selection()
    found: dict[str, RunFolder] = {}
    places = [_place(word, runs) for word in words if not is_filter(word)] or [runs]
    alone = len({os.path.realpath(place) for place in places}) == 1
    for place in places:
        if os.path.isfile(place / PLAN):
            sweep = read_sweep(place)
            selection.sweep = sweep if alone else None
            paths = _swept(sweep, _root(place, runs), selection.warnings)
        else:
            paths = _opened(place, selection.warnings)
        for folder in paths:
            found.setdefault(os.path.realpath(folder.path), folder)
    every = sorted(found.values(), key=lambda folder: natural(folder.path))
    told: list[str] = []
    selection.folders = passing(every, filters, told)
    selection.warnings[:0] = told  # about what was typed, so before what was found
    return selection


def documents(selection: Selection) -> dict[Path, dict[str, Any]]:
    """What the selected runs came to, by folder. One whose logs are damaged leaves the selection, and is a warning.

    Raises:
        UsageError: none is left of those that were selected.
    """
    read = {}
    for folder in selection.folders:
        try:
            read[folder.path] = document(folder)
        except PosembError as damage:
            # As short as most users named it.
            selection.warnings.append(f"Left out: {first_line(damage)}".replace(f"{Path.cwd()}{os.sep}", ""))
    if selection.folders and not read:
        raise UsageError(f"None of these runs can be read. {selection.warnings[-1]}")
    selection.folders = [folder for folder in selection.folders if folder.path in read]
    return read


def sweep_names(runs: Path) -> list[str]:
    """The sweeps that there are, sorted."""
    return sorted(plan.parent.name for plan in (runs / SWEEPS).glob(f"*/{PLAN}"))


def _place(word: str, runs: Path) -> Path:
    """The folder that a word means; a bare name is a sweep before it is a folder that is no run.

    Raises:
        UsageError: it means none, or one that holds no run.
        RunFolderError: it may not be looked into.
    """
    word = word.rstrip(os.sep) or word  # as a shell completes a folder
    swept = runs / SWEEPS / word
    if word and os.sep not in word and os.path.isfile(swept / PLAN) and not is_run(Path(word)):
        return swept
    places = [Path(word)] if word.startswith(".") else [Path(word), runs / word]
    folders = [place for place in places if word and os.path.isdir(place)]
    for place in folders:
        if os.path.isfile(place / PLAN) or place.resolve() == runs.resolve() or run_paths(place):
            return place
    if any(not os.access(place, os.R_OK | os.X_OK) for place in folders):
        raise RunFolderError(f"Cannot read {word}: its permissions do not allow it.")
    if folders:
        raise UsageError(f"{word} holds no run, nor is it a sweep: looked {DEPTH} folders deep.{_near(word, runs)}")
    raise UsageError(f"{word or repr(word)}: no run, no folder of runs and no sweep of that name.{_near(word, runs)}")


def _near(word: str, runs: Path) -> str:
    """Runs and sweeps that may have been meant, a line for each kind."""
    paths = run_paths(runs)
    every = dict.fromkeys(str(place) for path in paths for place in (path, *path.parents[: DEPTH - 1]))
    sweeps = sweep_names(runs)
    near = nearest(word, [*sweeps, *every])
    if near:
        return f"\nDid you mean {' or '.join(near)}?"
    lines = [f"Runs: {_few(list(map(str, paths)))}"] if paths else [f"There are no runs below {runs}."]
    lines += [f"Sweeps: {_few(sweeps)}"] if sweeps else []
    return "".join(f"\n{line}" for line in lines)


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")


def _root(place: Path, runs: Path) -> Path:
    """The folder of all runs that a sweep belongs to: the one it lies in."""
    parent = place.absolute().parent
    return parent.parent if parent.name == SWEEPS else runs


def _swept(sweep: Sweep, runs: Path, warnings: list[str]) -> list[RunFolder]:
    folders = {job.key: job.folders(runs) for job in sweep.jobs}
    without = [key for key, found in folders.items() if not found]
    begun = [key for key in without if (runs / key).is_dir()]
    counted = f"of {len(sweep.jobs)} jobs of the sweep {sweep.name}"
    if begun:
        warnings.append(f"{len(begun)} {counted} have no run that can be read: {_few(begun)}")
    if waiting := [key for key in without if key not in begun]:
        warnings.append(f"{len(waiting)} {counted} have not begun: {_few(waiting)}")
    return [found[0] for found in folders.values() if found]


def _opened(place: Path, warnings: list[str]) -> list[RunFolder]:
    folders = []
    for path in run_paths(place):
        try:
            folders.append(RunFolder.open(path))
        except (PosembError, OSError) as damage:  # OSError: a folder that may not be looked into
            # As short as the user named it.
            warnings.append(f"Left out: {first_line(damage).replace(str(path.absolute()), str(path))}")
    return folders
