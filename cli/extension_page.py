"""An extended model as a person reads it in a terminal, and as a document."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from posemb.labels import position_label

from .comparison_page import wrapped
from .console import coloured, width
from .narrow import Column, narrowed

if TYPE_CHECKING:
    from posemb.report.extension import Outcome, Ratio, Span
    from posemb.run.variants import Extension


def title(done: "Extension") -> str:
    """`rope on last`."""
    choice = done.folder.config["choice"]
    return f"{position_label(choice)} on {choice['task']}"


def page(done: "Extension", found: "Sequence[Outcome]") -> str:
    """A table of the forms, a heat map of sizes and forms, and what they mean."""
    from posemb.report.characters import fitted
    from posemb.report.extension import marked
    from posemb.report.extension_words import answer
    from posemb.report.heat import heat_map

    trained, encoding = done.folder.config["train"]["size"], sys.stdout.encoding
    length = done.folder.manifest["trained_length"]
    head = f"{title(done)}, trained up to size {trained} ({length} tokens), past it under {len(found)} forms"
    tuned = max(one.tuned for one in found)
    if tuned:
        head += f"; tuned: {tuned} steps at a learning rate of {done.rate:.3g}, at sizes up to s times the trained one"
    chart = heat_map(
        {"plain" if one is found[0] else one.label: _shares(one) for one in found},
        trained,
        marked(found, trained),
        min(width(sys.stdout), 110),
        coloured(sys.stdout),
        encoding,
    )
    notes = [f"- {note}" for note in done.notes]
    words = "\n".join(wrapped(line) for line in [*answer(found, trained), *notes])
    return "\n\n".join([wrapped(head), _table(found, trained), chart, fitted(words, encoding)])


def _shares(one: "Outcome") -> dict[int, float | None]:
    return {row["size"]: row["exact_match"] for row in one.rows}


def _table(found: "Sequence[Outcome]", trained: int) -> str:
    """On a terminal that is too narrow, without what matters least."""
    from posemb.report.extension_table import extension_columns, spare

    made = extension_columns(found, trained)
    return narrowed([Column(name, cells) for name, cells in made], spare(made))


def content(done: "Extension", found: "Sequence[Outcome]") -> dict[str, Any]:
    """The document of --json."""
    from posemb.report.extension import farther, farthest
    from posemb.report.extension_words import answer
    from posemb.run.manifest import SCHEMA

    choice, trained = done.folder.config["choice"], done.folder.config["train"]["size"]
    return {
        "schema": SCHEMA,
        "run": str(done.folder.path),
        "position": choice["position"],
        "ids": choice["ids"],
        "task": choice["task"],
        "trained_size": trained,
        "trained_length": done.folder.manifest["trained_length"],
        "device": done.device,
        "threads": done.threads,
        "tuning_rate": done.rate,
        "file": None if done.file is None else str(done.file),
        "best": found.index(farthest(found, trained)),
        "answer": answer(found, trained),
        "notes": done.notes,
        "variants": [
            {
                "scaling": one.scaling,
                "factor": one.factor,
                "tuned": one.tuned,
                "temperature": one.temperature,
                "l90": _span(one.horizon),
                "farther": _span(farther(one, found[0])),
                "curve": [dict(row) for row in one.rows],
            }
            for one in found
        ],
    }


def _span(span: "Span | Ratio | None") -> dict[str, Any] | None:
    return None if span is None else span._asdict()
