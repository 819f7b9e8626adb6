"""A real TensorBoard, started as a user starts it, asked over its own HTTP API."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
from posemb.cli.app import run

from posemb.run.folder import RunFolder
from posemb.run.result import document as result
from tests.cli.conftest import TINY, Said

WORDS = (sys.executable, "-m", "posemb.cli", "board")
ALL = {"startIndex": 0, "sliceSize": 100, "colParams": []}
ALL["allowedStatuses"] = [f"STATUS_{word}" for word in ("SUCCESS", "FAILURE", "UNKNOWN", "RUNNING")]


def started(*words: str | Path) -> tuple["subprocess.Popen[str]", str]:
    """A board on any free port, and its address."""
    process = subprocess.Popen(
        [*WORDS, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


class Board:
    """A running board and the folder that it shows."""

    def __init__(self, root: Path, address: str) -> None:
        self.root, self.address = root, address

    def ask(self, what: str, asked: Any = None, **query: str) -> Any:
        url = f"{self.address}data/{what}?{urllib.parse.urlencode(query)}"
        body = None if asked is None else json.dumps(asked).encode()
        request = urllib.request.Request(url, body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def curve(self, folder: Path, tag: str) -> list[tuple[int, float]]:
        """(step, value) of a tag of a run's curve, as TensorBoard tells it; nothing if it knows none."""
        try:
            points = self.ask("plugin/scalars/scalars", run=f"{self.name(folder)}/curve", tag=tag)
        except urllib.error.HTTPError:
            return []
        return [(step, value) for _, step, value in points]

    def groups(self) -> dict[str, dict[str, Any]]:
        """The rows of the HParams tab by their run."""
        return {one["name"]: one for one in self.ask("plugin/hparams/session_groups", ALL).get("sessionGroups", [])}

    def folders(self) -> list[Path]:
        return sorted(path.parent for path in self.root.glob("*/*/*/manifest.json"))

    def name(self, folder: Path) -> str:
        return folder.relative_to(self.root).as_posix()


def until(right: Callable[[], bool]) -> bool:
    """Whether it becomes right in a while: the server reads its folder every five seconds."""
    end = time.monotonic() + 40
    while not right() and time.monotonic() < end:
        time.sleep(0.2)
    return right()


def logged(folder: Path, figure: str) -> list[tuple[int, float]]:
    """A figure as curve.jsonl has it, in the precision of TensorBoard."""
    rows = [json.loads(line) for line in (folder / "curve.jsonl").read_text().splitlines()]
    return [(row["length"], float(numpy.float32(row[figure]))) for row in rows if row[figure] is not None]


def train(runs: Path, *more: str) -> None:
    assert run(["train", *TINY, "--runs", str(runs), *more]) == 0


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    runs = tmp_path_factory.mktemp("board") / "runs"
    train(runs, "--position", "rope", "--sizes", "2,3,9")
    train(runs, "--position", "ape", "--sizes", "2,3,9")
    train(runs, "--position", "rope", "--seed", "1", "position.base=500")
    process, address = started("--runs", runs, "--port", "0")
    try:
        yield Board(runs, address)
    finally:
        process.kill()
        process.communicate()


def test_it_shows_each_run_and_its_curve_and_nothing_else(board: Board) -> None:
    names = {board.name(folder) for folder in board.folders()}
    expected = names | {f"{name}/curve" for name in names}
    assert until(lambda: set(board.ask("runs")) == expected)


@pytest.mark.parametrize("figure", ["exact_match", "token_accuracy", "loss", "entropy"])
def test_its_curves_are_the_rows_of_the_run(board: Board, figure: str) -> None:
    for folder in board.folders():
        assert until(lambda folder=folder: bool(board.curve(folder, f"curve/{figure}")))  # type: ignore[misc]
        assert board.curve(folder, f"curve/{figure}") == logged(folder, figure) != []


def test_every_axis_is_a_column_and_every_run_a_row_with_its_results(board: Board) -> None:
    assert until(lambda: len(board.groups()) == 3)
    experiment = board.ask("plugin/hparams/experiment", {})
    kinds = {info["name"]: info["type"].removeprefix("DATA_TYPE_") for info in experiment["hparamInfos"]}
    assert {kinds[key] for key in ("position", "ids", "task")} == {"STRING"}
    assert {kinds[key] for key in ("seed.init", "seed.data", "position.base", "train.lr")} == {"FLOAT64"}
    differing = [info["name"] for info in experiment["hparamInfos"] if info["differs"]]
    assert differing == ["eval.sizes", "position", "position.base", "seed.data", "seed.init"]
    assert [info["name"] for info in experiment["hparamInfos"]][:5] == differing  # these are what the tab shows unasked
    tags = [info["name"]["tag"] for info in experiment["metricInfos"]]
    assert tags[:2] == ["answer/in_distribution", "answer/l90"]  # the tab shows the first five
    for folder in board.folders():
        row = board.groups()[board.name(folder)]
        cells, [session] = row["hparams"], row["sessions"]
        assert session["status"] == "STATUS_SUCCESS"
        assert cells["position"] == folder.parent.name and cells["task"] == "last"
        seed = float(folder.name[1])
        base = {0.0: 10000.0, 1.0: 500.0}[seed] if cells["position"] == "rope" else None
        assert (cells["seed.init"], cells["seed.data"], cells.get("position.base")) == (seed, seed, base)
        shown = {one["name"]["tag"]: one["value"] for one in row["metricValues"]}
        document = result(RunFolder.open(folder))
        assert shown["answer/l90"] == document["l90"]
        assert shown["answer/in_distribution"] == document["in_distribution"]


