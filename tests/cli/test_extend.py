import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from posemb.errors import Diverged
from tests.cli.conftest import TINY, Said

Posemb = Callable[..., Said]
QUICK = ("--sizes", "2,3", "--count", "8", "--threads", "1", "--device", "cpu")
FORM = ("scaling", "factor", "tuned", "temperature")


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    """A finished run of rope that a test may write into."""
    return Path(shutil.copytree(finished, tmp_path / "last" / "rope" / finished.name))


@pytest.fixture
def other(posemb: Posemb, tmp_path: Path) -> Callable[..., Path]:
    """Make a finished run with other options."""

    def make(*options: str, width: int = 8) -> Path:
        tiny = [f"model.width={width}" if word.startswith("model.width=") else word for word in TINY]
        said = posemb("train", *tiny, *options, "--runs", tmp_path / "other", "--json")
        assert said.code == 0, said.err
        return Path(said.json["run"])

    return make


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def bare(some: list[dict], **form: object) -> list[dict]:
    """The rows of one form, as rows of a curve."""
    mine = [row for row in some if all(row[key] == value for key, value in form.items())]
    assert mine
    return [{key: value for key, value in row.items() if key not in FORM} for row in mine]


def test_the_run_is_never_touched_and_every_call_has_a_file_of_its_own(posemb: Posemb, copied: Path) -> None:
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in copied.rglob("*") if path.is_file()}
    for number in (1, 2):
        said = posemb("extend", copied, *QUICK, "--scaling", "pi", "--to", "2", "--tune", "2")
        assert said.code == 0
        assert f"extend-{number}.jsonl" in said.err
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in before} == before
    new = {path.name for path in copied.rglob("*") if path.is_file()} - {path.name for path in before}
    assert new == {"extend-1.jsonl", "extend-2.jsonl"}
    assert (copied / "extend-1.jsonl").read_bytes() == (copied / "extend-2.jsonl").read_bytes()


def test_what_changes_nothing_gives_the_runs_own_curve_bit_for_bit(posemb: Posemb, copied: Path) -> None:
    assert posemb("extend", copied, *QUICK, "--to", "1").code == 0
    found, own = rows(copied / "extend-1.jsonl"), rows(copied / "curve.jsonl")
    scalings = {row["scaling"] for row in found}
    assert scalings == {"none", "pi", "ntk", "dynamic_ntk", "ntk_by_parts", "yarn", "llama3"}
    for scaling in scalings - {"dynamic_ntk"}:
        assert bare(found, scaling=scaling) == own, scaling
    assert bare(found, scaling="dynamic_ntk")[0] == own[0]  # size 3 is longer than the trained rows


def test_each_form_starts_from_the_trained_weights(posemb: Posemb, copied: Path) -> None:
    tune = ("--to", "2", "--tune", "3")
    assert posemb("extend", copied, *QUICK, "--scaling", "pi", *tune).code == 0
    assert posemb("extend", copied, *QUICK, "--scaling", "none,ntk,pi", *tune).code == 0
    alone, together = rows(copied / "extend-1.jsonl"), rows(copied / "extend-2.jsonl")
    for tuned in (0, 3):
        assert bare(alone, scaling="pi", tuned=tuned) == bare(together, scaling="pi", tuned=tuned)
    assert bare(together, scaling="none", tuned=0) == rows(copied / "curve.jsonl")
    plain, tuned_plain = bare(together, scaling="none", tuned=0), bare(together, scaling="none", tuned=3)
    assert [row["step"] for row in tuned_plain] == [5, 5]
    assert [row["loss"] for row in tuned_plain] != [row["loss"] for row in plain]


def test_temperature_is_an_axis_and_1_changes_nothing(posemb: Posemb, copied: Path) -> None:
    assert posemb("extend", copied, *QUICK, "--scaling", "none", "--temperature", "2,1.0").code == 0
    found = rows(copied / "extend-1.jsonl")
    assert len(found) == 4
    assert bare(found, temperature=1.0) == rows(copied / "curve.jsonl")
    assert [row["loss"] for row in bare(found, temperature=2.0)] != [row["loss"] for row in found[:2]]
    eval_ = posemb("eval", copied, *QUICK, "--temperature", "2", "--json").json["curve"]
    assert [{key: row[key] for key in row if key != "temperature"} for row in eval_] == bare(found, temperature=2.0)
    assert {row["temperature"] for row in eval_} == {2.0}


