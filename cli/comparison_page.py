"""A comparison as a person reads it in a terminal: its head, the table of groups, and a table of every size."""

import sys
from typing import TYPE_CHECKING

from .console import lined_up, width
from .narrow import Column, fitted, narrowed

if TYPE_CHECKING:
    from posemb.report.comparison import Comparison

# What goes first where a terminal is too narrow: the interval of a column, or all of it.
SPARE = (
    ("in distribution", True),
    ("L50", True),
    ("L90", True),
    ("against", True),
    ("L50", False),
    ("area", True),
    ("in distribution", False),
    ("area", False),
    ("learned", False),
)


def head(comparison: "Comparison") -> str:
    """What is compared, in a line."""
    if not comparison.groups:
        return f"{comparison.title}: nothing to compare, no run is completed."
    seeds = sorted({len(group.documents) for group in comparison.groups})
    many = f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else str(seeds[0])
    sizes = " and ".join(map(str, comparison.trained_sizes))
    tokens = " and ".join(map(str, comparison.trained))
    groups = "1 group" if len(comparison.groups) == 1 else f"{len(comparison.groups)} groups"
    by = "" if comparison.by == ["position"] else f" by {', '.join(comparison.by)}"
    return wrapped(
        f"{comparison.title}, trained up to size {sizes} ({tokens} tokens): {groups}{by}, "
        + ("one seed each" if many == "1" else f"{many} seeds each; medians with 95 % bootstrap intervals")
    )


def group_table(comparison: "Comparison") -> str:
    """One row for each group; on a terminal that is too narrow, without what matters least."""
    from posemb.report.cells import Cell, group_columns

    groups = Column("group", [Cell(group.label) for group in comparison.groups])
    found = [groups, *(Column(name, cells) for name, cells in group_columns(comparison))]
    return narrowed(found, [([name], interval_only) for name, interval_only in SPARE])


def reading(comparison: "Comparison") -> str:
    """What the figures of the table of groups mean, in a few words."""
    begin, end = comparison.reach
    first = "the trained size" if begin == 1 else f"{begin:.3g} times the trained size"
    said = []
    if any(value is not None for group in comparison.groups for value in group.area.values):
        lower = "" if comparison.figure == "exact match" else ", in sliding windows; lower is better"
        said.append(f"area: mean {comparison.figure} over log size, from {first} to {end:.3g} times it{lower}.")
    if any(group.versus and group.versus.pairs for group in comparison.groups):
        said.append("p: sign-flip test of the mean difference over shared data seeds, Holm-corrected.")
    return wrapped(" ".join(said))


def size_tables(comparison: "Comparison") -> list[str]:
    """Every size of every group: median, interval, each seed; in brackets the seeds that do not count."""
    from posemb.labels import seed_label
    from posemb.report.cells import size_cell
    from posemb.report.table import multiple

    tables = []
    mode = ("mode",) if comparison.figure != "exact match" else ()
    for group in comparison.groups:
        seeds = [f"s{seed_label(one['seed'])}" for one in group.documents]
        rows = [("size", "× L", *mode, comparison.figure, "95 % interval", *seeds, "status")]
        for row in group.rows:
            cell = size_cell(group, row)
            each = [shown if counts else f"({shown})" for shown, counts in cell.seeds]
            place = (str(row.size), multiple(row.multiple), *([row.mode or ""] if mode else []))
            rows.append((*place, cell.main, cell.interval or "–", *each, row.status))
        tables.append(f"{group.label}\n{lined_up([fitted(row) for row in rows])}")
    return tables


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph, as wide as the terminal, at most 110 columns."""
    from textwrap import wrap

    kept = text.replace(" %", "\u00a0%").replace("≤ ", "≤\u00a0")  # a number and its signs stay on one line
    return "\n".join(wrap(kept, min(width(sys.stdout), 110), subsequent_indent=indent)).replace("\u00a0", " ")
