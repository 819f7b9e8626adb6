"""The report: a comparison as one HTML file that needs nothing else, on a screen, on paper and without network."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posemb.report.answer import answer, is_text, question
from posemb.report.bound import bound
from posemb.report.cells import CALLED, counted, group_columns
from posemb.report.comparison import Comparison
from posemb.report.export import as_document
from posemb.report.inline import inline, line_colours
from posemb.report.provenance import Record, code, common, differing, machines, shell_line
from posemb.report.sheets import run_rows, size_tables

if TYPE_CHECKING:
    from jinja2 import Environment

MARK = b'name="generator" content="posemb '  # by this a file is known to be a report of ours


def render(
    comparison: Comparison,
    records: Sequence[Record],
    drawings: Mapping[str, str],
    *,
    made: str,
    version: str,
    asked: str | None = None,
    argv: Sequence[str] | None = None,
    git: Mapping[str, Any] | None = None,
) -> str:
    """The whole page.

    Args:
        comparison: what is reported.
        records: every run that was looked at, those that the comparison leaves out included.
        drawings: the figure as the text of SVG files, `wide` and `narrow`; empty where there is no curve to draw.
        made: when, in words.
        version: of posemb, now.
        asked: the question; None takes one made from the groups.
        argv: the command of the sweep that made the runs, without the program's name; None lists one for each run.
        git: commit and dirty flag of the code that planned that sweep.
    """
    asked = asked or question(comparison)
    answered = answer(comparison)
    named = f"{comparison.title}: {comparison.figure} by length"
    seen = f"{comparison.figure} by length in tokens. {' '.join(answered)}"
    colours = dict(zip((group.label for group in comparison.groups), cycle(line_colours()), strict=False))
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            asked=asked,
            answered=answered,
            notes=[_shortened(note, records) for note in comparison.notes],
            made=made,
            version=version,
            comparison=comparison,
            text=is_text(comparison),
            everyone=any(group.everyone for group in comparison.groups),
            summary=_summary(comparison, records),
            drawings={name: inline(one, named, seen, name) for name, one in drawings.items()},
            colours=colours,
            columns=group_columns(comparison),
            measure=CALLED[comparison.measure],
            bound=bound(comparison),
            size_tables=size_tables(comparison),
            runs=run_rows(records, comparison),
            common=common(records),
            differing=differing(records, comparison),
            machines=machines(records),
            commands=[shell_line(argv)] if argv else [shell_line(record.argv) for record in records],
            code=code(git if argv else None) if argv else "",
            dirty=any((one.manifest.get("git") or {}).get("dirty") for one in records),
            data=_data(comparison, records, asked, made, version),
        )
    )


def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("posemb.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["firm"] = lambda text: text.replace(" %", "\u00a0%").replace("≤ ", "≤\u00a0")
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "sort_keys": False}
    return environment


def is_report(path: Path) -> bool:
    """Whether a file is a report that `render` wrote."""
    try:
        with open(path, "rb") as file:
            return MARK in file.read(2048)
    except OSError:
        return False


def _summary(comparison: Comparison, records: Sequence[Record]) -> str:
    """What was compared, in one line under the question."""
    if not comparison.groups:
        return f"{comparison.title} · nothing completed"
    counts = {len(group.documents) for group in comparison.groups}
    seeds = f"{counted(min(counts), 'seed')} each" if len(counts) == 1 else "unequal numbers of seeds"
    steps = {record.document["steps"] for record in records if record.document["state"] == "completed"}
    parts = [
        comparison.title,
        f"trained up to size {_either(comparison.trained_sizes)} ({_either(comparison.trained)} tokens)",
        *([f"{steps.pop():,} steps"] if len(steps) == 1 else []),
        f"{counted(len(comparison.groups), 'group')}, {seeds}",
    ]
    return " · ".join(parts)


def _shortened(note: str, records: Sequence[Record]) -> str:
    """A note with the short names of runs; where they lie on one machine is nobody else's business."""
    for record in records:
        note = note.replace(str(record.document["run"]), record.name)
    return note


def _either(numbers: Sequence[int]) -> str:
    return " or ".join(map(str, numbers))


def _data(comparison: Comparison, records: Sequence[Record], asked: str, made: str, version: str) -> dict[str, Any]:
    """The numbers for other programs: the comparison, and every run once, known by its folder's name."""
    names = {record.document["run"]: record.name for record in records}
    told = as_document(comparison)
    for run in (run for group in told["groups"] for run in group["runs"]):
        run["run"] = names.get(run["run"], run["run"])
    runs = [
        {
            **record.document,
            "run": record.name,
            "settings": dict(record.settings),
            "versions": record.manifest.get("versions"),
            "commit": (record.manifest.get("git") or {}).get("commit"),
        }
        for record in records
    ]
    schema = records[0].document["schema"]
    return {"schema": schema, "question": asked, "made": made, "posemb": version, "comparison": told, "runs": runs}
