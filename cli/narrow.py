"""A table of figures and their intervals; on a terminal that is too narrow, without what matters least."""

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .console import columns, width

if TYPE_CHECKING:
    from posemb.report.cells import Cell


@dataclass(frozen=True)
class Column:
    """One column of figures."""

    name: str
    cells: "Sequence[Cell]"
    intervals: bool = True

    def words(self, place: int) -> str:
        """What stands in one of its rows."""
        cell = self.cells[place]
        interval = f" ({cell.interval})" if cell.interval and self.intervals else ""
        note = f", {cell.note}" if cell.note else ""
        return f"{cell.main}{interval}{note}"

    def without(self, names: Collection[str], interval_only: bool) -> "list[Column]":
        """Itself; or, if it is called by one of `names`, itself without its intervals, or nothing."""
        if ("against" if " against " in self.name else self.name) not in names:
            return [self]
        return [Column(self.name, self.cells, intervals=False)] if interval_only else []


def narrowed(found: Sequence[Column], spare: Sequence[tuple[Collection[str], bool]]) -> str:
    """The columns side by side.

    Args:
        found: the columns, all as long.
        spare: what goes first on a terminal that is too narrow: names of columns, and whether only their intervals go.
    """
    table = _lined_up(found)
    for names, interval_only in spare if sys.stdout.isatty() else ():
        if max(map(len, table.splitlines())) <= width(sys.stdout):
            break
        found = [part for column in found for part in column.without(names, interval_only)]
        table = _lined_up(found)
    return table


def fitted(row: Sequence[str]) -> tuple[str, ...]:
    """As the stream can carry it, word by word, before they are lined up: `<=` is wider than what it stands for."""
    from posemb.report.characters import fitted as fit

    return tuple(fit(word, sys.stdout.encoding) for word in row)


def _lined_up(found: Sequence[Column]) -> str:
    rows = [tuple(column.name for column in found)]
    rows += [tuple(column.words(place) for column in found) for place in range(len(found[0].cells))]
    return columns([fitted(row) for row in rows])
