import os
import re
from pathlib import Path

import pytest

from posemb.errors import UsageError
from posemb.sweep.selection import Selection, documents, select, sweep_names
from tests.sweep.example import config, made, swept


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two methods on last, over three seeds, and one run on copy, in `runs` below the working folder."""
    monkeypatch.chdir(tmp_path)
    for seed in (10, 2, 0):
        made(Path("runs"), position="rope", task="last", seed=seed)
        made(Path("runs"), position="ape", task="last", seed=seed, model__width=32)
    made(Path("runs"), position="rope", ids="randomized", state="diverged", seed={"init": 0, "data": 1})
    return Path("runs")


def names(selection: Selection) -> list[str]:
    """`last/rope/s0`: what a folder's name says, without the hash."""
    return ["/".join(folder.path.parts[-3:]).rpartition("-")[0] for folder in selection.folders]


ROPE, APE = [[f"last/{name}/s{seed}" for seed in (0, 2, 10)] for name in ("rope", "ape")]
RANDOMIZED = ["copy/rope+randomized/s0.1"]


def test_no_word_is_every_run_seeds_in_natural_order(runs: Path) -> None:
    found = select([], runs)
    assert names(found) == RANDOMIZED + APE + ROPE
    assert found.sweep is None and found.warnings == []


WORDS: dict[str, list[str]] = {
    "runs": RANDOMIZED + APE + ROPE,
    "runs/last": APE + ROPE,
    "runs/last/rope": ROPE,
    "last/rope": ROPE,
    "./runs/../runs/last/rope/": ROPE,
    "task=last": APE + ROPE,
    "position=rope": RANDOMIZED + ROPE,
    "position=r?pe,ape": RANDOMIZED + APE + ROPE,
    "position=rope*": RANDOMIZED + ROPE,
    "method=rope": ROPE,
    "method=*+*": RANDOMIZED,
    "state=diverged": RANDOMIZED,
    "seed=0": [APE[0], ROPE[0]],
    "seed=10,2": APE[1:] + ROPE[1:],
    "seed=0.1": RANDOMIZED,
    "seed.data=1": RANDOMIZED,
    "model.width=32": APE,
    "model.width=32.0": APE,
    "width=32": APE,
    "train.lr=.00001": RANDOMIZED + APE + ROPE,
    "lr=1e-5": RANDOMIZED + APE + ROPE,
    "train.note=1e3": RANDOMIZED + APE + ROPE,
    "train.note=1000": [],
    "eval.sizes=null": RANDOMIZED + APE + ROPE,
    "eval.sizes=5": [],
    "position.base=1e4": [],
    "task=last seed=2": [APE[1], ROPE[1]],
    "runs/last/rope seed=2": [ROPE[1]],
    "runs/last runs/last/rope": APE + ROPE,
}


@pytest.mark.parametrize(("words", "found"), WORDS.items(), ids=WORDS)
def test_words(runs: Path, words: str, found: list[str]) -> None:
    if words == "position.base=1e4":
        assert len(select([], made(runs, task="reverse").path.parents[2]).folders) == 8  # one that has the key
        found = ["reverse/rope/s0"]
    assert names(select(words.split(), runs)) == found


@pytest.mark.parametrize("typed", ["[5,30]", "[5, 30.0]"])
def test_a_list_is_one_value(runs: Path, typed: str) -> None:
    made(runs, task="reverse", eval__sizes=[5, 30])
    assert names(select([f"eval.sizes={typed}"], runs)) == ["reverse/rope/s0"]
    assert names(select([f"eval.sizes=[1,2],{typed}"], runs)) == ["reverse/rope/s0"]
    assert names(select(["eval.sizes=[30,5]"], runs)) == []
    assert names(select(["eval.sizes=[5"], runs)) == []


def test_a_run_is_one_however_it_is_named(runs: Path, tmp_path: Path) -> None:
    one = select([], runs).folders[0].path
    Path("link").symlink_to(one)
    Path("a=b").symlink_to(one)
    found = select([str(one), os.path.relpath(one), "link", "./a=b"], runs)
    assert names(found) == RANDOMIZED
    assert select([], Path("nowhere")).folders == []


def test_a_filter_that_leaves_nothing_says_what_there_is(runs: Path) -> None:
    found = select(["task=last", "position=rope+"], runs)
    assert found.folders == [] and found.warnings == ["position=rope+ leaves no run: position is ape, rope."]
    assert select(["seed=3", "task=copy"], runs).warnings == ["seed=3 leaves no run: seed is 0.1, 0, 2, 10."]


WRONG = {
    "model.widht=3": "model.widht=3: no run has the key model.widht. Did you mean model.width",
    "widht=3": "Did you mean width?",
    "stat=completed": "Did you mean state",
    "data=3,": "expected KEY=VALUE",
    "=3": "expected KEY=VALUE",
    "zzz=3": "posemb train --cfg",
    "runs/last/rop": "no run, no folder of runs and no sweep of that name.\nDid you mean runs/last/rope",
    "methds": "Did you mean methods?",
    "qqqqqqqqqq": "\nRuns: runs/copy/rope+randomized/s0.1-",
    "": "''",
    "empty": "empty holds no run",
    "empty/file": "empty/file: no run",
}