def test_it_sees_a_new_run_and_one_that_was_resumed(board: Board) -> None:
    resumed = next(folder for folder in board.folders() if folder.parent.name == "ape")
    before = logged(resumed, "loss")
    manifest = json.loads((resumed / "manifest.json").read_text())
    # As if it had been stopped after the second row.
    (resumed / "manifest.json").write_text(json.dumps(manifest | {"state": "interrupted"}))
    rows = (resumed / "curve.jsonl").read_text().splitlines()
    (resumed / "curve.jsonl").write_text("\n".join(rows[:2]) + "\n")
    assert run(["resume", str(resumed)]) == 0
    train(board.root, "--position", "nope", "train.lr=0.002", "--sizes", "2,4")
    new = next(folder for folder in board.folders() if folder.parent.name == "nope")
    assert until(lambda: board.curve(new, "curve/loss") == logged(new, "loss"))
    assert until(lambda: board.name(new) in board.groups())
    assert len(board.ask("runs")) == 8
    assert board.curve(resumed, "curve/loss") == logged(resumed, "loss") == before
    infos = {info["name"]: info["differs"] for info in board.ask("plugin/hparams/experiment", {})["hparamInfos"]}
    assert infos["train.lr"]  # an axis that nobody varied when the board was started
    assert board.groups()[board.name(resumed)]["sessions"][0]["status"] == "STATUS_SUCCESS"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_in_one_line(finished: Path, number: signal.Signals, code: int) -> None:
    process, address = started(finished.parents[2], "--port", "0")
    assert address.startswith("http://localhost:")
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, "")
    assert "shows 1 run in" in err and f"{address}#hparams" in err
    assert err.splitlines()[-1] == "stopped: TensorBoard has ended."
    assert len(err.splitlines()) == 4  # and none of TensorBoard's own


def test_a_port_that_is_taken(posemb: Callable[..., Said], finished: Path) -> None:
    with socket.create_server(("localhost", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = posemb("board", finished.parents[2], "--port", port)
    assert (said.code, said.out) == (2, "")
    assert port in said.err and "taken" in said.err and len(said.err.splitlines()) == 1


def test_the_next_port_where_its_own_is_taken(finished: Path) -> None:
    try:
        taken = socket.create_server(("localhost", 6006))
    except OSError:
        pytest.skip("port 6006 is taken by somebody else")
    with taken:
        process, address = started(finished.parents[2])
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert address != "http://localhost:6006/" and address.startswith("http://localhost:60")
    assert "Port 6006 is taken" in err


BAD = {
    "board nowhere": ["nowhere", "posemb board DIR"],
    "board .": ["no runs", "posemb train"],
    "board . --port x": ["--port x"],
    "board . --port 65536": ["--port 65536", "65535"],
    "board . --port -1": ["--port -1"],
    "board a b": ["b"],
}


@pytest.mark.parametrize("line", BAD)
def test_wrong_words(posemb: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.chdir(tmp_path)
    said = posemb(*line.split())
    assert (said.code, said.out) == (2, "")
    assert all(word in said.err for word in BAD[line]) and len(said.err.splitlines()) <= 8
    assert not any(tmp_path.iterdir())


def test_a_damaged_curve_is_named(finished: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(finished, tmp_path / "runs" / "last" / "rope" / finished.name))
    for file in run.glob("*.hparams"):
        file.unlink()
    rows = [json.loads(line) for line in (run / "curve.jsonl").read_text().splitlines()]
    del rows[1]["size"]
    (run / "curve.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    process, address = started(tmp_path / "runs", "--port", "0")
    assert address.startswith("http://localhost:")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert f"Not in the HParams tab: {run}/curve.jsonl, line 2, is damaged: size" in err


def test_a_host_that_is_not_this_machine(posemb: Callable[..., Said], finished: Path) -> None:
    said = posemb("board", finished.parents[2], "--host", "no-such-host.invalid", "--port", "0")
    assert (said.code, said.out) == (2, "")
    assert "no-such-host.invalid" in said.err and len(said.err.splitlines()) <= 3
