"""The long tables of a report: groups by sizes, and every run."""

from collections.abc import Mapping, Sequence
from typing import Any

from posemb.eval.horizon import RIGHT_ENOUGH
from posemb.labels import seed_label
from posemb.report.cells import counted, size_cell
from posemb.report.comparison import Comparison, Group, Row
from posemb.report.grouping import group_label
from posemb.report.provenance import Record
from posemb.report.table import NOTHING, multiple, percent

ABREAST = 5  # groups in one table of sizes: as many as a sheet of paper holds beside each other


def size_tables(comparison: Comparison) -> list[dict[str, Any]]:
    """The tables of groups by sizes: one for each mode of a text, and for each few groups."""
    modes = dict.fromkeys(row.mode for group in comparison.groups for row in group.rows)
    tables = []
    for mode in modes:
        for start in range(0, len(comparison.groups), ABREAST):
            groups = comparison.groups[start : start + ABREAST]
            tables.append({"mode": mode, "groups": groups, "parts": _size_rows(groups, mode)})
    return tables


def _size_rows(groups: Sequence[Group], mode: str | None) -> list[tuple[str, list[Any]]]:
    """The rows of such a table, up to the trained size and past it."""
    places: dict[tuple[int, int, float], Row] = {}
    found: dict[tuple[tuple[int, int, float], str], Row] = {}
    for group in groups:
        for row in (row for row in group.rows if row.mode == mode):
            place = (row.size, row.length, row.multiple)
            places.setdefault(place, row)
            found[place, group.label] = row
    parts: dict[str, list[Any]] = {"up to the trained size": [], "past the trained size": []}
    for place, any_row in sorted(places.items()):
        cells = [
            size_cell(group, found[place, group.label]) if (place, group.label) in found else None for group in groups
        ]
        part = "up to the trained size" if any_row.multiple <= 1 else "past the trained size"
        parts[part].append((place, multiple(any_row.multiple), cells))
    return [(name, rows) for name, rows in parts.items() if rows]


def run_rows(records: Sequence[Record], comparison: Comparison) -> list[dict[str, Any]]:
    """Every run, by group, and why it does not count where it does not; last those that are in no group."""
    by_run = {record.document["run"]: record for record in records}
    rows = []
    for group in comparison.groups:
        for document, counts in zip(group.documents, group.counted, strict=True):
            rows.append(_row(by_run.pop(document["run"]), group.label, "" if counts else _unlearned(document)))
    left = list(by_run.values())
    return rows + [_row(one, group_label([one], comparison.by), _left_out(one.document)) for one in left]


def _unlearned(document: Mapping[str, Any]) -> str:
    if document["in_distribution"] is None:
        up_to = [row for row in document["curve"] if row["size"] <= document["trained_size"]]
        return (
            "a size up to the trained one has no figures" if up_to else "nothing was evaluated up to the trained size"
        )
    lowest, enough = percent(document["in_distribution"]), f"{100 * RIGHT_ENOUGH:g} %"
    return f"did not learn: {lowest} at its lowest up to the trained size, {enough} is asked for"


def _left_out(document: Mapping[str, Any]) -> str:
    if document["state"] == "completed":
        return "left out, see above" if document["curve"] else "nothing was evaluated"
    return (document["error"] or "no error was recorded").splitlines()[0]


def _row(record: Record, label: str, why: str) -> dict[str, Any]:
    document = record.document
    return {
        "group": label,
        "seed": seed_label(document["seed"]),
        "state": document["state"],
        "in_distribution": percent(document["in_distribution"]),
        "l90": NOTHING if document["l90"] is None else str(document["l90"]),
        "seconds": NOTHING if document["seconds"] is None else f"{document['seconds']:,.0f} s",
        "machine": f"{document['device']}, {counted(document['threads'], 'thread')}",
        "name": record.name,
        "why": why,
    }
