from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Said

# Each wrong line, and what its message must hold: the wrong word, and the right one or the choices.
BAD = {
    "trian": ["trian", "train"],
    "zzz": ["zzz", "doctor"],
    "--colour": ["--colour", "Options"],
    "train --positoin rope": ["--positoin", "--position"],
    "train --position ropee": ["--position ropee", "rope"],
    "train --position zzz": ["--position zzz", "alibi"],
    "train --position ape,rope": ["--position ape,rope", "one value"],
    "train --ids random": ["--ids random", "randomized"],
    "train --task coppy": ["--task coppy", "copy"],
    "train position=ropee": ["position=ropee", "rope"],
    "train model.widht=3": ["model.widht=3", "model.width"],
    "train positon=rope": ["positon=rope", "position"],
    "train rope": ["rope", "position=rope"],
    "train --steps": ["--steps"],
    "train --steps abc": ["--steps abc", "whole number"],
    "train --cfg train.steps=abc": ["train.steps=abc", "whole number"],
    "train --cfg --seed -1": ["--seed -1", "at least 0"],
    "train --steps 0": ["--steps 0", "at least 1"],
    "train --seed -1": ["--seed -1", "at least 0"],
    "train --threads 1.5": ["--threads 1.5", "whole number"],
    "train --size 0": ["--size 0", "at least 1"],
    "train --sizes 20,x": ["--sizes 20,x", "20,40,80"],
    "train --sizes 0": ["--sizes 0", "from 1 on"],
    "train --sizes ": ["--sizes", "20,40,80"],
    "train --device gpu": ["--device gpu", "'cuda'"],
    "train --steps 5 train.steps=5": ["--steps 5", "train.steps=5", "twice"],
    "train --seed 1 seed.data=2": ["--seed 1", "seed.data=2", "twice"],
    "train train.lr=-1": ["train.lr=-1", "greater than 0"],
    "train seed=abc": ["seed=abc", "whole number"],
    "train model.width=65": ["model.width=65", "model.heads"],
    "train position._target_=os.system": ["position._target_=os.system", "--config-dir"],
    "train --config-dir nowhere": ["--config-dir nowhere"],
    "train task=text task.file=nowhere.txt": ["nowhere.txt"],
    "train position=ape position.rows=3": ["position.rows=3"],
    "train position=rope_alternating position.layers.rope=evn": ["position.layers.rope=evn: must be 'even' or 'odd'"],
    "train position=ape_rope position.layers.rope=odd": [
        "Write +position.layers.rope=odd or 'position.layers={rope: odd}'."
    ],
    "train run.threads.x=3": ["there is no key run.threads.x"],
    "eval --figure x.png": ["--figure", "Options: --sizes, --count"],
    "eval --cuont 3": ["--cuont", "Did you mean --count?"],
    "eval": ["RUN"],
    "eval nowhere --count 0": ["--count 0"],
    "eval nowhere --count x": ["--count x"],
    "eval nowhere --sizes 1-5": ["--sizes 1-5"],
    "eval a b": ["b"],
    "eval nowhere --device gpu": ["--device gpu", "cuda"],
    "eval nowhere --threads 0": ["--threads 0", "from 1 on"],
    "resume nowhere --device zzz": ["--device zzz", "mps"],
    "resume nowhere --threads ²": ["--threads ²", "from 1 on"],
    "list methds": ["methds", "methods"],
    "list foo": ["foo", "tasks"],
    "show": ["NAME"],
    "show rop": ["rop", "rope"],
    "show position=copy": ["copy"],
    "show rope --figure x.png": ["--figure x.png", "rope"],
}


@pytest.mark.parametrize(("line", "words"), BAD.items(), ids=BAD)
def test_wrong_input_is_named_before_anything_is_made(
    posemb: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = posemb(*line.split(" "))
    assert said.code == 2
    assert said.out == ""
    assert all(word in said.err for word in words), said.err
    assert len(said.err.splitlines()) <= 8 and "Traceback" not in said.err
    assert not any(tmp_path.iterdir())


FOLDERS = {
    "nothing there": (lambda folder: None, 2),
    "no run": (lambda folder: folder.mkdir(), 2),
    "a file": (lambda folder: folder.write_text("x"), 2),
    "half-written": (lambda folder: (folder.mkdir(), (folder / "manifest.json").write_text("{")), 1),
    "newer": (
        lambda folder: (folder.mkdir(), (folder / "manifest.json").write_text('{"schema": 999, "state": "running"}')),
        1,
    ),
}


@pytest.mark.parametrize("command", ["show", "eval", "resume", "extend", "sample", "repro"])
@pytest.mark.parametrize(("make", "code"), FOLDERS.values(), ids=FOLDERS)
def test_a_folder_that_is_no_run(
    posemb: Callable[..., Said], tmp_path: Path, command: str, make: Callable[[Path], object], code: int
) -> None:
    make(tmp_path / "a run=ü #1")
    said = posemb(command, tmp_path / "a run=ü #1")
    assert said.code == code and said.out == ""
    assert "a run=ü #1" in said.err and len(said.err.splitlines()) <= 8


# What becomes of a command on many runs where the only one cannot be read and is left out.
LEFT_WITH_NOTHING = {"runs": 0, "cite": 2, "compare": 2, "report": 2}


@pytest.mark.parametrize("command", LEFT_WITH_NOTHING)
@pytest.mark.parametrize(("make", "code"), FOLDERS.values(), ids=FOLDERS)
def test_a_folder_that_is_none_of_many_runs(
    posemb: Callable[..., Said], tmp_path: Path, command: str, make: Callable[[Path], object], code: int
) -> None:
    make(tmp_path / "a run=ü #1")
    said = posemb(command, tmp_path / "a run=ü #1", "--runs", tmp_path / "none")
    unreadable = code == 1
    assert said.code == (LEFT_WITH_NOTHING[command] if unreadable else 2)
    assert "a run=ü #1" in said.err and len(said.err.splitlines()) <= 8
    assert ("Left out" in said.err) is unreadable and said.out == ""
    assert {path.name for path in tmp_path.iterdir()} <= {"a run=ü #1"}


def test_debug_shows_where(posemb: Callable[..., Said]) -> None:
    assert "Traceback" in posemb("show", "rop", "--debug").err


def test_what_was_not_foreseen_is_one_line_and_says_how_to_see_more(
    posemb: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("by zero\nand more")

    monkeypatch.setattr("posemb.run.catalog.catalog", fail)
    said = posemb("list")
    assert said.code == 1 and said.out == ""
    assert "ZeroDivisionError: by zero\n" in said.err and "--debug" in said.err and "Traceback" not in said.err


def test_ctrl_c_where_no_run_is_there_to_be_saved(posemb: Callable[..., Said], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("posemb.run.catalog.catalog", interrupted)
    said = posemb("list")
    assert said == (130, "", "Interrupted.\n")
