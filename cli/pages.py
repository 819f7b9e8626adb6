"""The page of a method, an id scheme or a task: what it says about itself, and for a task three real rows."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .console import coloured, columns, width
from .list import enters

if TYPE_CHECKING:
    from posemb.run.catalog import Option

KINDS = {"position": "position method", "ids": "id scheme", "task": "task"}


def page(one: "Option", code: bool, config_dir: Path | None) -> str:
    """All about one option."""
    enters_at = f", enters at: {enters(one.points)}" if one.group == "position" else ""
    parts = [f"{one.name} ({KINDS[one.group]}{enters_at})", one.about, _parameters(one)]
    if one.group == "task":
        parts.append(_rows(one, config_dir))
    if code:
        parts.append(_coloured(one.code()))
    parts.append(columns([("Source", str(one.source)), ("Config", str(one.file))]))
    return "\n\n".join(part for part in parts if part) + "\n"


def facts(one: "Option", code: bool) -> dict[str, Any]:
    """The same for programs, without the rows."""
    described = {
        "group": one.group,
        "name": one.name,
        "class": one.target,
        "summary": one.summary,
        "doc": one.doc,
        "parameters": one.parameters,
        "source": str(one.source),
        "config": str(one.file),
    }
    if one.group == "position":
        described["injection_points"] = list(one.points)
    return described | ({"code": one.code()} if code else {})


def _parameters(one: "Option") -> str:
    if not one.parameters:
        return ""
    rows = [(f"  {one.group}.{name}={_yaml(value)}",) for name, value in _leaves(one.parameters)]
    return f"Parameters, as they are set without you:\n{columns(rows)}"


def _leaves(section: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The keys that hold a value; of a part of a method, its class and its parameters."""
    for name, value in section.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _yaml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else "null" if value is None else str(value)


def _coloured(code: str) -> str:
    if not coloured(sys.stdout):
        return code
    from io import StringIO

    from rich.console import Console
    from rich.syntax import Syntax

    drawn = StringIO()
    console = Console(file=drawn, force_terminal=True, width=width(sys.stdout))
    console.print(Syntax(code, "python", background_color="default", word_wrap=True))
    return "\n".join(line.rstrip() for line in drawn.getvalue().splitlines())


def _rows(one: "Option", config_dir: Path | None) -> str:
    """Three rows that the task really draws: tokens, their ids, and which of them are scored."""
    from posemb.eval.text import is_text
    from posemb.run.build import class_of, instance, part
    from posemb.run.check import check
    from posemb.run.compose import compose
    from posemb.seeds import stream

    config = compose([f"task={one.name}"], config_dir)
    check(config, config_dir)
    task = part(config, "task")
    sizes = [24] if is_text(task) else [size for size in range(1, 5) if task.length(size) <= 48]
    size = max(sizes, default=1)
    batch = task.sample(size, 3, stream(0, "show"), "train")
    scheme = instance(config["ids"], class_of(config["ids"]).span(batch.layout))
    ids = scheme.assign(batch.layout, False, stream(0, "show", "ids"))
    drawn = [
        _row(task.decode(batch.tokens[row]), ids[min(row, ids.shape[0] - 1)].tolist(), batch.scored[row].tolist())
        for row in range(3)
    ]
    return f"Three rows of size {size}, with their ids; ^ marks the scored tokens:\n\n" + "\n".join(drawn).rstrip()


def _row(tokens: str, ids: list[int], scored: list[bool]) -> str:
    """One row in as many columns as fit, a space drawn as ␣, the end of a line as ↵."""
    cell = max(len(str(number)) for number in ids) + 1
    many = max(1, (min(width(sys.stdout), 100) - 8) // cell)
    drawn: list[tuple[str, list[str]]] = [
        ("tokens", list(tokens.replace(" ", "␣").replace("\n", "↵"))),
        ("ids", [str(number) for number in ids]),
        ("scored", ["^" if one else "" for one in scored]),
    ]
    lines = []
    for first in range(0, len(tokens), many):
        for name, words in drawn:
            part = words[first : first + many]
            if any(part):
                lines.append(f"  {name:6}" + "".join(word.rjust(cell) for word in part))
        lines.append("")
    return "\n".join(line.rstrip() for line in lines)
