"""Whoever follows the README from top to bottom gets what it promises."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks, commands, follow

README = ROOT / "README.md"


def test_its_commands_and_its_python_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "docs").mkdir()  # the commands are those of somebody who stands in a clone
    follow(README, tmp_path, monkeypatch)
    assert "<svg" in (tmp_path / "curves.svg").read_text("utf-8")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()
    for block in blocks(README, "python"):
        exec(compile(block.text, str(README), "exec"), {})
    answers = re.findall(r"^⟨([a-z]{5})→ .{2}$", capsys.readouterr().out, flags=re.MULTILINE)
    assert len(answers) == 3


def test_its_first_two_commands_set_up_and_do_the_job():
    assert list(commands(README))[:2] == [["make", "demo"], ["make", "test"]]


def test_every_verb_of_make_that_a_page_names_exists():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    verbs = set(re.findall(r"^([a-z]+):.*## ", makefile, flags=re.MULTILINE))
    for page in [README, *(ROOT / "docs").glob("*.md")]:
        named = {words[1] for words in commands(page) if words[0] == "make"} if page.name != "cli.md" else set()
        named |= set(re.findall(r"`make ([a-z]+)", page.read_text("utf-8")))
        assert named <= verbs, page.name


def test_its_tree_is_there():
    (tree,) = [block.text for block in blocks(README, "text") if "posemb/\n" in block.text]
    above: Path = ROOT
    for line in tree.splitlines():
        name = line.split()[0]
        path = (above if line.startswith("  ") else ROOT) / name
        assert path.is_dir(), name
        above = above if line.startswith("  ") else path


def test_every_page_can_be_reached_from_it():
    linked = set(re.findall(r"\]\((docs/[\w-]+\.md)", README.read_text("utf-8")))
    assert linked == {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
