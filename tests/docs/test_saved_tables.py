"""docs/run-folder.md names every column of the saved tables, and no other."""

import re
from pathlib import Path

from posemb.report.export import frames
from tests.report.groups import THREE, compared

PAGE = (Path(__file__).parents[2] / "docs" / "run-folder.md").read_text("utf-8")


def test_every_column_is_on_the_page_and_no_other() -> None:
    section = PAGE.split("## Saved tables")[1].split("\n## ")[0]
    lines = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", section, re.MULTILINE))
    tables = frames(compared(THREE))
    assert list(lines) == list(tables)
    for name, frame in tables.items():
        told = [word for word in re.findall(r"`(\w+)`", lines[name]) if not word.startswith("_")]
        if name == "groups":
            medians = ("area", "l90", "l50", "in_distribution")
            told = [
                one for word in told for one in ([word, f"{word}_low", f"{word}_high"] if word in medians else [word])
            ]
        assert ["group", "position", *told] == frame.columns
