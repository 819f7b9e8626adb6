"""An option's YAML file: its own section, and what the comment at its top says."""

from collections.abc import Collection
from itertools import takewhile
from pathlib import Path
from typing import Any

from posemb.errors import UsageError
from posemb.run.nearest import meant


def section_of(file: Path, group: str) -> dict[str, Any]:
    """The part of the file that describes the group; a file may also set other groups (package _global_).

    Raises:
        UsageError: it is not readable as YAML.
    """
    import yaml

    try:
        content = yaml.safe_load(file.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise UsageError(f"{file}: not readable as YAML: {' '.join(str(error).split())[:300]}") from error
    content = content if isinstance(content, dict) else {}
    return dict(content[group] if isinstance(content.get(group), dict) and "_target_" not in content else content)


def built_on(file: Path, group: str) -> dict[str, str]:
    """The options of its group that a file's defaults list names, by where each goes: `{"parts.rope": "rope"}`.

    Raises:
        UsageError: it is not readable as YAML.
    """
    entries = section_of(file, group).get("defaults")
    words = [one for one in entries if isinstance(one, str)] if isinstance(entries, list) else []
    found = [word.partition("@") for word in words if word[:1] not in ("/", "_")]  # another group, or the file itself
    return {place: name for name, _, place in found}


def stray_default(file: Path, group: str, known: Collection[str]) -> str | None:
    """What is wrong with the file's defaults list, if it names an option of its group that is not `known`."""
    stray = next((name for name in built_on(file, group).values() if name not in known), None)
    if stray is None:
        return None
    return f"{file}: its defaults list names {stray!r}, which is no option of {group}. {meant(stray, known)}"


def comment(file: Path) -> str:
    """The comment at the top of the file, in one line; what begins with @ is Hydra's and not a part of it."""
    lines = (line.strip("# ") for line in takewhile(lambda line: line[:1] == "#", file.read_text("utf-8").splitlines()))
    return " ".join(line for line in lines if line and line[0] != "@")