@pytest.mark.parametrize(("word", "said"), WRONG.items(), ids=WRONG)
def test_a_wrong_word_names_the_nearest(runs: Path, word: str, said: str) -> None:
    swept(runs, "methods", [config()])
    Path("empty").mkdir()
    Path("empty/file").touch()
    with pytest.raises(UsageError, match=re.escape(said)) as error:
        select([word], runs)
    assert len(str(error.value).splitlines()) <= 8


def test_a_sweep_is_its_jobs(runs: Path) -> None:
    planned = [config(position="rope", task="last", seed=seed) for seed in (2, 0, 77)]
    sweep = swept(runs, "methods", planned)
    again = made(runs, position="rope", task="last", seed=2, state="interrupted")
    assert again.path.name.endswith("-2")
    for word in ("methods", "runs/sweeps/methods"):
        found = select([word], runs)
        assert names(found) == [ROPE[0], ROPE[1]]  # of the two with seed 2, the one that got farther
        assert found.sweep == sweep
        assert found.warnings == [f"1 of 3 jobs of the sweep methods have not begun: {sweep.jobs[2].key}"]
    assert names(select(["methods", "seed=0"], runs)) == [ROPE[0]]
    assert select(["methods", "runs/sweeps/methods/"], runs).sweep == sweep
    beside = select(["methods", "runs/last/ape"], runs)
    assert names(beside) == [*APE, ROPE[0], ROPE[1]]
    assert beside.sweep is None  # its command would not make all of these runs
    assert select(["runs/last/ape"], runs).sweep is None


def test_two_sweeps_are_no_one_sweep(runs: Path) -> None:
    swept(runs, "one", [config(position="rope", task="last", seed=0)])
    swept(runs, "two", [config(position="ape", task="last", seed=0, model__width=32)])
    found = select(["one", "two"], runs)
    assert names(found) == [APE[0], ROPE[0]] and found.sweep is None
    assert sweep_names(runs) == ["one", "two"]
    swept(Path("other"), "one", [config(position="rope", task="last", seed=77)])
    assert select(["one", "other/sweeps/one"], runs).sweep is None  # of one name, and not the same


def test_a_sweep_in_another_folder_of_runs_has_its_runs_there(runs: Path, tmp_path: Path) -> None:
    swept(runs, "methods", [config(position="rope", task="last", seed=0)])
    (folder,) = select([str(tmp_path / "runs/sweeps/methods")], tmp_path / "other").folders
    assert folder.path.is_relative_to(tmp_path / "runs")


def test_a_bare_name_is_a_sweep_before_a_folder(runs: Path) -> None:
    swept(runs, "last", [config(position="rope", task="last", seed=0)])
    Path("last").mkdir()
    assert names(select(["last"], runs)) == [ROPE[0]]
    with pytest.raises(UsageError, match="holds no run"):
        select(["./last"], runs)


def test_an_empty_folder_here_does_not_hide_one_among_the_runs(runs: Path) -> None:
    Path("last").mkdir()
    assert names(select(["last"], runs)) == APE + ROPE


def test_what_a_sweep_leaves_beside_its_plan_is_no_run(runs: Path) -> None:
    swept(runs, "methods", [config()])
    (runs / "sweeps/methods/s0-12345678").mkdir()
    (runs / ".hidden").mkdir()
    (runs / ".hidden/manifest.json").touch()
    assert len(select([], runs).folders) == 7 and select([], runs).warnings == []


def test_runs_whose_logs_are_damaged_leave_a_selection(runs: Path) -> None:
    found = select(["runs/last/rope"], runs)
    found.folders[1].curve.path.write_text("not JSON\n")
    whole = [folder.path for folder in found.folders if folder is not found.folders[1]]
    assert list(documents(found)) == [folder.path for folder in found.folders] == whole
    (line,) = found.warnings
    assert line.startswith("Left out: runs/last/rope/s2-") and "curve.jsonl, line 1" in line
    for folder in found.folders:
        folder.curve.path.write_text("[]\n")
    with pytest.raises(UsageError, match=r"None of these runs can be read. Left out: .*curve.jsonl"):
        documents(found)


def test_damage_is_a_line_and_the_rest_is_there(runs: Path) -> None:
    whole = select([], runs).folders
    (whole[1].path / "manifest.json").write_text('{"schema": 1')
    (whole[2].path / "config.yaml").unlink()
    (whole[3].path / "config.yaml").write_text("choice: [")
    (whole[4].path / "manifest.json").write_text('{"schema": 99, "state": "completed"}')
    text = (whole[5].path / "config.yaml").read_text()
    (whole[5].path / "config.yaml").write_text(text.replace("size: 20", "size: twenty"))
    (runs / "last/nope").mkdir()
    (runs / "last/nope/s0-12345678").mkdir()
    found = select([], runs)
    assert [folder.path for folder in found.folders] == [whole[0].path, whole[6].path]
    words = ("not whole JSON", "no config.yaml", "flow node", "newer posemb", "train.size", "no manifest.json")
    assert len(found.warnings) == len(words)
    for word in words:
        (line,) = [line for line in found.warnings if word in line]
        assert line.startswith("Left out: runs/last/") and "\n" not in line
