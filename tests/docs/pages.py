"""The pages as tests read them: their blocks of code, the files that they tell a reader to write, their commands."""

import re
import shlex
import sys
from collections.abc import Iterator
from glob import glob
from pathlib import Path
from typing import NamedTuple

import pytest
from posemb.cli.app import run

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]

BLOCK = re.compile(r"^(?:<!-- file: (\S+) -->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What makes a command quick.
SHORT = {
    "train": (("--steps", "3"), ("--sizes", "3,5"), ("--threads", "1"), ("eval.count=16",)),
    "sweep": (("--steps", "3"), ("--sizes", "3,5"), ("eval.count=16",)),
    "eval": (("--count", "8"),),
    "extend": (("--to", "2"), ("--tune", "1"), ("--sizes", "3,5"), ("--count", "8")),
}
WAITING = ("board",)  # goes on until it is stopped


class Block(NamedTuple):
    file: str
    language: str
    text: str


def blocks(page: Path, language: str = "") -> list[Block]:
    """The fenced blocks of a page, of one language or of all."""
    found = [Block(*match) for match in BLOCK.findall(page.read_text("utf-8"))]
    return [block for block in found if language in ("", block.language)]


def write_files(page: Path, folder: Path) -> None:
    """Write the files that the page tells its reader to write."""
    for block in blocks(page):
        if block.file:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, "utf-8")


def commands(page: Path) -> Iterator[list[str]]:
    """The words of every command in the page's console blocks, in order."""
    for block in blocks(page, "console"):
        for line in block.text.splitlines():
            assert line.startswith("$ "), f"{page.name}: {line!r} is no command"
            yield shlex.split(line.removeprefix("$ "), comments=True)


def newest_run(folder: Path) -> str:
    runs = sorted(folder.glob("runs/*/*/*/manifest.json"), key=lambda path: path.stat().st_mtime_ns)
    return str(runs[-1].parent.relative_to(folder))


def shortened(argv: list[str]) -> list[str]:
    """The command with these options, in place of its own."""
    for option, *value in SHORT.get(argv[0], ()):
        if value and option in argv:
            del argv[argv.index(option) : argv.index(option) + 2]
        argv = [*argv, option, *value]
    return argv


def follow(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the page's posemb commands in `folder`, training shortened; RUN is the newest run there."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv("POSEMB_RUNS", raising=False)
    for words in commands(page):
        if words == ["export", "PYTHONPATH=."]:
            monkeypatch.syspath_prepend(str(folder))
        if words[0] != "posemb" or words[1] in WAITING:
            continue
        argv = [newest_run(folder) if word == "RUN" else word for word in words[1:]]
        argv = [path for word in argv for path in (sorted(glob(word)) if "*" in word else [word])]
        argv = shortened(argv)
        assert run(argv) == 0, f"{page.name}: posemb {shlex.join(argv)}"


def forget(page: Path) -> None:
    """Drop the modules that the page's files brought, so that no other test meets them."""
    for block in blocks(page):
        if block.file.endswith(".py"):
            sys.modules.pop(block.file.removesuffix(".py"), None)
