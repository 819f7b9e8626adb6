import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Said

Posemb = Callable[..., Said]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders go, and another folder of all runs that must stay empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("POSEMB_RUNS", str(tmp_path / "runs"))
    return folder


@pytest.fixture
def tampered(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished run whose second row is not what came out."""
    copy = Path(shutil.copytree(finished, tmp_path / "last" / "rope" / finished.name))
    rows = [json.loads(line) for line in (copy / "curve.jsonl").read_text().splitlines()]
    rows[1]["loss"] += 0.5
    (copy / "curve.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return copy


def test_identical(posemb: Posemb, finished: Path, place: Path) -> None:
    said = posemb("repro", finished)
    assert said.code == 0
    assert said.out.splitlines()[0] == "identical: curve and weights"
    assert "different" not in said.out and "evaluating 2 rows" in said.err
    assert said.err.splitlines()[-1] == f"next: posemb show {finished}"
    assert not any(place.iterdir()) and not (place.parent / "runs").exists()


def test_identical_in_json(posemb: Posemb, finished: Path, place: Path) -> None:
    said = posemb("repro", finished, "--json")
    assert said.code == 0
    document = said.json
    document["circumstances"] = [line for line in document["circumstances"] if "uncommitted" not in line]
    assert document == {
        "schema": 1, "run": str(finished), "identical": True, "curve": True, "weights": True,
        "differences": [], "circumstances": [], "folder": None,
    }  # fmt: skip


def test_different(posemb: Posemb, tampered: Path, place: Path) -> None:
    said = posemb("repro", tampered, "--threads", "2")
    assert said.code == 1
    lines = said.out.splitlines()
    assert lines[0].startswith("different: curve")
    assert any("curve: first at size" in line for line in lines)
    assert "what may be why:" in lines and "  threads is 2, was 1" in lines
    [kept] = place.iterdir()
    assert f"The second run is in {kept}/last/rope/{tampered.name}." in said.err
    assert said.err.splitlines()[-1] == f"next: posemb show {tampered} {kept}/last/rope/{tampered.name}"


def test_different_with_no_reason_on_record(posemb: Posemb, tampered: Path, place: Path) -> None:
    manifest = json.loads((tampered / "manifest.json").read_text())
    (tampered / "manifest.json").write_text(json.dumps(manifest | {"git": None}))
    said = posemb("repro", tampered, "--json", "--runs", place / "mine")
    assert said.code == 1
    assert (said.json["identical"], said.json["curve"], said.json["weights"]) == (False, False, True)
    assert said.json["folder"] == str(place / "mine" / "last" / "rope" / tampered.name)
    assert [line for line in said.json["circumstances"] if "uncommitted" not in line] == []
    assert posemb("show", said.json["folder"]).code == 0


def test_keep(posemb: Posemb, finished: Path, place: Path) -> None:
    said = posemb("repro", finished, "--keep", "--json")
    assert (said.code, said.json["identical"]) == (0, True)
    assert Path(said.json["folder"]).is_relative_to(place)
    assert (Path(said.json["folder"]) / "weights.safetensors").read_bytes() == (
        finished / "weights.safetensors"
    ).read_bytes()


BAD = {
    "repro": ["RUN"],
    "repro nowhere": ["nowhere", "no run folder"],
    "repro . --device gpu": ["--device gpu", "cuda"],
    "repro . --threads 0": ["--threads 0"],
    "repro .": ["not a run folder"],
}


@pytest.mark.parametrize("line", BAD)
def test_wrong_words(posemb: Posemb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.chdir(tmp_path)
    said = posemb(*line.split())
    assert (said.code, said.out) == (2, "")
    assert all(word in said.err for word in BAD[line]) and len(said.err.splitlines()) <= 8
    assert not any(tmp_path.iterdir())


def test_a_run_that_has_no_end_yet(posemb: Posemb, tampered: Path, place: Path) -> None:
    manifest = json.loads((tampered / "manifest.json").read_text())
    (tampered / "manifest.json").write_text(json.dumps(manifest | {"state": "interrupted"}))
    said = posemb("repro", tampered, "--json")
    assert (said.code, said.out) == (2, "")
    assert f"posemb resume {tampered}" in said.err


def test_the_second_run_never_goes_into_the_first(posemb: Posemb, tampered: Path, place: Path) -> None:
    before = sorted(tampered.rglob("*"))
    (place / "link").symlink_to(tampered)
    for runs in (tampered, tampered / "mine", place / "link", place / "link" / "a" / "b"):
        said = posemb("repro", tampered, "--runs", runs)
        assert (said.code, said.out) == (2, "")
        assert f"--runs {runs}" in said.err and "itself" in said.err and len(said.err.splitlines()) == 1
    assert sorted(tampered.rglob("*")) == before


# Told to end while it compares, when no run is there to hear of it.
TOLD = """
import signal, sys
from posemb.run import reproduce
reproduce.curve_difference = lambda *_: signal.raise_signal(signal.SIGTERM)
from posemb.cli.app import run
sys.exit(run(sys.argv[1:]))
"""


def test_sigterm_after_training_leaves_nothing_behind(finished: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TOLD, "repro", str(finished), "--json"],
        env=os.environ | {"TMPDIR": str(tmp_path)}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (143, "")
    assert done.stderr.splitlines()[-1] == "stopped: Interrupted; the run is as it was."
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_nothing_behind(finished: Path, tmp_path: Path, number: signal.Signals, code: int) -> None:
    copy = Path(shutil.copytree(finished, tmp_path / "runs" / "last" / "rope" / finished.name))
    config = (copy / "config.yaml").read_text()
    assert "steps: 2\n" in config
    config = config.replace("steps: 2\n", "steps: 1000000\n").replace("log_every: 20\n", "log_every: 1\n")
    (copy / "config.yaml").write_text(config)
    before = sorted(tmp_path.rglob("*"))
    place = tmp_path / "temporary"
    place.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "posemb.cli", "repro", str(copy), "--json"],
        env=os.environ | {"TMPDIR": str(place)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert any("run folder" in line for line in process.stderr)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (code, "")
    assert "Traceback" not in err and "posemb resume" not in err
    assert not any(place.iterdir())
    assert sorted(tmp_path.rglob("*")) == sorted([*before, place])
