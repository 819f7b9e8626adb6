"""Runs as a person reads them in a terminal: what they were, their tables, their curves, and what that means."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from posemb.labels import heat_label, position_label, seed_label, setting_words

from .console import coloured, columns, lined_up, width
from .failure import quoted

Document = Mapping[str, Any]


def curve_page(documents: Sequence[Document], called: str | None = None) -> str:
    """One run with its whole table, or several side by side, over their common drawing.

    Args:
        documents: the runs'.
        called: of one run, its `title`; None says no more than its document tells.
    """
    from posemb.report.terminal import draw

    heads = [_one(documents[0], called)] if len(documents) == 1 else [_several(documents)]
    if any(document["curve"] for document in documents):
        wide = min(width(sys.stdout), 110)
        heads.append(draw(documents, width=wide, colour=coloured(sys.stdout), encoding=sys.stdout.encoding))
    words = [_fitted(summary(document)) for document in documents] if len(documents) == 1 else []
    return "\n\n".join([*heads, *words])


def _fitted(text: str) -> str:
    from posemb.report.characters import fitted

    return fitted(text, sys.stdout.encoding)


def summary(document: Document) -> str:
    """What a curve came to, in plain words."""
    trained, rows = document["trained_size"], document["curve"]
    if document["state"] != "completed":
        return _ended(document["state"], document["error"])
    if any("mode" in row for row in rows):
        return _text_summary(rows, trained)
    horizon, longest = document["l90"], max((row["size"] for row in rows), default=0)
    lines = [_in_distribution(document)]
    if horizon == 0:
        lines.append("Horizon L90: 0, exact match is below 90 % at the smallest evaluated size.")
    elif horizon is not None:
        reach = "the longest evaluated" if horizon == longest else f"{horizon / trained:.3g} times the trained one"
        lines.append(f"Horizon L90: exact match stays at 90 % or above up to size {horizon}, {reach}.")
    return "\n".join(lines)


def _ended(state: str, error: str | None) -> str:
    """`The run diverged: ...`; an interruption's own message says where, so it goes into the sentence."""
    if state == "interrupted" and error and error.startswith("Interrupted "):
        return f"The run was interrupted {error.removeprefix('Interrupted ')}"
    verb = {"interrupted": "was interrupted", "running": "is still running"}.get(state, state)
    return f"The run {verb}: {error}" if error else f"The run {verb}."


def _in_distribution(document: Document) -> str:
    from posemb.eval.horizon import RIGHT_ENOUGH
    from posemb.report.table import exact_match

    trained, floor = document["trained_size"], document["in_distribution"]
    if floor is None:
        return f"In distribution: unknown, exact match is not known at every size up to {trained}."
    if floor == 1:
        return f"In distribution: exact match is 100 % at every evaluated size up to {trained}."
    lowest = next(row for row in document["curve"] if row["size"] <= trained and row["exact_match"] == floor)
    line = f"In distribution: exact match is lowest at size {lowest['size']}, {exact_match(lowest)}."
    unlearned = "\nThe task was not learned, so what happens past the trained size says little about the method."
    return line if floor >= RIGHT_ENOUGH else line + unlearned


def title(config: Mapping[str, Any], config_dir: Path | None = None) -> str:
    """`rope scaling=yarn factor=4 on last`: method and task, with what differs from their options' own settings."""
    from posemb.run.changed import changed

    from .listing import compact

    choice, settings = config["choice"], {key: compact(value) for key, value in changed(config, config_dir).items()}
    of_task = {key: value for key, value in settings.items() if key.startswith("task.")}
    others = {key: value for key, value in settings.items() if key not in of_task}
    return " ".join([position_label(choice), *setting_words(others), "on", choice["task"], *setting_words(of_task)])


def _one(document: Document, called: str | None) -> str:
    from posemb.report.table import curve_table

    table = curve_table(document)
    called = called or f"{position_label(document)} on {document['task']}"
    head = (
        f"{called}, trained up to size {document['trained_size']} "
        f"({document['trained_length']} tokens), {document['steps']} steps, {document['parameters']:,} parameters, "
        f"seed {seed_label(document['seed'])}{heat_label(document['curve'])}"
    )
    if not table.rows:
        return f"{head}\nNothing was evaluated yet."
    return f"{head}\n\n{_narrowed([table.columns, *table.rows])}"


def _narrowed(rows: Sequence[tuple[str, ...]]) -> str:
    """A table with its head, without the figures that matter least where the terminal is too narrow for all."""
    # Word by word, before they are lined up: `<=` is wider than what it stands for.
    rows = [tuple(map(_fitted, row)) for row in rows]
    for spare in ("entropy", "loss", "tokens", "chance"):
        if len(max(lined_up(rows).splitlines(), key=len)) <= width(sys.stdout):
            break
        if spare in rows[0]:
            place = rows[0].index(spare)
            rows = [(*row[:place], *row[place + 1 :]) for row in rows]
    return lined_up(rows)


def _several(documents: Sequence[Document]) -> str:
    from posemb.report.series import labels
    from posemb.report.table import NOTHING, percent

    head = ("run", "task", "seed", "state", "in distribution", "L90", "folder")
    rows = [
        (
            label,
            one["task"],
            seed_label(one["seed"]),
            one["state"],
            percent(one["in_distribution"]),
            NOTHING if one["l90"] is None else str(one["l90"]),
            quoted(one["run"]),
        )
        for label, one in zip(labels(documents), documents, strict=True)
    ]
    return columns([tuple(map(_fitted, row)) for row in (head, *rows)])


def _text_summary(rows: Sequence[Document], trained: int) -> str:
    known = [row for row in rows if row["bits_per_character"] is not None]
    at = [row for row in known if row["size"] == trained]
    longest = max((row["size"] for row in known), default=trained)
    lines = [f"At the trained window, {trained}: {_bits(at)}."] if at else []
    if longest > trained:
        lines.append(
            f"At {longest / trained:.3g} times it, {longest}: {_bits([r for r in known if r['size'] == longest])}."
        )
    return "\n".join(lines)


def _bits(rows: Sequence[Document]) -> str:
    return ", ".join(f"{row['bits_per_character']:.3f} bits per character {row['mode']}" for row in rows)
