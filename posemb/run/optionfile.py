"""An option's YAML file: its own section, and what the comment at its top says."""

from itertools import takewhile
from pathlib import Path
from typing import Any

from posemb.errors import UsageError


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


def comment(file: Path) -> str:
    """The comment at the top of the file, in one line; what begins with @ is Hydra's and not a part of it."""
    lines = (line.strip("# ") for line in takewhile(lambda line: line[:1] == "#", file.read_text("utf-8").splitlines()))
    return " ".join(line for line in lines if line and line[0] != "@")
