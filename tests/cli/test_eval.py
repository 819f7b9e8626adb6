import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import TINY, Said


@pytest.fixture
def mine(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished run, to be changed."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


def test_a_temperature_is_said_with_what_it_did(posemb: Callable[..., Said], mine: Path) -> None:
    said = posemb("eval", mine, "--temperature", "1.2")
    assert said.code == 0
    assert said.out.splitlines()[0].endswith(", seed 0, temperature 1.2")
    assert "\nlast, temperature 1.2: exact match by length" in said.out
    assert "temperature" not in posemb("eval", mine).out
    assert "temperature" not in posemb("show", mine).out.splitlines()[0]


@pytest.mark.parametrize("typed", ["-1", "0", "1e-9", "1e9", "1,2", "x", "nan", ""])
def test_the_bounds_of_a_temperature(posemb: Callable[..., Said], typed: str) -> None:
    said = posemb("eval", "nowhere", "--temperature", typed)
    told = f"error: --temperature {typed}: expected one number from 0.000001 to 1000000.\n"
    assert (said.code, said.out, said.err) == (2, "", told)


def test_what_differs_from_an_options_own_settings_is_in_the_head(posemb: Callable[..., Said], tmp_path: Path) -> None:
    scaled = ["--position", "rope", "position.scaling=yarn", "position.factor=8", "position.base=10000"]
    trained = posemb("train", *TINY, *scaled, "--runs", tmp_path)
    (run,) = tmp_path.glob("*/*/*")
    for said in (trained, posemb("show", run), posemb("eval", run)):
        assert said.out.startswith("rope scaling=yarn factor=8 on last, trained up to size 2")


def test_lost_weights_are_written_again_from_the_checkpoint(posemb: Callable[..., Said], mine: Path) -> None:
    weights, curve = (mine / "weights.safetensors").read_bytes(), (mine / "curve.jsonl").read_bytes()
    (mine / "weights.safetensors").unlink()
    for command in ("eval", "sample", "extend", "repro"):
        said = posemb(command, mine)
        assert said.code == 1 and said.err.endswith(f"from the checkpoint: posemb resume {mine}\n")
    said = posemb("resume", mine)
    assert said.code == 0 and "is written again" in said.err and said.out.startswith("rope on last")
    assert (mine / "weights.safetensors").read_bytes() == weights and (mine / "curve.jsonl").read_bytes() == curve
    assert posemb("eval", mine).code == 0
    said = posemb("resume", mine)
    assert said.code == 2 and "is completed" in said.err


@pytest.mark.parametrize("damage", ["missing", "torn", "earlier"])
def test_weights_that_nothing_brings_back(posemb: Callable[..., Said], mine: Path, damage: str) -> None:
    import torch

    typed = json.loads((mine / "manifest.json").read_text()) | {"argv": ["posemb", "train", "--task", "last", "a=b c"]}
    (mine / "manifest.json").write_text(json.dumps(typed))
    (mine / "weights.safetensors").unlink()
    checkpoint = mine / "checkpoint.pt"
    if damage == "earlier":
        torch.save(torch.load(checkpoint) | {"step": 1}, checkpoint)
    else:
        checkpoint.unlink() if damage == "missing" else checkpoint.write_bytes(b"x")
    said = posemb("resume", mine)
    assert said.code == 1 and "weights.safetensors is missing" in said.err
    assert said.err.endswith("To run it again: posemb train --task last 'a=b c'\n") and "resume" not in said.err
    assert not (mine / "weights.safetensors").exists()


def test_weights_that_cannot_be_read_are_not_called_damaged(posemb: Callable[..., Said], mine: Path) -> None:
    (mine / "weights.safetensors").unlink()
    (mine / "weights.safetensors").mkdir()
    said = posemb("eval", mine)
    assert said.code == 1 and "Cannot read" in said.err and "damaged" not in said.err


def test_a_missing_folder_and_a_sweep_have_a_next_step(
    posemb: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs/sweeps/two").mkdir(parents=True)
    (tmp_path / "runs/sweeps/two/sweep.json").write_text("{}")
    for command in ("eval", "sample", "extend", "resume", "repro"):
        assert "no run folder" in (told := posemb(command, "nope").err) and told.endswith("there is: posemb runs\n")
        for name in ("two", "runs/sweeps/two"):
            said = posemb(command, name)
            assert said.code == 2 and said.err.endswith("the runs of this sweep: posemb runs two\n")


@pytest.mark.parametrize("command", ["show", "eval", "sample", "cite", "runs", "compare", "report", "board"])
def test_a_path_that_cannot_be_looked_at_is_no_surprise(posemb: Callable[..., Said], command: str) -> None:
    said = posemb(command, "a" * 300)  # too long for a name, whoever asks
    assert said.code in (1, 2) and said.out == "" and "not foreseen" not in said.err
