"""The table of an option's parameters."""

from collections.abc import Iterator
from typing import get_type_hints

from posemb.run.catalog import Option
from posemb.run.compose import compose
from posemb.run.target import locate

from .docstrings import entries, kind, literal


def parameters_table(one: Option) -> Iterator[str]:
    """The keys of an option: default, allowed values and meaning."""
    if not one.parameters:
        return
    cls = locate(compose([f"{one.group}={one.name}"]), one.group)
    hints, explained = get_type_hints(cls.__init__, include_extras=True), entries(f"{one.doc}\n", "Args")
    rows = [
        f"| `{one.group}.{key}` | {literal(value)} | {kind(hints[key])} | {explained[key]} |"
        for key, value in one.parameters.items()
    ]
    yield "| key | default | values | meaning |\n|---|---|---|---|\n" + "\n".join(rows)
