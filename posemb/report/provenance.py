"""How a comparison was made: what its runs have in common, what differs, with what they ran, and what to type again."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from posemb.report.comparison import Comparison
from posemb.report.grouping import SEEDS, Member, shown
from posemb.report.table import NOTHING

SILENT = ("--json", "--debug")  # these change what is printed, and nothing else


@dataclass(frozen=True)
class Record(Member):
    """A run, as far as a report needs to know it.

    Attributes:
        argv: what to type for this run again, without the program's name.
    """

    argv: Sequence[str]

    @property
    def name(self) -> str:
        """Where it lies below the folder of all runs."""
        return short(self.document["run"])


def short(run: str) -> str:
    """A run's folder without the way to the folder of all runs, which is nobody else's business."""
    return "/".join(PurePath(run).parts[-3:])


def common(records: Sequence[Record]) -> str:
    """The settings on which all runs agree, as YAML, one key a line; seeds aside."""
    first, *others = [record.settings for record in records]
    agreed = {
        key: value
        for key, value in first.items()
        if key not in SEEDS and all(key in other and other[key] == value for other in others)
    }
    return "\n".join(f"{key}: {written(value)}" for key, value in agreed.items())


def written(value: Any) -> str:
    """A value as YAML, in one line."""
    import yaml

    text = yaml.safe_dump(value, allow_unicode=True, default_flow_style=True, width=float("inf"))
    return str(text).strip().removesuffix("...").strip()  # YAML's mark for the end of a lone scalar


def differing(records: Sequence[Record], comparison: Comparison) -> list[tuple[str, list[str]]]:
    """The settings that are not the same everywhere, seeds aside: each key, and what every group has there."""
    settings = {record.document["run"]: record.settings for record in records}
    every = [settings[one["run"]] for group in comparison.groups for one in group.documents if one["run"] in settings]
    keys = list(dict.fromkeys(key for one in every for key in one if key not in SEEDS))
    parts = list(dict.fromkeys(key.partition(".")[0] for key in keys))
    keys.sort(key=lambda key: parts.index(key.partition(".")[0]))  # position.base beside position
    table = []
    for key in keys:
        if all(key in one and one[key] == every[0].get(key) for one in every):
            continue
        cells = []
        for group in comparison.groups:
            own = [settings[one["run"]] for one in group.documents if one["run"] in settings]
            cells.append(", ".join(dict.fromkeys(shown(one[key]) for one in own if key in one)) or NOTHING)
        table.append((key, cells))
    return table


def machines(records: Sequence[Record]) -> list[tuple[str, list[str]]]:
    """What ran it: each fact, and its values; more than one where the runs do not agree, with how many have it."""
    facts = {
        "posemb": lambda one: _version(one, "posemb"),
        "Python": lambda one: _version(one, "python"),
        "torch": lambda one: _version(one, "torch"),
        "Hydra": lambda one: _version(one, "hydra-core"),
        "code": lambda one: code(one.get("git")),
        "device": lambda one: one.get("device") or NOTHING,
        "CPU threads": lambda one: str(one.get("threads") or NOTHING),
        "CPU instructions": lambda one: one.get("cpu") or NOTHING,
        "system": lambda one: one.get("platform") or NOTHING,
    }
    table = []
    for fact, of in facts.items():
        values = [of(record.manifest) for record in records]
        often = {value: values.count(value) for value in dict.fromkeys(values)}
        named = [f"{value} ({number} of {len(values)} runs)" for value, number in often.items()]
        if list(often) != [NOTHING]:
            table.append((fact, named if len(often) > 1 else list(often)))
    return table


def code(git: Mapping[str, Any] | None) -> str:
    """A commit in words."""
    if not git:
        return "no git commit was recorded"
    dirty = {True: ", with changes that were not committed", False: "", None: ", changes unknown"}
    return f"commit {git['commit']}{dirty[git.get('dirty')]}"


def shell_line(argv: Sequence[str]) -> str:
    """A command as it can be pasted into a shell, the program by its name.

    Where one machine keeps its runs is left out, and so is what only changes what is printed.
    """
    words, skip = ["posemb"], False
    for word in argv:
        if not skip and word not in SILENT and word != "--runs" and not word.startswith("--runs="):
            words.append(word)
        skip = word == "--runs"
    return shlex.join(words)


def _version(manifest: Mapping[str, Any], package: str) -> str:
    return (manifest.get("versions") or {}).get(package) or NOTHING
