"""What a table of findings says: one cell for a method and a law, over variants, id schemes and masks."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import isinf

from posemb.laws.record import Record

Key = tuple[str, str]


def cells(records: Iterable[Record], across: Callable[[Record], str]) -> dict[Key, str]:
    """The text of each cell, by its line (`across` of a record) and its law.

    A number is the worst error among all that the cell covers, by how much of its bound it takes. `ok`: there was
    nothing to measure. `-`: exempt. `FAIL`: at least one finding is a failure.
    """
    grouped: dict[Key, list[Record]] = defaultdict(list)
    for record in records:
        grouped[across(record), record.law].append(record)
    return {key: _cell(found) for key, found in grouped.items()}


def _cell(found: Sequence[Record]) -> str:
    if any(record.state == "fail" for record in found):
        return "FAIL"
    passed = [record for record in found if record.state == "pass"]
    if not passed:
        return "-"
    if moved := [record.moves for record in passed if record.moves is not None]:
        return f"moves {max(moved):.1g}"
    measured = [record for record in passed if record.error is not None]
    return number(max(measured, key=lambda record: record.share).error) if measured else "ok"


def number(error: float | None) -> str:
    """An error with one digit; `-` where none was measured."""
    if error is None:
        return "-"
    if isinf(error):
        return "not finite"
    return f"{error:.0e}" if error else "0"


def failures(records: Iterable[Record]) -> dict[Key, list[Record]]:
    """The failed findings, by method and law; the worst first."""
    found: dict[Key, list[Record]] = defaultdict(list)
    for record in records:
        if record.state == "fail":
            found[record.position, record.law].append(record)
    return {key: sorted(group, key=lambda record: record.share, reverse=True) for key, group in found.items()}


def exemptions(records: Sequence[Record]) -> list[str]:
    """Where laws do not apply, and why: a line for each reason and for all that it holds for."""
    every = {record.law for record in records if record.attention == "prefix"}  # all but those of a method alone
    asked: dict[Key, list[Record]] = defaultdict(list)
    for record in records:
        asked[record.position, record.law].append(record)
    reasons: dict[tuple[str, str, str], list[str]] = defaultdict(list)  # (law, scope, reason) -> methods
    for (position, law), group in asked.items():
        for reason in dict.fromkeys(record.reason for record in group if record.state == "exempt"):
            scope = _scope([record for record in group if record.reason == reason], group)
            reasons[law, scope, reason].append(position)
    lines: dict[tuple[str, str, str], list[str]] = defaultdict(list)  # (methods, scope, reason) -> laws
    for (law, scope, reason), positions in reasons.items():
        lines[", ".join(positions), scope, reason].append(law)
    return [
        f"{'every law' if len(laws) > 1 and every <= {*laws} else ', '.join(laws)}{scope}: {reason} ({positions})"
        for (positions, scope, reason), laws in lines.items()
    ]


def _scope(exempt: Sequence[Record], group: Sequence[Record]) -> str:
    """Which part of a group is exempt, unless it is all of it."""
    if len(exempt) == len(group):
        return ""
    prefix = [record for record in group if record.attention == "prefix"]
    if exempt == prefix:
        return ", where the prompt sees itself"
    variants = {record.variant for record in group} - {record.variant for record in group if record not in exempt}
    if variants and all(record.variant in variants for record in exempt):
        return f" of {', '.join(sorted(variants))}"
    return f", under ids {', '.join(sorted({record.ids for record in exempt}))}"
