"""Runs as rows: which columns tell them apart, in which order they come, and how they fit a terminal."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from posemb.errors import UsageError
from posemb.labels import seed_label, short
from posemb.run.inventory import Summary, natural
from posemb.sweep.filters import full_key, near_keys

from .console import coloured, lined_up, width
from .failure import quoted

# Columns that every table has, and what they are called in JSON, in CSV and after --sort.
BEFORE, AFTER = ("method", "task", "seed", "state"), ("in distribution", "L90", "seconds", "folder")
FACTS = ("run", "state", "position", "ids", "task", "seed", "in_distribution", "l90", "seconds", "finished", "error")
SORTED = ("method", *FACTS)
OWN = ("position", "ids", "task", "seed.init", "seed.data")
ALSO_CALLED = {"folder": "run"}

# ANSI: green, cyan, yellow, red; 39 is no colour, in as many letters.
COLOURS = {"completed": 32, "running": 36, "interrupted": 33, "failed": 31, "diverged": 31, "crashed": 31}


def axes(shown: Sequence[Summary]) -> dict[str, str]:
    """The settings that differ among the runs, and what to call each: `width`, or `model.width`.

    What an option of a group sets counts where runs of that very option differ: two methods with a setting of one
    name have nothing in common. What has a column of its own is left out. A key without its group is enough as a
    name where no other key ends in it.
    """
    values: dict[tuple[str, str | None], list[Any]] = {}
    for one in shown:
        for key, value in one.settings.items():
            several = values.setdefault((key, one.settings.get(key.partition(".")[0])), [value])
            if value != several[0]:
                several.append(value)
    known = dict.fromkeys(key for key, _ in values)
    differing = dict.fromkeys(key for (key, _), several in values.items() if len(several) > 1)
    taken = (*BEFORE, *AFTER, *FACTS)
    called = {key: short(key) for key in differing if key not in OWN}
    return {key: name if name not in taken and full_key(name, known) == key else key for key, name in called.items()}


def in_order(shown: Sequence[Summary], asked: str) -> list[Summary]:
    """The runs by a column or a setting, `-KEY` downwards; those that have none come last in both directions.

    Raises:
        UsageError: there is no such column and no such setting.
    """
    down, key = asked.startswith("-"), asked.removeprefix("-")
    fact = key.lower().replace(" ", "_")
    fact = ALSO_CALLED.get(fact, fact)
    settings = dict.fromkeys(setting for one in shown for setting in one.settings)
    if fact in SORTED:
        values = [getattr(one, fact) for one in shown]
    else:
        whole = full_key(key, settings)
        if whole is None:
            near = near_keys(key, list(dict.fromkeys([*SORTED, *settings])))
            remedy = f"Did you mean {' or '.join(near)}?" if near else f"Columns: {', '.join(SORTED)}, or any setting."
            raise UsageError(f"--sort {asked}: no such column. {remedy}")
        values = [one.settings.get(whole) for one in shown]
    known = [(one, _rank(value)) for one, value in zip(shown, values, strict=True) if value is not None]
    without = [one for one, value in zip(shown, values, strict=True) if value is None]
    return [one for one, _ in sorted(known, key=lambda pair: pair[1], reverse=down)] + without


def table(shown: Sequence[Summary]) -> str:
    """One row for each run. On a terminal that is too narrow, the columns that matter least are gone."""
    from posemb.report.characters import fitted

    called = axes(shown)
    words = [(*BEFORE, *called.values(), *AFTER), *(_row(one, list(called)) for one in shown)]
    rows = [tuple(fitted(word, sys.stdout.encoding) for word in row) for row in words]
    if sys.stdout.isatty():
        rows = _narrowed(rows, ["seconds", "task", "seed", *reversed(called.values()), "in distribution", "method"])
    return lined_up(_laid_out(rows))


def rows_of_csv(shown: Sequence[Summary]) -> str:
    """A head, then one row for each run: its facts and every setting, empty where it has none."""
    import csv
    from io import StringIO

    settings = dict.fromkeys(key for one in shown for key in one.settings if key not in FACTS)
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*FACTS, *settings])
    for one in shown:
        facts = [seed_label(one.seed) if name == "seed" else getattr(one, name) for name in FACTS]
        writer.writerow([_as_typed(value) for value in (*facts, *map(one.settings.get, settings))])
    return text.getvalue().removesuffix("\n")


def _row(one: Summary, keys: Iterable[str]) -> tuple[str, ...]:
    from posemb.report.table import NOTHING, percent

    settings = [compact(one.settings[key]) if key in one.settings else NOTHING for key in keys]
    seconds = NOTHING if one.seconds is None else f"{one.seconds:.{0 if one.seconds >= 10 else 1}f}"
    results = (percent(one.in_distribution), NOTHING if one.l90 is None else str(one.l90), seconds)
    return (one.method, one.task, seed_label(one.seed), one.state, *settings, *results, quoted(one.run))


def _as_typed(value: Any) -> Any:
    """true, [5, 30], nothing for null; the rest as the csv module writes it."""
    return json.dumps(value) if isinstance(value, bool | list | dict) else value


def compact(value: Any) -> str:
    """A setting in few letters: as it would be typed, a long list or path by its ends."""
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list) and len(value) > 4:
        return f"[{compact(value[0])},...,{compact(value[-1])}]"
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text if len(text) <= 24 else f"{text[:3]}...{text[-18:]}"


def _narrowed(rows: list[tuple[str, ...]], spare: Iterable[str]) -> list[tuple[str, ...]]:
    for name in spare:
        if len(max(lined_up(rows).splitlines(), key=len)) <= width(sys.stdout):
            break
        place = rows[0].index(name)
        rows = [(*row[:place], *row[place + 1 :]) for row in rows]
    return rows


def _rank(value: Any) -> tuple[int, Any]:
    """Something that sorts beside any other: numbers before words, of two seeds the weights' one first."""
    if isinstance(value, Mapping):
        return 0, (value["init"], value["data"])
    return (0, (value,)) if isinstance(value, int | float) else (1, natural(str(value)))


def _laid_out(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Words set to the left, the state in its colour. The rest, figures, is set to the right by `lined_up`."""
    words = [place for place, name in enumerate(rows[0]) if name in BEFORE and name != "seed"]
    widest = {place: max(len(row[place]) for row in rows) for place in words}
    state, colour = rows[0].index("state"), coloured(sys.stdout)
    laid = []
    for row in rows:
        cells = [word.ljust(widest.get(place, 0)) for place, word in enumerate(row)]
        if colour:  # the head too, or its column would be narrower by these letters
            cells[state] = f"\x1b[{COLOURS.get(row[state], 39)}m{cells[state]}\x1b[0m"
        laid.append(tuple(cells))
    return laid


def first_lines(shown: Sequence[Summary], most: int = 5) -> list[str]:
    """Why runs ended badly, a line for each of the first few."""
    bad = [one for one in shown if one.state in ("failed", "diverged", "crashed") and (one.error or "").strip()]
    lines = [f"{quoted(Path(one.run))} {one.state}: {str(one.error).strip().splitlines()[0]}" for one in bad[:most]]
    return lines + ([f"and {len(bad) - most} more"] if len(bad) > most else [])
