"""posemb list: the methods, id schemes and tasks that there are."""

import sys
from typing import Annotated, Any

import typer

from posemb.errors import UsageError
from posemb.run.nearest import meant

from . import options
from .console import columns, document, out, say

# What each group's options are called.
KINDS = {"methods": "position", "ids": "ids", "tasks": "task"}


def _kinds(incomplete: str) -> list[str]:
    return [kind for kind in KINDS if kind.startswith(incomplete)]


def list_options(
    kind: Annotated[
        str | None, typer.Argument(metavar="[methods|ids|tasks]", help="Only these.", autocompletion=_kinds)
    ] = None,
    config_dir: options.ConfigDir = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """List the position methods with the point where each enters the model, the id schemes and the tasks."""
    from posemb.run.catalog import Option, catalog

    if kind is not None and kind not in KINDS:
        raise UsageError(f"{kind}: nothing of that kind is listed. {meant(kind, KINDS)}")
    found = {name: list(catalog(group, config_dir)) for name, group in KINDS.items() if kind in (None, name)}
    if json:
        from posemb.run.manifest import SCHEMA

        document({"schema": SCHEMA} | {name: [_facts(one) for one in found_] for name, found_ in found.items()})
        return
    for name, members in found.items():
        out(f"{name}\n{columns([_row(one) for one in members], sys.stdout)}\n")
    first: Option = next(iter(found.values()))[0]
    say(f"posemb show {first.name}", "next")


def enters(points: tuple[str, ...]) -> str:
    """Where a method enters the model, in words: `embedding`, `qk`, `scores`, or `nowhere`."""
    return ", ".join(point.removeprefix("at_") for point in points) or "nowhere"


def _row(one: Any) -> tuple[str, ...]:
    parts = f" Here: {', '.join(_methods(one))}." if one.made_of else ""
    return (f"  {one.name}", *([enters(one.points)] if one.group == "position" else []), f"{one.summary}{parts}")


def _methods(one: Any) -> list[str]:
    """What a method is made of: options, whatever they are called as parts; else the class that the file names."""
    from posemb.run.optionfile import built_on

    named = built_on(one.file, one.group)
    return [named.get(f"parts.{part.name}", part.target.rpartition(".")[2]) for part in one.made_of]


def _facts(one: Any) -> dict[str, Any]:
    facts = {"name": one.name, "summary": one.summary, "class": one.target, "parameters": one.parameters}
    return facts | ({"injection_points": list(one.points)} if one.group == "position" else {})
