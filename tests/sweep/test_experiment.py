from pathlib import Path

import pytest
from posemb.cli.app import run

from posemb.errors import UsageError
from posemb.sweep.experiment import read_experiment

ROOT = Path(__file__).parents[2]

WHOLE = """
question: Which of them
  is it?
overrides: [task=last, train.steps=5]
axes:
  position: [ape, rope]
  seed: range(0,3)
  task.file: ["a b", null]
zip: [position, seed]
"""


def test_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(WHOLE)
    found = read_experiment(str(path))
    assert (found.name, found.question, found.zipped) == ("mine", "Which of them is it?", ["position", "seed"])
    assert [token.text for token in found.tokens] == [
        "task=last",
        "train.steps=5",
        "position=choice(ape,rope)",
        "seed=range(0,3)",
        "task.file=choice('a b',null)",
    ]


def test_a_name_is_looked_for_among_the_experiments_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "demo.yaml").write_text("axes: {seed: [0, 1]}")
    monkeypatch.chdir(tmp_path)
    assert read_experiment("demo").name == "demo"
    with pytest.raises(UsageError, match="Did you mean demo"):
        read_experiment("dmo")


@pytest.mark.parametrize(
    ("said", "words"),
    {
        "[1, 2]": "expected the fields question, overrides, axes, zip",
        "axis: {seed: [1]}": "there is no field axis. Did you mean axes?",
        "question: [no]": "question must be a sentence",
        "overrides: task=last": "overrides must be a list of key=value",
        "overrides: [last]": "overrides must be a list of key=value",
        "axes: [seed]": "axes must map each key to its values",
        "axes: {seed: 3}": "the axis seed needs a list of values",
        "axes: {seed: []}": "the axis seed needs a list of values",
        "zip: seed": "zip must be a list of axes",
        "axes: {seed: [1": "not readable as YAML",
    }.items(),
)
def test_what_no_experiment_can_say(tmp_path: Path, said: str, words: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(said)
    with pytest.raises(UsageError) as refusal:
        read_experiment(str(path))
    assert words in str(refusal.value) and str(path) in str(refusal.value)


@pytest.mark.parametrize("path", sorted((ROOT / "experiments").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_saved_question_can_be_planned(path: Path, tmp_path: Path) -> None:
    assert run(["sweep", "-e", str(path), "--dry-run", "--runs", str(tmp_path)]) == 0
