"""docs/tasks.md: what each task says about itself, real rows, and how long they are."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from posemb.eval.text import is_text
from posemb.run.build import instance
from posemb.run.catalog import catalog
from posemb.run.compose import compose
from posemb.seeds import stream
from posemb.task.base import Task

from .docstrings import markdown
from .parameters import parameters_table

LICENSE = Path(__file__).parents[2] / "LICENSE"


def tasks_page() -> str:
    """docs/tasks.md."""
    parts = [
        "# Tasks",
        "*Size* is the task's own measure, *length* is always tokens, marks included. ⟨ begins a row, → asks for the "
        "answer, ⟩ ends the row; the answer and ⟩ are what is scored.",
    ]
    for one in catalog("task"):
        config = compose([f"task={one.name}"])
        parts += [f"## {one.name}", markdown(one.about), *parameters_table(one), *rows_of(config)]
    return "\n\n".join(parts) + "\n"


def rows_of(config: dict[str, Any]) -> Iterator[str]:
    """Three rows that the task draws, and how long rows are."""
    section, size = config["task"], config["train"]["size"]
    if section.get("file", ...) is None:
        section = section | {"file": str(LICENSE)}  # the default text differs between Python versions
        yield "Three windows, here of posemb's LICENSE:"
    task: Task = instance(section)
    text = is_text(task)
    shown = 40 if text else next((n for n in (4, 3, 2, 1) if task.length(n) <= 60), 1)
    if not text:
        yield f"Three rows of size {shown}:"
    batch = task.sample(shown, 3, stream(0, "docs", "rows"), "train")
    drawn = [task.decode(row).replace("\n", "⏎") for row in batch.tokens]
    yield "```text\n" + "\n".join(drawn) + "\n```"
    if not text:
        sizes = [1, size, 2 * size, 5 * size]
        header = "| size | " + " | ".join(str(n) for n in sizes) + " |\n|---" + "|---" * len(sizes) + "|"
        lengths = "| length, tokens | " + " | ".join(str(task.length(n)) for n in sizes) + " |"
        chances = "| chance | " + " | ".join(f"{task.chance(n):.2g}" for n in sizes) + " |"
        yield f"Trained on sizes 1 to {size} unless told otherwise.\n\n{header}\n{lengths}\n{chances}"
