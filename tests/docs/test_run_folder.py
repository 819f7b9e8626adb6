"""docs/run-folder.md names every file and every key, and no other."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from posemb.cli.app import run

from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "run-folder.md").read_text("utf-8")


class Left(NamedTuple):
    """What one run left: its folder and the document that it printed."""

    folder: Path
    document: dict[str, Any]

    def rows(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / name).read_text("utf-8").splitlines()]


def named(section: str, table: int = 0) -> set[str]:
    """What a table of a section names in its first column."""
    body = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    tables = re.findall(r"^\|---.*\n((?:\|.*\n)+)", body, flags=re.MULTILINE)
    return {name for row in tables[table].splitlines() for name in re.findall(r"`([^`]+)`", row.split("|")[1])}


def printed(command: str) -> list[set[str]]:
    """The keys in each `{...}` of the paragraph that says what a command prints with --json."""
    (paragraph,) = [text for text in PAGE.split("\n\n") if text.startswith(f"`posemb {command} --json` prints")]
    return [set(re.findall(r'"(\w+)"', keys)) for keys in re.findall(r"`\{([^`]+)\}`", paragraph)]


def trained(capsys: pytest.CaptureFixture[str], runs: Path, *more: str) -> Left:
    argv = ["train", "--steps", "2", "--threads", "1", "--runs", str(runs), "--json", *more]
    assert run([*argv, "eval.count=8", "run.log_every=1", "run.validate_every=1"]) == 0
    document = json.loads(capsys.readouterr().out)
    return Left(Path(document["run"]), document)


def test_a_run_with_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    left = trained(capsys, tmp_path, "--task", "last", "--size", "3", "--sizes", "3,5")
    assert run(["eval", str(left.folder), "--sizes", "4", "--count", "8"]) == 0
    assert run(["extend", str(left.folder), "--scaling", "pi", "--to", "2", "--count", "8", "--threads", "1"]) == 0
    files = {str(path.relative_to(left.folder)) for path in left.folder.rglob("*") if path.is_file()}
    files = {re.sub(r"tfevents\..*", "tfevents.*", re.sub(r"(eval|extend)-1\.", r"\1-<n>.", name)) for name in files}
    assert files == named("The folder")
    assert set(left.document) == named("The JSON document")
    capsys.readouterr()
    assert run(["sample", str(left.folder), "--count", "1", "--threads", "1", "--json"]) == 0
    sampled = json.loads(capsys.readouterr().out)
    assert [set(sampled)] == printed("sample RUN")
    assert set(sampled["answers"][0]) == named("The JSON document", table=2)
    assert set(json.loads((left.folder / "manifest.json").read_text("utf-8"))) == named("The manifest")
    assert {key for row in left.rows("metrics.jsonl") for key in row} == named("A row of metrics")
    for row in [*left.document["curve"], *left.rows("curve.jsonl"), *left.rows("eval-1.jsonl")]:
        assert set(row) == named("A row of the curve")
    for row in left.rows("extend-1.jsonl"):
        assert set(row) == named("A row of the curve") | named("A row of the curve", table=2)


def test_what_cite_prints(capsys: pytest.CaptureFixture[str]):
    assert run(["cite", "rope", "copy", "--json"]) == 0
    cited = json.loads(capsys.readouterr().out)
    assert cited["without"] == ["copy"]
    assert [set(cited), set(cited["entries"][0])] == printed("cite")


def test_a_run_on_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("the dog bites the man and the man bites the dog. " * 40, "utf-8")
    left = trained(capsys, tmp_path, "--task", "text", "--size", "8", "--sizes", "8,16", f"task.file={corpus}")
    instead = {"exact_match", "token_accuracy", "low", "high", "chance"}
    assert left.document["curve"]
    for row in left.document["curve"]:
        assert set(row) == named("A row of the curve") - instead | named("A row of the curve", table=1)
