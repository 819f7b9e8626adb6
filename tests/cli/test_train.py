import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import torch
import yaml

from posemb.errors import Diverged, Interrupted, RunFolderError
from posemb.run.compose import compose
from posemb.run.folder import RunFolder
from posemb.run.settings import Machine
from posemb.run.watch import Watch
from tests.cli.conftest import TINY, Said

KEYS = {
    "schema", "run", "state", "position", "ids", "task", "seed", "trained_size", "trained_length", "parameters",
    "steps", "device", "threads", "config_hash", "in_distribution", "l90", "seconds", "error", "curve",
}  # fmt: skip


def test_train_prints_one_document(posemb: Callable[..., Said], tmp_path: Path) -> None:
    said = posemb("train", *TINY, "--position", "ape", "--seed", "3", "--runs", tmp_path / "my runs #1", "--json")
    assert said.code == 0
    document = said.json
    assert set(document) == KEYS
    assert (document["position"], document["task"], document["seed"], document["state"]) == (
        "ape",
        "last",
        3,
        "completed",
    )
    assert Path(document["run"]).is_relative_to(tmp_path / "my runs #1")
    assert "posemb show" in said.err and "posemb board" in said.err
    assert "\r" not in said.err and "\x1b" not in said.err


def test_train_ends_with_a_table_a_curve_and_words(posemb: Callable[..., Said], tmp_path: Path) -> None:
    said = posemb("train", *TINY, "--runs", tmp_path)
    assert said.code == 0
    assert all(word in said.out for word in ("exact match", "chance", "In distribution:", "Horizon L90:"))
    assert "\x1b" not in said.out + said.err and "\r" not in said.out + said.err