@pytest.mark.parametrize("position", ["alibi", "rpe", "rope_partial"])
def test_the_temperature_of_an_evaluation_is_for_every_method(
    posemb: Posemb, other: Callable[..., Path], position: str
) -> None:
    folder = other("--position", position)
    one, sharp = (posemb("eval", folder, *QUICK, "--temperature", t, "--json").json["curve"] for t in ("1", "3"))
    assert one == rows(folder / "curve.jsonl")
    assert [row["loss"] for row in sharp] != [row["loss"] for row in one]


def test_the_document(posemb: Posemb, copied: Path) -> None:
    said = posemb("extend", copied, *QUICK, "--scaling", "pi,dynamic_ntk", "--to", "1.5,2", "--json")
    assert said.code == 0
    document = said.json
    assert set(document) == {
        "schema", "run", "position", "ids", "task", "trained_size", "trained_length", "device", "threads",
        "tuning_rate", "file", "best", "answer", "notes", "variants",
    }  # fmt: skip
    assert (document["run"], document["file"]) == (str(copied), str(copied / "extend-1.jsonl"))
    forms = [tuple(one[key] for key in FORM) for one in document["variants"]]
    assert forms == [
        ("none", None, 0, 1.0), ("pi", 1.5, 0, 1.0), ("pi", 2.0, 0, 1.0), ("dynamic_ntk", None, 0, 1.0)
    ]  # fmt: skip
    assert [row for one in document["variants"] for row in one["curve"]] == rows(copied / "extend-1.jsonl")
    for one in document["variants"]:
        assert set(one) == {*FORM, "l90", "farther", "curve"}
        assert set(one["l90"]) == {"value", "low", "high"}
    assert 0 <= document["best"] < 4
    assert any("Oracle" in line for line in document["answer"])


def test_the_page_and_the_figure(posemb: Posemb, copied: Path, tmp_path: Path) -> None:
    figure = tmp_path / "extended.svg"
    said = posemb("extend", copied, *QUICK, "--scaling", "pi", "--tune", "1", "--to", "2", "--figure", figure)
    assert said.code == 0
    head, table, heat, words = said.out.split("\n\n")
    assert head.startswith("rope on last, trained up to size 2 (6 tokens)") and "0.0003" in head
    lines = [line.split() for line in table.splitlines()]
    forms = [["none", "–", "0"], ["pi", "2", "0"], ["none", "2", "1"], ["pi", "2", "1"]]
    assert [line[:3] for line in lines[1:]] == forms
    labels = ["plain", "pi, s = 2", "none, s = 2, tuned", "pi, s = 2, tuned"]
    assert [line.split("  ")[0] for line in heat.splitlines()[1:-1]] == labels
    assert "8 examples" in " ".join(words.split())
    assert "<svg" in figure.read_text() and "pi, s = 2" in figure.read_text()
    assert f"posemb show {copied}" in said.err


BAD = {
    "--to 0.5": ["--to 0.5", "from 1 to"],
    "--to x": ["--to x"],
    "--to nan": ["--to nan"],
    "--scaling pii": ["--scaling pii", "pi"],
    "--scaling zzz": ["--scaling zzz", "yarn"],
    "--temperature 0": ["--temperature 0", "from 0.000001"],
    "--temperature -1": ["--temperature -1"],
    "--tune 0": ["--tune 0"],
    "--count 0": ["--count 0"],
    "--sizes 0": ["--sizes 0"],
    "--figure x.jpg": ["x.jpg", ".png"],
    "--to 1000000": ["--to 1000000", "size 2000000", "1000000"],
    "--to 60000 --tune 1 --sizes 2": ["--tune", "--to 60000", "size 120000", "100000"],
    "--device gpu": ["--device gpu"],
}


