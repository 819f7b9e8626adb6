"""A comparison for other programs: one JSON document, and tables as CSV and Parquet."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posemb.errors import RunFolderError
from posemb.labels import seed_label
from posemb.report.comparison import Comparison, Estimate, Group
from posemb.report.comparison_figure import save_comparison_figure
from posemb.report.group import MEASURES

if TYPE_CHECKING:
    import polars


def as_document(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain values; a group's `runs` are in the order of every `values`."""
    told = asdict(comparison)
    for group, found in zip(comparison.groups, told["groups"], strict=True):
        del found["documents"], found["learned"], found["everyone"]
        found["success"] = dict(zip(("learned", "completed"), group.success, strict=True))
        found["runs"] = [
            {"run": one["run"], "seed": one["seed"], "learned": learned, "counts": counts}
            for one, learned, counts in zip(group.documents, group.learned, group.counted, strict=True)
        ]
    return told


def save_all(comparison: Comparison, folder: Path) -> list[Path]:
    """Write `figure.png`, `.svg`, `.pdf` and the tables of `frames`, each as `.csv` and `.parquet`.

    Raises:
        UsageError: there is no group.
        RunFolderError: something cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written = [
            save_comparison_figure(comparison, folder / f"figure{suffix}") for suffix in (".png", ".svg", ".pdf")
        ]
        for name, frame in frames(comparison).items():
            frame.write_csv(folder / f"{name}.csv")
            frame.write_parquet(folder / f"{name}.parquet")
            written += [folder / f"{name}.csv", folder / f"{name}.parquet"]
    except OSError as refusal:
        raise RunFolderError(f"Cannot write into {folder}: {refusal.strerror or refusal}.") from refusal
    return written


def frames(comparison: Comparison) -> dict[str, "polars.DataFrame"]:
    """Four tables: `groups`, `runs`, `curves` (each group at each size), `seeds` (each run at each size).

    Of a text, each size in each mode.
    """
    import polars

    tables = {
        "groups": [_group(group) for group in comparison.groups],
        "runs": [row for group in comparison.groups for row in _runs(group)],
        "curves": [row for group in comparison.groups for row in _curve(group)],
        "seeds": [row for group in comparison.groups for row in _seeds(group)],
    }
    return {name: polars.DataFrame(rows, infer_schema_length=None) for name, rows in tables.items()}


def _group(group: Group) -> dict[str, Any]:
    row = {**_keys(group), "learned": group.success[0], "completed": group.success[1]}
    for name in MEASURES:
        row |= _estimate(name, group.measure(name))
    versus = group.versus
    for name, end in (("difference_mean", "mean"), ("difference_low", "low"), ("difference_high", "high")):
        row[name] = getattr(versus.difference, end) if versus else None
    return row | {name: getattr(versus, name, None) for name in ("pairs", "p", "adjusted", "least")}


def _runs(group: Group) -> Iterator[dict[str, Any]]:
    for place in range(len(group.documents)):
        figures = {name: group.measure(name).values[place] for name in MEASURES}
        figures = {name: None if value is None else float(value) for name, value in figures.items()}
        yield {**_keys(group), **_run(group, place), **figures}


def _run(group: Group, place: int) -> dict[str, Any]:
    """Which run it is. A path need not be UTF-8; a table must be."""
    document = group.documents[place]
    named = {"run": str(document["run"]).encode(errors="replace").decode(), "seed": seed_label(document["seed"])}
    return named | {"learned": group.learned[place], "counts": group.counted[place]}


def _curve(group: Group) -> Iterator[dict[str, Any]]:
    for row in group.rows:
        place = {"size": row.size, "length": row.length, "multiple": row.multiple, "mode": row.mode}
        yield {**_keys(group), **place, **_estimate("median", row.estimate), "chance": row.chance, "status": row.status}


def _seeds(group: Group) -> Iterator[dict[str, Any]]:
    for place, document in enumerate(group.documents):
        figures = {(row["size"], row.get("mode")): row for row in document["curve"]}
        for row in group.rows:
            at: Mapping[str, Any] = figures[row.size, row.mode]
            value = row.estimate.values[place]
            interval = {"low": at.get("low"), "high": at.get("high")}
            where = {"size": row.size, "length": row.length, "multiple": row.multiple, "mode": row.mode}
            yield {**_keys(group), **_run(group, place), **where, "value": value, **interval, "status": at["status"]}


def _keys(group: Group) -> dict[str, Any]:
    """Its label and its keys; lists, which CSV has no place for, as words."""
    return {"group": group.label} | {
        key: value if isinstance(value, str | int | float | None) else str(value) for key, value in group.keys.items()
    }


def _estimate(name: str, estimate: Estimate) -> dict[str, Any]:
    found = {name: estimate.median, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return {key: None if value is None else float(value) for key, value in found.items()}
