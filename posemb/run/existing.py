"""The runs that there are of one experiment: looked for by the name that its config gives them."""

import os
import re
from pathlib import Path

from posemb.errors import PosembError
from posemb.run.folder import RunFolder
from posemb.run.opening import MANIFEST


def existing(runs: Path, label: str, name: str) -> list[RunFolder]:
    """The run folders `runs/label/name`, `name-2`, `name-3`, ..., the one that got farthest first.

    A folder that holds no readable run, half-written or damaged, is passed over.

    Args:
        runs: the folder of all runs.
        label: `<task>/<position label>`.
        name: what the config's seed and hash call it.
    """
    folders = []
    for path in _named(runs / label, name):
        try:
            folders.append(RunFolder.open(path))
        except (PosembError, OSError):
            continue
    return sorted(folders, key=_farthest, reverse=True)


def _named(parent: Path, name: str) -> list[Path]:
    ours = re.compile(re.escape(name) + r"(-\d+)?")
    try:
        names = sorted(entry for entry in os.listdir(parent) if entry.startswith(name) and ours.fullmatch(entry))
    except OSError:
        return []
    return [parent / one for one in names if os.path.isfile(parent / one / MANIFEST)]


def _farthest(folder: RunFolder) -> tuple[bool, bool, int]:
    state = folder.state
    return state == "completed", state == "running", int(folder.manifest.get("steps") or 0)
