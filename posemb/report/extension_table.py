"""The forms of an extended model as a table, column by column."""

from collections.abc import Sequence

from posemb.report.cells import Cell
from posemb.report.extension import Outcome, farther, marked
from posemb.report.table import NOTHING, exact_match, interval, multiple


def extension_columns(found: Sequence[Outcome], trained: int) -> list[tuple[str, list[Cell]]]:
    """Each column with its cells, one for each form.

    Which form it is: scaling, s, and where any differs tuned and t; L90; how much farther than the plain one; exact
    match at multiples of L.

    Args:
        found: the outcomes, the plain one first.
        trained: the trained size.
    """
    made = [
        ("scaling", [Cell(one.scaling) for one in found]),
        ("s", [Cell(NOTHING if one.factor is None else f"{one.factor:g}") for one in found]),
    ]
    if any(one.tuned for one in found):
        made.append(("tuned", [Cell(str(one.tuned)) for one in found]))
    if any(one.temperature != 1 for one in found):
        made.append(("t", [Cell(f"{one.temperature:g}") for one in found]))
    made.append(("L90", [_l90(one) for one in found]))
    made.append(("× plain", [_times(one, found[0]) for one in found]))
    return made + [(_head(size, trained), [_share(one, size) for one in found]) for size in marked(found, trained)]


def spare(columns: Sequence[tuple[str, list[Cell]]]) -> list[tuple[list[str], bool]]:
    """What goes first where there is no room for all: names of columns, and whether only their intervals go."""
    sizes = [name for name, _ in columns if name.startswith("at ")]
    inner, ends = sizes[1:-1], dict.fromkeys((sizes[0], sizes[-1]))
    steps = [(sizes, True), (["× plain"], True), *(([name], False) for name in inner)]
    return [*steps, (["× plain"], False), (["L90"], True), *(([name], False) for name in ends)]


def _l90(one: Outcome) -> Cell:
    span = one.horizon
    return Cell(f"{'≥ ' if one.cut_off else ''}{multiple(span.value)}", span.interval)


def _times(one: Outcome, plain: Outcome) -> Cell:
    times = farther(one, plain)
    if times is None:
        return Cell(NOTHING)
    sign = "" if one.cut_off == plain.cut_off or not times.value else "≥ " if one.cut_off else "≤ "
    return Cell(f"{sign}{multiple(times.value)}", times.interval)


def _share(one: Outcome, size: int) -> Cell:
    row = next(row for row in one.rows if row["size"] == size)
    return Cell(exact_match(row), "" if row["low"] is None else interval(row))


def _head(size: int, trained: int) -> str:
    times = multiple(size / trained)
    return f"at {size}, {'' if times == '1' else times + ' '}L"
