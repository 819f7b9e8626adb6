"""What lies in a run's folder beside its own curve: later evaluations and extensions, a line each."""

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from posemb.errors import RunFolderError

from .console import columns
from .failure import quoted

Row = dict[str, Any]


def later_page(runs: Sequence[Path]) -> str:
    """Each file of these runs: when it was written, and what it is about. Empty where there is none."""
    from posemb.report.characters import fitted
    from posemb.run.evaluations import later

    parts = []
    for run in runs:
        lines = [(f"  {file.name}", _when(file), fitted(_about(file), sys.stdout.encoding)) for file in later(run)]
        if lines:
            parts.append(f"Later evaluations in {quoted(run)}:\n{columns(lines, fit=sys.stdout)}")
    return "\n\n".join(parts)


def _when(file: Path) -> str:
    return datetime.fromtimestamp(file.stat().st_mtime).strftime("%Y-%m-%d %H:%M")


def _about(file: Path) -> str:
    """`none, pi to 2 and 4, 50 steps of tuning; sizes 2 to 40, 512 examples each`."""
    from posemb.report.cells import counted
    from posemb.run.journal import Journal

    try:
        rows = Journal(file).read()
        sizes, counts = sorted({row["size"] for row in rows}), sorted({row["count"] for row in rows})
        forms = _forms(rows)
    except (RunFolderError, KeyError, TypeError):
        return "cannot be read"
    if not rows:
        return "empty"
    many = f"size {sizes[0]}" if len(sizes) == 1 else f"sizes {sizes[0]} to {sizes[-1]}"
    *fewer, most = counts
    each = " or ".join([*map(str, fewer), counted(most, "example")])
    return f"{forms}{many}, {each} each"


def _forms(rows: Sequence[Row]) -> str:
    """Of an extension its scalings, aims and tuning; of any, temperatures other than 1."""
    from posemb.report.cells import counted, listed

    said = []
    names = dict.fromkeys(row["scaling"] for row in rows if "scaling" in row)
    if names:
        aims = sorted({row["factor"] for row in rows if row["factor"] is not None})
        said.append(", ".join(names) + (f" to {listed(f'{aim:g}' for aim in aims)}" if aims else ""))
    if tuned := max((row["tuned"] for row in rows if "tuned" in row), default=0):
        said.append(f"{counted(tuned, 'step')} of tuning")
    warm = sorted({row["temperature"] for row in rows if "temperature" in row})
    if warm and warm != [1]:
        said.append(f"temperature {listed(f'{one:g}' for one in warm)}")
    return f"{', '.join(said)}; " if said else ""
