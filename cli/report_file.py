"""A report as a file: what it needs of the runs, and how it is written."""

from pathlib import Path
from typing import TYPE_CHECKING

from .again import train_words

if TYPE_CHECKING:
    from posemb.report.comparison import Comparison
    from posemb.report.provenance import Record
    from posemb.sweep.selection import Selection


def save_report(
    path: Path,
    selection: "Selection",
    comparison: "Comparison",
    question: str | None = None,
) -> None:
    """Write the report of a comparison, in one move.

    Args:
        path: the file.
        selection: the runs; its sweep, where it has one, gives the question and the command.
        comparison: of these runs.
        question: what was asked; None takes the sweep's.

    Raises:
        RunFolderError: it could not be written.
    """
    from datetime import UTC, datetime

    from posemb.report.page import render
    from posemb.run.disk import replace
    from posemb.run.manifest import installed

    sweep = selection.sweep
    page = render(
        comparison,
        records_of(selection),
        _drawings(comparison),
        made=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        version=installed("posemb") or "",
        asked=question or (sweep.question if sweep else None),
        argv=sweep.argv if sweep else None,
        git=sweep.git if sweep else None,
    )
    replace(path, page.encode(errors="replace"))


def records_of(selection: "Selection") -> "list[Record]":
    """The selected runs as a comparison and its report need them.

    Raises:
        RunFolderError: a log of one of them cannot be read.
    """
    from posemb.report.provenance import Record
    from posemb.run.flat import flat
    from posemb.run.result import document

    return [
        Record(document(folder), flat(folder.config), folder.manifest, train_words(folder))
        for folder in selection.folders
    ]


def _drawings(comparison: "Comparison") -> dict[str, str]:
    """The figure as SVG, for a wide and for a narrow page; none where no run has a curve."""
    from tempfile import TemporaryDirectory

    from posemb.report.canvas import NARROW, WIDE
    from posemb.report.comparison_figure import save_comparison_figure

    if not comparison.groups:
        return {}
    with TemporaryDirectory() as folder:
        files = [
            save_comparison_figure(comparison, Path(folder) / f"{name}.svg", size)
            for name, size in (("wide", WIDE), ("narrow", NARROW))
        ]
        return {file.stem: file.read_text(encoding="utf-8") for file in files}
