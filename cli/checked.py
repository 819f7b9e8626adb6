"""What the laws found, as a person or a program reads it."""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from textwrap import fill
from typing import TYPE_CHECKING, Any, TextIO

from .console import coloured, interactive, lined_up, width

if TYPE_CHECKING:
    from posemb.laws.record import Record


def page(names: Sequence[str], records: "Sequence[Record]") -> str:
    """The table, then what failed, then what was exempt, and a last line that counts."""
    from posemb.laws.summary import exemptions

    table = _by_law(records) if len(names) == 1 else _by_method(names, records)
    broken = _failures(records)
    exempt = [fill(f"exempt: {line}", width(sys.stdout), subsequent_indent="  ") for line in exemptions(records)]
    parts = [table, *(["\n".join(broken)] if broken else []), *(["\n".join(exempt)] if exempt else []), _count(records)]
    return "\n\n".join(parts)


def _by_method(names: Sequence[str], records: "Sequence[Record]") -> str:
    """A line for each method, a column for each law; as many tables as the terminal's width asks for."""
    from posemb.laws.summary import cells

    text = cells(records, lambda record: record.position)
    columns = [(law, *(text.get((name, law), "-") for name in names)) for law in _laws(records)]
    return _tables(("method", *names), columns)


def _by_law(records: "Sequence[Record]") -> str:
    """Of one method: a line for each law, a column for each id scheme, and what is allowed."""
    from posemb.laws.summary import cells, number

    laws = _laws(records)
    schemes = sorted({record.ids for record in records}, key=lambda name: (name == "unordered", name))
    text = cells(records, lambda record: record.ids)
    columns = [(scheme, *(text.get((scheme, law), "") for law in laws)) for scheme in schemes]
    measured = [record for record in sorted(records, key=lambda one: one.share) if record.bound is not None]
    bounds = {record.law: record.bound for record in measured}
    columns.append(("allowed", *(number(bounds.get(law)) for law in laws)))
    return _tables(("law", *laws), columns)


def _tables(side: tuple[str, ...], columns: Sequence[tuple[str, ...]]) -> str:
    """A column of names and others beside it, in as many tables as the width of the terminal asks for."""
    room = width(sys.stdout) - max(map(len, side))
    tables: list[list[tuple[str, ...]]] = [[]]
    for column in columns:
        taken = sum(max(map(len, one)) + 2 for one in [*tables[-1], column])
        if tables[-1] and taken > room:
            tables.append([])
        tables[-1].append(column)
    return "\n\n".join(_table([side, *table]) for table in tables)


def _laws(records: "Sequence[Record]") -> list[str]:
    """The laws that were asked for, in their order."""
    from posemb.laws.bench import LAWS

    held = {record.law for record in records}
    return [law.name for law in LAWS if law.name in held]


def _table(columns: Sequence[tuple[str, ...]]) -> str:
    """Columns of words, the first set to the left."""
    first = max(map(len, columns[0]))
    rows = [(name.ljust(first), *rest, "") for name, *rest in zip(*columns, strict=True)]
    text = "\n".join(line.rstrip() for line in lined_up(rows).splitlines())
    return text.replace("FAIL", "\x1b[1;31mFAIL\x1b[0m") if coloured(sys.stdout) else text


def _failures(records: "Sequence[Record]") -> list[str]:
    """For each method and law that it breaks: the worst case, and what the law says."""
    from posemb.laws.bench import LAWS
    from posemb.laws.summary import failures
    from posemb.report.cells import counted

    statements = {law.name: law.statement for law in LAWS}
    alike: dict[tuple[str, str], list[list[Record]]] = defaultdict(list)  # one error may break every law
    for (position, _), group in failures(records).items():
        alike[position, group[0].reason].append(group)
    lines = []
    for (position, reason), groups in alike.items():
        worst, more = groups[0][0], sum(map(len, groups)) - 1
        also = f", and {counted(more, 'more case')}" if more else ""
        case = f"{worst.variant}, ids {worst.ids}, {worst.attention}{also}"
        laws = ", ".join(group[0].law for group in groups)
        lines.append(fill(f"FAIL {position}, {laws}: {reason} ({case})", width(sys.stdout), subsequent_indent="  "))
        if len(groups) == 1:
            lines.append(fill(f"  the law: {statements[laws]}", width(sys.stdout), subsequent_indent="  "))
    return lines


def _count(records: "Sequence[Record]") -> str:
    from posemb.report.cells import counted

    states = [record.state for record in records]
    variants, schemes = ({getattr(record, name) for record in records} for name in ("variant", "ids"))
    return fill(
        f"{states.count('pass'):,} findings pass, {states.count('fail'):,} fail, {states.count('exempt'):,} exempt: "
        f"{counted(len(variants), 'variant')} under {counted(len(schemes), 'id scheme')}, causal and with a prompt "
        "that sees itself.",
        width(sys.stdout),
    )


def described(names: Sequence[str], records: "Sequence[Record]") -> dict[str, Any]:
    """The JSON document."""
    from dataclasses import asdict

    from posemb.laws.bench import LAWS
    from posemb.run.manifest import SCHEMA

    held = _laws(records)
    findings = [asdict(record) for record in records]
    for finding in findings:  # JSON has no infinity
        finding["error"] = finding["error"] if finding["error"] is None or isfinite(finding["error"]) else None
    return {
        "schema": SCHEMA,
        "passed": all(record.state != "fail" for record in records),
        "methods": list(names),
        "laws": [{"name": law.name, "statement": law.statement} for law in LAWS if law.name in held],
        "findings": findings,
    }


@contextmanager
def progress(total: int, stream: TextIO, quiet: bool) -> Iterator[Callable[[str], None]]:
    """How far the check is, on a terminal alone; yields what is called after each variant."""
    if quiet or not interactive(stream):
        yield lambda name: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    shown = (TextColumn("checking"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*shown, console=Console(file=stream, no_color=not coloured(stream)), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda name: bar.update(task, advance=1, description=name)
