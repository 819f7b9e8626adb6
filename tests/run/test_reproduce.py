import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from posemb.errors import Interrupted, PosembError, UsageError
from posemb.run.check import check
from posemb.run.compose import compose
from posemb.run.difference import circumstances, curve_difference, weights_difference
from posemb.run.execute import start
from posemb.run.reproduce import Reproduction, reproduce
from posemb.run.watch import Watch

LAST = (
    *("task=last", "train.steps=3", "train.size=3", "train.batch=4", "eval.sizes=[2,3]", "eval.count=8"),
    *("model.width=8", "model.heads=2", "model.layers=1", "run.threads=1", "run.device=cpu"),
)


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run, trained once for all."""
    return start(check(compose(LAST)), tmp_path_factory.mktemp("once"), Watch()).path


@pytest.fixture
def run(once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it to tamper with; temporary folders go beside it."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    return Path(shutil.copytree(once, tmp_path / "runs" / "last" / "rope" / once.name))


def left(run: Path) -> list[Path]:
    """What stands in the folder of temporary files."""
    return list((run.parents[3] / "temporary").iterdir())


def contents(run: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in run.parents[2].rglob("*") if path.is_file()}


def tamper(path: Path, change: Callable[[Any], Any]) -> None:
    path.write_text(json.dumps(change(json.loads(path.read_text()))))


def again(run: Path, **more: Any) -> Reproduction:
    return reproduce(run, Watch(), **more)


def test_the_same_comes_out_and_nothing_is_left(run: Path) -> None:
    before = contents(run)
    found = again(run)
    assert found.identical and found.curve and found.weights
    assert (found.differences, found.folder) == ([], None)
    assert not [line for line in found.circumstances if "uncommitted code" not in line]
    assert left(run) == []
    assert contents(run) == before  # nothing in it, nothing beside it


def test_it_takes_the_threads_of_the_run_whatever_its_config_says(run: Path) -> None:
    found = again(run, keep=True)
    assert found.folder is not None and found.folder.is_relative_to(left(run)[0])
    tamper(run / "manifest.json", lambda manifest: manifest | {"threads": 2})
    other = again(run, keep=True)
    assert other.folder is not None
    threads = [json.loads((path / "manifest.json").read_text())["threads"] for path in (found.folder, other.folder)]
    assert threads == [1, 2]


def test_one_weight_is_enough(run: Path) -> None:
    weights = load_file(run / "weights.safetensors")
    name = "embedding.weight"
    weights[name][0, 0] += 0.25
    save_file(weights, run / "weights.safetensors")
    found = again(run)
    assert (found.identical, found.curve, found.weights) == (False, True, False)
    assert found.differences == [f"weights: 1 of {len(weights)} tensors; farthest apart in {name}, by 0.25"]
    assert found.folder is not None and left(run) == [found.folder.parents[2]]


def test_one_row_is_enough(run: Path) -> None:
    rows = [json.loads(line) for line in (run / "curve.jsonl").read_text().splitlines()]
    rows[1]["loss"] += 0.5
    (run / "curve.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = again(run)
    assert (found.identical, found.curve, found.weights) == (False, False, True)
    first, farthest = found.differences
    assert first.startswith("curve: first at size 3, where loss is ")
    assert farthest == "curve: farthest apart in loss at size 3, by 0.5"


def test_what_is_recorded_differently_is_named(run: Path) -> None:
    def older(manifest: dict[str, Any]) -> dict[str, Any]:
        versions = manifest["versions"] | {"torch": "1.0"}
        git = {"commit": "0" * 40, "dirty": False, "folder": "/elsewhere"}
        return manifest | {"versions": versions, "git": git, "cpu": "ABACUS", "platform": "a lake", "processes": []}

    tamper(run / "manifest.json", older)
    told = again(run, threads=2).circumstances
    assert f"torch is {torch.__version__}, was 1.0".split("+")[0] in told[0].split("+")[0]
    for part in ("threads is 2, was 1", "was ABACUS", "was a lake"):
        assert any(part in line for line in told), told


def test_a_run_of_two_halves_says_so(run: Path) -> None:
    def resumed(manifest: dict[str, Any]) -> dict[str, Any]:
        [first] = manifest["processes"]
        return manifest | {"processes": [first, first | {"threads": 2}]}

    tamper(run / "manifest.json", resumed)
    assert "the run was resumed: threads was 1, then 2" in again(run).circumstances


def test_a_folder_of_its_own_keeps_the_second_run(run: Path, tmp_path: Path) -> None:
    found = again(run, runs=tmp_path / "mine")
    assert found.identical and found.folder is not None
    assert found.folder == tmp_path / "mine" / "last" / "rope" / run.name
    assert left(run) == []
    with pytest.raises(UsageError, match="double"):
        again(run, runs=run.parents[2])


@pytest.mark.parametrize("state", ["interrupted", "failed", "diverged"])
def test_only_a_completed_run_has_an_end_to_compare_with(run: Path, state: str) -> None:
    tamper(run / "manifest.json", lambda manifest: manifest | {"state": state})
    with pytest.raises(UsageError, match=f"is {state}.*posemb resume"):
        again(run)
    assert left(run) == []


def test_a_text_that_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    text = tmp_path / "text.txt"
    text.write_text("the dog bites the man and the man bites the dog. " * 40)
    words = ("task=text", f"task.file={text}", "train.size=8", "eval.sizes=[8]", "train.steps=2", "train.batch=2")
    done = start(check(compose([*LAST[5:], *words])), tmp_path / "runs", Watch())
    assert again(done.path).identical
    text.write_text("the man bites the dog and the dog bites the man. " * 40)
    with pytest.raises(UsageError, match="has changed"):
        again(done.path)
    assert {path.name for path in tmp_path.iterdir()} == {"text.txt", "runs"}


@pytest.mark.parametrize("error", [Interrupted(2, "Interrupted."), PosembError("No room."), KeyboardInterrupt()])
def test_whatever_stops_it_leaves_nothing(run: Path, error: BaseException) -> None:
    class Stop(Watch):
        def started(self, folder: Path, facts: Mapping[str, Any]) -> None:
            assert folder.exists() and facts["steps"] == 3
            raise error

    with pytest.raises(type(error)):
        reproduce(run, Stop())
    assert getattr(error, "run", None) is None  # nobody is told to go on with it
    assert left(run) == []


def test_the_farthest_figure_and_the_first_row() -> None:
    rows = [{"size": size, "loss": 1.0, "exact_match": 0.5, "status": "ok"} for size in (1, 2, 3)]
    now = [rows[0], rows[1] | {"loss": 1.25}, rows[2] | {"exact_match": 1.0}]
    assert curve_difference(rows, rows) == []
    assert curve_difference(rows, now) == [
        "curve: first at size 2, where loss is 1.25, was 1.0",
        "curve: farthest apart in exact_match at size 3, by 0.5",
    ]
    assert curve_difference(rows, rows[:2]) == ["curve: 2 rows, was 3"]
    assert curve_difference(rows[:1], [rows[0] | {"loss": None}]) == [
        "curve: first at size 1, where loss is None, was 1.0"
    ]
    assert curve_difference([{"size": 1, "low": None}], [{"size": 1}]) == [
        "curve: first at size 1, where low is absent, was None"
    ]
    blocked = [{"size": 8, "mode": "blocked", "loss": 1.0}]
    assert "at size 8, blocked" in curve_difference(blocked, [blocked[0] | {"loss": 2.0}])[0]


def test_weights_are_compared_as_bits() -> None:
    one = {"a": torch.tensor([0.0, 1.0]), "b": torch.tensor(float("nan"))}
    assert weights_difference(one, {name: tensor.clone() for name, tensor in one.items()}) == []  # a NaN is itself
    minus = one | {"a": torch.tensor([-0.0, 1.0])}
    assert weights_difference(one, minus) == ["weights: 1 of 2 tensors; farthest apart in a, by 0"]
    assert weights_difference(one, {"a": one["a"]}) == ["weights: b is only in the first run"]
    assert weights_difference(one, one | {"a": torch.zeros(3)}) == ["weights: a is (3,) float32, was (2,) float32"]


def test_what_an_older_posemb_did_not_record_is_no_difference() -> None:
    now = {"versions": {"torch": "2"}, "cpu": "AVX2", "threads": 1, "git": {"commit": "a", "dirty": True}}
    assert circumstances({"versions": {"torch": "2"}, "threads": 1, "git": None}, now) == ["uncommitted code: now"]