@pytest.mark.parametrize("words", BAD)
def test_wrong_words(posemb: Posemb, finished: Path, words: str) -> None:
    before = sorted(finished.rglob("*"))
    said = posemb("extend", finished, *words.split())
    assert (said.code, said.out) == (2, "")
    assert all(word in said.err for word in BAD[words]) and len(said.err.splitlines()) <= 8
    assert sorted(finished.rglob("*")) == before


def test_one_temperature_for_an_evaluation(posemb: Posemb, finished: Path) -> None:
    said = posemb("eval", finished, "--temperature", "1,2")
    assert said.code == 2 and "--temperature 1,2" in said.err and "one number" in said.err


def test_runs_that_cannot_be_extended(posemb: Posemb, copied: Path, other: Callable[..., Path]) -> None:
    said = posemb("extend", other("--position", "alibi"), *QUICK)
    assert (said.code, said.out) == (2, "")
    assert "position=alibi" in said.err and "p_rope, rope, rope_partial" in said.err
    said = posemb("extend", other("--position", "rope", "position.scaling=yarn"), *QUICK)
    assert said.code == 2 and "position.scaling=yarn" in said.err
    manifest = json.loads((copied / "manifest.json").read_text())
    (copied / "manifest.json").write_text(json.dumps(manifest | {"state": "interrupted"}))
    said = posemb("extend", copied, *QUICK)
    assert said.code == 2 and "interrupted" in said.err and f"posemb resume {copied}" in said.err
    assert posemb("extend", copied.parent, *QUICK).code == 2