def test_runs_can_come_from_the_environment(
    posemb: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSEMB_RUNS", str(tmp_path / "there"))
    assert posemb("train", *TINY).code == 0
    assert list((tmp_path / "there").glob("last/rope/s0-*"))


def test_cfg_prints_the_config_and_stops(
    posemb: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = posemb("train", "--cfg", "--position", "ape", "--sizes", "4,8", "train.lr=0.1")
    assert said.code == 0 and not any(tmp_path.iterdir())
    assert yaml.safe_load(said.out) == compose(["position=ape", "eval.sizes=[4,8]", "train.lr=0.1"])


def test_eval_writes_beside_the_curve(posemb: Callable[..., Said], finished: Path) -> None:
    before = (finished / "curve.jsonl").read_bytes()
    said = posemb("eval", finished, "--sizes", "5,4", "--count", "6", "--json")
    assert said.code == 0
    assert [(row["size"], row["count"]) for row in said.json["curve"]] == [(4, 6), (5, 6)]
    assert (finished / "curve.jsonl").read_bytes() == before
    assert any(file.name in said.err for file in finished.glob("eval-*.jsonl"))
    assert "exact match" in posemb("eval", finished, "--sizes", "3").out


def test_a_finished_run_is_not_resumed(posemb: Callable[..., Said], finished: Path) -> None:
    said = posemb("resume", finished)
    assert said.code == 2 and said.out == "" and "completed" in said.err


def test_the_board_is_offered_where_a_run_lies_among_runs(
    posemb: Callable[..., Said], finished: Path, tmp_path: Path
) -> None:
    for copy, offered in (("runs/last/rope/copied", True), ("copied", False)):
        folder = Path(shutil.copytree(finished, tmp_path / copy))
        (folder / "weights.safetensors").unlink()
        said = posemb("resume", folder)
        assert said.code == 0 and f"next: posemb show {folder}" in said.err
        assert (f"next: posemb board {tmp_path}/runs" in said.err) is ("next: posemb board" in said.err) is offered


def test_where_to_compute_can_be_said_later_too(
    posemb: Callable[..., Said], finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert posemb("eval", finished, "--device", "cpu", "--threads", "2").code == 0
    assert torch.get_num_threads() == 2
    monkeypatch.setattr("posemb.cli.follower.Follower.evaluating", _interrupt)
    run = posemb("train", *TINY, "--runs", tmp_path, "--json").json["run"]
    monkeypatch.undo()
    assert posemb("resume", run, "--threads", "2", "--device", "cpu", "--json").json["threads"] == 2


def _interrupt(*_: object) -> None:
    raise Interrupted(2, "Interrupted while evaluating.")


ENDS = {
    "diverged": (lambda: Diverged("The loss is no number at step 1."), 3, "lower train.lr"),
    "interrupted": (lambda: Interrupted(2, "Interrupted after step 1 of 2."), 130, "posemb resume"),
    "terminated": (lambda: Interrupted(15, "Interrupted after step 1 of 2."), 143, "posemb resume"),
    "full": (lambda: RunFolderError("Cannot write metrics.jsonl: No space left on device."), 1, "posemb resume"),
    "unforeseen": (lambda: MemoryError("no room"), 1, "folder is"),
}


@pytest.mark.parametrize(("error", "code", "hint"), ENDS.values(), ids=ENDS)
def test_a_run_that_fails_prints_its_document_all_the_same(
    posemb: Callable[..., Said],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Callable[[], Exception],
    code: int,
    hint: str,
) -> None:
    def stop(self: Watch, row: Mapping[str, object]) -> None:
        raise error()

    monkeypatch.setattr("posemb.cli.follower.Follower.stepped", stop)
    said = posemb("train", *TINY, "--runs", tmp_path, "--json")
    assert said.code == code
    assert set(said.json) == KEYS and said.json["error"] and said.json["curve"] == []
    assert hint in said.err and "Traceback" not in said.err
    monkeypatch.undo()
    assert RunFolder.open(said.json["run"]).state != "completed"
    shown = posemb("show", said.json["run"])
    diverged = code == 3
    assert ("lower train.lr" in shown.err) is diverged and ("posemb resume" in shown.err) is not diverged
    resumed = posemb("resume", said.json["run"], "--json")
    assert resumed.code == 0 and resumed.json["state"] == "completed"
    # What was stopped ends as the same run without a stop.
    straight = posemb("train", *TINY, "--runs", tmp_path / "straight", "--json")
    assert resumed.json["curve"] == straight.json["curve"]


MODULE = '''
from posemb.position.base import PositionMethod

class Mine(PositionMethod):
    """Mine."""
'''


def test_a_method_of_your_own_from_training_to_evaluation(
    posemb: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "their_method.py").write_text(MODULE)
    (tmp_path / "configs/position").mkdir(parents=True)
    (tmp_path / "configs/position/mine.yaml").write_text("_target_: their_method.Mine\n")
    monkeypatch.syspath_prepend(tmp_path)
    mine = ("--config-dir", tmp_path / "configs")
    said = posemb("train", *TINY, "--position", "mine", *mine, "--runs", tmp_path / "runs", "--json")
    assert said.code == 0 and said.json["position"] == "mine"
    run = said.json["run"]
    refused = posemb("eval", run)
    assert refused.code == 2 and "--config-dir" in refused.err and refused.out == ""
    assert posemb("eval", run, *mine, "--sizes", "2").code == 0
    assert posemb("show", run).code == 0


def test_a_terminal_that_goes_away_stops_no_run(
    posemb: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("posemb.cli.following.interactive", lambda stream: True)
    monkeypatch.setattr("rich.progress.Progress.refresh", gone)
    said = posemb("train", *TINY, "--runs", tmp_path, "run.log_every=1", "--json")
    assert said.code == 0 and said.json["state"] == "completed"


@pytest.mark.parametrize("terminal", [True, False])
def test_a_bar_is_drawn_on_a_terminal_only(
    posemb: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    monkeypatch.setattr("posemb.cli.following.interactive", lambda stream: terminal)
    monkeypatch.setenv("FORCE_COLOR", "1")
    said = posemb("train", *TINY, "--runs", tmp_path, "run.log_every=1")
    assert said.code == 0
    assert ("training" in said.err) is terminal
    assert ("step 2/2" in said.err) is not terminal


def test_every_friendly_option_sets_a_key_that_exists() -> None:
    from posemb.cli.friendly import KEYS as friendly

    from posemb.run.compose import keys

    assert set(friendly.values()) <= set(dict(keys(compose([]))))
    assert "device" in Machine.__dataclass_fields__
