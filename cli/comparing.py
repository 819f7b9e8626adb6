"""From the words of a command to a comparison: which runs, grouped by what."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posemb.errors import UsageError

from .console import say

if TYPE_CHECKING:
    from posemb.report.comparison import Comparison
    from posemb.run.folder import RunFolder
    from posemb.sweep.folder import Sweep
    from posemb.sweep.selection import Selection


@dataclass(frozen=True)
class Asked:
    """How to compare, as the options say it; commas part keys."""

    group_by: str | None = None
    baseline: str | None = None
    measure: str = "area"
    allow: str | None = None
    include_unlearned: bool = False

    def typed(self) -> list[str]:
        """The same as words of a command, quoted for a shell."""
        told = {"--group-by": self.group_by, "--baseline": self.baseline, "--allow": self.allow}
        told["--measure"] = None if self.measure == "area" else self.measure
        words = [f"{option} {shlex.quote(value)}" for option, value in told.items() if value is not None]
        return [*words, "--include-unlearned"] if self.include_unlearned else words


def compared(selection: "Selection", asked: Asked, runs: Path) -> "Comparison":
    """Compare the selected runs; a sweep is grouped by its axes, in the order of its jobs.

    Args:
        selection: the runs. One whose logs are damaged leaves it, and that is said.
        asked: how.
        runs: the folder of all runs, to be named where there is none.

    Raises:
        UsageError: there are no runs, or they cannot be compared as asked.
    """
    from posemb.report.comparison import compare
    from posemb.run.flat import flat
    from posemb.sweep.selection import documents

    if not selection.folders:
        raise UsageError(
            f"There are no such runs below {runs}. To see what there is: posemb runs\n"
            "To make some: posemb train --position rope --task last, then with other positions, seed=1 and seed=2"
        )
    known_before = len(selection.warnings)
    came_to = documents(selection)
    for line in selection.warnings[known_before:]:
        say(line, "note")
    folders = _in_order(selection.folders, selection.sweep)
    settings = [flat(folder.config) for folder in folders]
    known = list(dict.fromkeys(key for one in settings for key in one))
    by = _keys(asked.group_by, known) or (_axes(selection.sweep, known) if selection.sweep else None)
    return compare(
        [came_to[folder.path] for folder in folders],
        settings,
        by=by,
        baseline=asked.baseline,
        measure=asked.measure.replace("-", "_").lower(),
        allow=_keys(asked.allow, known) or (),
        include_unlearned=asked.include_unlearned,
        manifests=[folder.manifest for folder in folders],
        order=selection.sweep.axes if selection.sweep else None,
    )


def _keys(text: str | None, known: Sequence[str]) -> list[str] | None:
    """`position,width` as whole keys: `position`, `model.width`."""
    from posemb.sweep.filters import full_key

    if text is None:
        return None
    words = [word.strip() for word in text.split(",") if word.strip()]
    return [full_key(word, known) or word for word in words]


def _axes(sweep: "Sweep", known: Sequence[str]) -> list[str] | None:
    """What a sweep varies besides the seeds, as far as it decides a result."""
    return [key for key in sweep.axes if key in known and key.partition(".")[0] != "seed"] or None


def _in_order(folders: "Sequence[RunFolder]", sweep: "Sweep | None") -> "list[RunFolder]":
    """The order of a sweep's jobs, which is how its axes were typed; without a sweep that of the paths."""
    if sweep is None:
        return list(folders)
    places: Mapping[str, Any] = {job.key: place for place, job in enumerate(sweep.jobs)}

    def place(folder: "RunFolder") -> int:
        key = "/".join(folder.path.parts[-3:])
        return int(places.get(key, places.get(re.sub(r"-\d+$", "", key), len(places))))

    return sorted(folders, key=place)