def test_a_text_cannot_be_extended(posemb: Posemb, other: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("the dog bites the man and the man bites the dog. " * 40)
    folder = other("--task", "text", f"task.file={tmp_path / 'corpus.txt'}")
    said = posemb("extend", folder, *QUICK)
    assert said.code == 2 and "text" in said.err


def test_every_rotary_method_can_be_extended(posemb: Posemb, other: Callable[..., Path]) -> None:
    for position in ("p_rope", "rope_partial"):
        folder = other("--position", position, width=16)
        said = posemb("extend", folder, *QUICK, "--scaling", "pi,ntk_by_parts", "--json")
        assert said.code == 0, said.err
        assert bare(said.json["variants"][0]["curve"], scaling="none") == rows(folder / "curve.jsonl")


def test_ids_that_spread_leave_a_scaling_nothing_to_reach(posemb: Posemb, other: Callable[..., Path]) -> None:
    folder = other("--ids", "randomized")
    for scaling in ("pi", "none,dynamic_ntk", None):
        said = posemb("extend", folder, *QUICK, *(() if scaling is None else ("--scaling", scaling)))
        assert (said.code, said.out) == (2, "")
        assert "ids=randomized" in said.err and "below 30," in said.err and "--scaling none" in said.err
    assert not list(folder.glob("extend-*"))
    plain = (*QUICK, "--scaling", "none", "--temperature", "1,2", "--tune", "1")
    assert posemb("extend", folder, *plain, "--to", "2").code == 0
    said = posemb("extend", folder, *plain, "--to", "1000")
    assert (said.code, said.out) == (2, "") and "--tune" in said.err and "2000" in said.err


def test_what_is_not_sure_is_not_denied(posemb: Posemb, copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = {"none": (1, 0.97, 1), "ntk": (1, 1, 1), "pi": (0.92, 0.88, 0.95)}  # exact match, low, high

    def made(model: Any, task: object, ids: object, sizes: list[int], count: int) -> Iterator[dict[str, Any]]:
        share = shares[model.position.ladder.scaling]
        for size in sizes:
            figures = share if size < 8 or model.position.ladder.scaling == "pi" else (0, 0, 0)
            row = {"size": size, "length": size + 4, "count": count, "status": "ok", "loss": 1.0, "chance": 0.1}
            yield row | dict(zip(("exact_match", "low", "high"), figures, strict=True))

    monkeypatch.setattr("posemb.run.extend.curve", made)
    words = ("extend", copied, "--sizes", "2,4,8", "--scaling", "pi,ntk", "--to", "4")
    said = posemb(*words).out
    assert "≥ 8 (0 to 8)" in said and "No form holds" not in said
    expected = "No form surely holds farther with the trained weights; 2 were tried. Perhaps farther: pi, s = 4"
    assert expected in " ".join(said.split())
    assert any(expected in line for line in posemb(*words, "--json").json["answer"])


def test_a_figure_that_cannot_be_is_refused_before_anything_is_computed(posemb: Posemb, copied: Path) -> None:
    said = posemb("extend", copied, *QUICK, "--figure", copied / "nowhere" / "x.png", "--json")
    assert (said.code, said.out) == (2, "") and "nowhere/x.png: there is no folder" in said.err
    assert not list(copied.glob("extend-*"))


@pytest.mark.parametrize("json", [True, False])
def test_a_figure_that_cannot_be_written_costs_nothing_else(
    posemb: Posemb, copied: Path, tmp_path: Path, json: bool
) -> None:
    figure = tmp_path / f"{'long' * 100}.png"
    said = posemb("extend", copied, *QUICK, "--scaling", "pi", "--figure", figure, *(["--json"] if json else []))
    assert said.code == 1 and "Cannot write" in said.err and "The figure is" not in said.err
    assert f"The rows are in {copied}/extend-1.jsonl" in said.err
    assert len(said.json["variants"]) == 4 if json else "pi, s = 8" in said.out


def test_the_next_command_tunes_the_form_that_was_found(posemb: Posemb, tmp_path: Path) -> None:
    (tmp_path / "position").mkdir()
    (tmp_path / "position/mine.yaml").write_text("_target_: posemb.position.rope.RoPE\nscaling: none\nfactor: 4.0\n")
    own = ("--config-dir", tmp_path)
    folder = posemb("train", *TINY, "--position", "mine", *own, "--runs", tmp_path / "runs", "--json").json["run"]
    form = ("--scaling", "pi", "--to", "1.2345678", "--temperature", "1.25", "--sizes", "2,3", "--count", "8")
    said = posemb("extend", folder, *form, *own, "--threads", "1", "--json")
    assert said.code == 0, said.err
    assert said.json["best"] == 0  # nothing surely holds farther, so it is what the answer calls the best of the rest
    nearest = re.search(r"the best is (\w+)(, s = [\d.]+)?(, t = 1.25)?, up to", " ".join(said.json["answer"]))
    assert nearest is not None
    command = said.err.splitlines()[-1].removeprefix("next: posemb ")
    for words in ("--sizes 2,3", "--count 8", f"--config-dir {tmp_path}", f"--scaling {nearest[1]}"):
        assert f" {words} " in command
    assert (" --to 1.2345678 " in command) and ("--temperature" in command) is bool(nearest[3])
    again = posemb(*command.replace("--figure extended.png", f"--figure {tmp_path}/extended.png").split(), "--json")
    assert again.code == 0, again.err
    tuned = [one for one in again.json["variants"] if one["tuned"] == 50][-1]
    assert (tuned["scaling"], tuned["factor"]) == (nearest[1], 1.2345678)


def test_a_form_that_diverges_is_left_out_and_named(
    posemb: Posemb, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def diverge(*_: object) -> None:
        raise Diverged("The loss became nan at step 1.")

    monkeypatch.setattr("posemb.run.extend.train", diverge)
    said = posemb("extend", copied, *QUICK, "--scaling", "pi", "--to", "2", "--tune", "1", "--json")
    assert said.code == 0
    assert [one["tuned"] for one in said.json["variants"]] == [0, 0]
    plain, note = said.json["notes"]
    assert plain.startswith("none, s = 2, tuned is left out")
    assert note.startswith("pi, s = 2, tuned is left out") and "nan at step 1" in note


def test_ctrl_c_leaves_nothing_behind(copied: Path) -> None:
    before = {path: path.read_bytes() for path in copied.rglob("*") if path.is_file()}
    process = subprocess.Popen(
        [sys.executable, "-m", "posemb.cli", "extend", str(copied), *QUICK, "--scaling", "pi", "--tune", "1000000"],
        env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert any("steps at sizes up to" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err and "as it was" in err
    assert {path: path.read_bytes() for path in copied.rglob("*") if path.is_file()} == before
