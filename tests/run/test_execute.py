"""Start, resume and evaluate, in this process: what they keep, follow, say and refuse."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from safetensors.torch import load_file, save_file

import posemb
from posemb.errors import Diverged, Interrupted, UsageError
from posemb.position.base import PositionMethod
from posemb.run import execute, training
from posemb.run.compose import compose
from posemb.run.execute import evaluate, resume, start
from posemb.run.folder import RunFolder
from posemb.run.result import document
from posemb.run.watch import Watch
from posemb.train.loop import Step

TINY = ("model.width=8", "model.heads=2", "model.layers=1", "train.batch=2", "eval.count=4", "run.device=cpu")
LAST = (*TINY, "task=last", "train.size=2", "train.steps=5", "eval.sizes=[2,3]")
TEXT = (*TINY, "task=text", "train.size=8", "train.steps=1", "eval.sizes=[4,8,12]")
ELSEWHERE = next(name for name, there in {"cuda": torch.cuda.is_available(), "mps": False}.items() if not there)


class Own(PositionMethod):
    """A method that is not posemb's."""


class Listener(Watch):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.totals: list[int] = []
        self.rows: list[Mapping[str, Any]] = []

    def note(self, message: str) -> None:
        self.notes.append(message)

    def evaluating(self, total: int) -> None:
        self.totals.append(total)

    def evaluated(self, row: Mapping[str, Any]) -> None:
        self.rows.append(row)


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """The number of threads is torch's own state."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A text in the working folder."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "sea.txt"
    file.write_text("the sea was calm and the boat lay still; then a wind came up. " * 20, "utf-8")
    return file


def trained(runs: Path, *overrides: str, watch: Watch | None = None) -> RunFolder:
    threads = () if any(token.startswith("run.threads") for token in overrides) else ("run.threads=1",)
    return start(compose([*overrides, *threads]), runs, watch or Watch())


def stop_at(monkeypatch: pytest.MonkeyPatch, step: int, stop: Callable[[], None]) -> None:
    """Let something happen after a step of training, before the step is handed on."""
    real = training.train

    def stopping(*given: Any) -> Iterator[Step]:
        for one in real(*given):
            if one.step == step:
                stop()
            yield one

    monkeypatch.setattr(training, "train", stopping)


def diverge() -> None:
    raise Diverged("The loss became nan.")


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that was stopped after 3 of 5 steps, none of them logged."""
    with monkeypatch.context() as patched, pytest.raises(Interrupted) as error:
        stop_at(patched, 3, interrupt)
        trained(tmp_path / "runs", *LAST)
    assert error.value.run is not None
    return error.value.run


def test_a_text_that_has_changed_is_refused(tmp_path: Path, corpus: Path) -> None:
    folder = trained(tmp_path / "runs", *TEXT, f"task.file={corpus}")
    assert posemb.load(folder.path).task.digest == folder.manifest["corpus"]
    corpus.write_text(corpus.read_text("utf-8").replace("boat", "ship"), "utf-8")  # another text of the same letters
    for again in (
        lambda: posemb.load(folder.path),
        lambda: evaluate(folder.path, [4], 2, Watch()),
    ):
        with pytest.raises(UsageError, match=r"task\.file=.*sea\.txt has changed"):
            again()
    folder.update(state="interrupted")
    with pytest.raises(UsageError, match=r"task\.file=.*sea\.txt has changed"):
        resume(folder.path, Watch())
    assert RunFolder.open(folder.path).state == "interrupted"


def test_a_run_on_a_relative_file_can_be_built_from_anywhere(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = trained(tmp_path / "runs", *TEXT, f"task.file={corpus.name}")
    assert RunFolder.open(folder.path).config["task"]["file"] == str(corpus)
    monkeypatch.chdir("/")
    assert posemb.load(folder.path).task.digest == folder.manifest["corpus"]
    again = trained(tmp_path / "runs", *TEXT, f"task.file={corpus}")
    assert again.manifest["config_hash"] == folder.manifest["config_hash"]


def test_a_device_that_is_not_here_stops_no_evaluation(tmp_path: Path) -> None:
    folder = trained(tmp_path, *LAST)
    file = folder.path / "config.yaml"
    stored = yaml.safe_load(file.read_text("utf-8"))
    stored["run"]["device"] = ELSEWHERE
    file.write_text(yaml.safe_dump(stored), "utf-8")
    here = posemb.load(str(folder.path), device="cpu").device
    assert here.type == "cpu"
    assert evaluate(folder.path, [2], 2, Watch()).rows[0]["size"] == 2
    with pytest.raises(UsageError, match=f"device {ELSEWHERE} is not available here.* sees cpu"):
        posemb.load(folder.path, device=ELSEWHERE)
    with pytest.raises(UsageError, match="device tpu is not available here"):
        posemb.load(folder.path, device="tpu")
    folder.update(state="interrupted")
    with pytest.raises(UsageError, match=ELSEWHERE):
        resume(folder.path, Watch())
    assert resume(folder.path, Watch(), device="cpu").manifest["device"] == "cpu"


def test_an_evaluation_says_what_it_was_computed_with(tmp_path: Path) -> None:
    folder = trained(tmp_path, *LAST)
    torch.set_num_threads(3)
    found = evaluate(folder.path, [2], 2, Watch())
    assert torch.get_num_threads() == found.threads == 1  # the config's
    found = evaluate(folder.path, [2], 2, Watch(), device="cpu", threads=2)
    assert torch.get_num_threads() == found.threads == 2
    reported = document(folder, found.rows, found.device, found.threads)
    assert (reported["device"], reported["threads"], reported["curve"]) == ("cpu", 2, found.rows)
    assert document(folder)["threads"] == 1


def test_a_watch_is_told_the_number_of_rows(tmp_path: Path, corpus: Path) -> None:
    watch = Listener()
    folder = trained(tmp_path / "runs", *TEXT, f"task.file={corpus}", watch=watch)
    evaluate(folder.path, [4, 8], 2, watch)
    assert watch.totals == [6, 4]
    assert len(watch.rows) == 10


def test_sizes_are_looked_at_before_the_first_is_evaluated(tmp_path: Path, corpus: Path) -> None:
    folder, watch = trained(tmp_path / "runs", *TEXT, f"task.file={corpus}"), Listener()
    with pytest.raises(UsageError, match="5000 characters"):
        evaluate(folder.path, [4, 5000], 2, watch)
    assert (watch.totals, watch.rows) == ([], [])


def test_a_folder_whose_name_is_not_utf8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    try:
        odd.mkdir()
    except OSError:
        pytest.skip("this file system takes no such name")
    with monkeypatch.context() as patched, pytest.raises(Interrupted):
        stop_at(patched, 3, interrupt)
        trained(odd / "runs", *LAST)
    [path] = odd.glob("runs/*/*/*")
    done = resume(path, Watch())
    assert evaluate(path, [2], 2, Watch()).file.parent == done.path == path


def test_a_whole_number_for_a_number_is_the_same_run(tmp_path: Path) -> None:
    one, two = (trained(tmp_path, *LAST, f"position.base={base}") for base in ("10000", "10000.0"))
    assert one.manifest["config_hash"] == two.manifest["config_hash"]
    assert type(RunFolder.open(one.path).config["position"]["base"]) is float


def test_runs_that_would_go_into_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "build", lambda *_: pytest.fail("built before the folder was looked at"))
    file = tmp_path / "runs"
    file.write_text("")
    for runs in (file, file / "below"):
        with pytest.raises(UsageError, match=r"runs is not a folder.*--runs") as error:
            trained(runs, *LAST)
        assert "room" not in str(error.value)


def test_the_steps_of_a_run_that_ended_early_are_known(
    tmp_path: Path, interrupted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert RunFolder.open(interrupted).metrics.read() == []
    assert document(RunFolder.open(interrupted))["steps"] == 3
    with monkeypatch.context() as patched, pytest.raises(Diverged):
        stop_at(patched, 5, diverge)
        resume(interrupted, Watch())
    assert (document(RunFolder.open(interrupted))["state"], document(RunFolder.open(interrupted))["steps"]) == (
        "diverged",
        4,
    )
    done, straight = resume(interrupted, Watch()), trained(tmp_path / "straight", *LAST)
    assert document(done)["steps"] == 5
    for row, expected in zip(done.metrics.read(), straight.metrics.read(), strict=True):
        assert all(row[key] == expected[key] for key in ("step", "loss", "accuracy", "lr", "validation"))
    assert done.curve.read() == straight.curve.read()


def test_every_process_of_a_run_is_listed_and_a_difference_is_said(interrupted: Path) -> None:
    watch = Listener()
    done = resume(interrupted, watch, threads=2)
    first, second = RunFolder.open(done.path).manifest["processes"]
    assert list(first) == list(second) == ["started", "argv", "versions", "git", "device", "threads", "cpu"]
    assert (first["threads"], second["threads"], done.manifest["threads"]) == (1, 2, 2)
    assert [note for note in watch.notes if "last bits" in note and "threads is 2, was 1" in note]


def test_nothing_is_said_where_nothing_differs(interrupted: Path) -> None:
    watch = Listener()
    resume(interrupted, watch)
    assert watch.notes == []


def test_a_run_that_took_every_core_keeps_its_threads_on_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("posemb.run.machine.cores", lambda: 1)
    with monkeypatch.context() as patched, pytest.raises(Interrupted) as error:
        stop_at(patched, 1, interrupt)
        trained(tmp_path, *LAST, "run.threads=null")
    for module in ("machine", "execute"):
        monkeypatch.setattr(f"posemb.run.{module}.cores", lambda: 3)
    watch = Listener()
    assert error.value.run is not None
    assert resume(error.value.run, watch).manifest["threads"] == torch.get_num_threads() == 1
    assert "threads is still 1, and this machine has 3 cores" in watch.notes[0]


def test_figures_that_are_not_finite_are_told(tmp_path: Path) -> None:
    folder, watch = trained(tmp_path, *LAST), Listener()
    file = folder.path / "weights.safetensors"
    save_file({name: weight * float("nan") for name, weight in load_file(file).items()}, file)
    evaluate(folder.path, [2], 4, watch)
    assert watch.rows[0]["exact_match"] is watch.rows[0]["loss"] is None
    assert [note for note in watch.notes if "size 2" in note and "not finite" in note]


def test_a_folder_of_your_own_may_be_given_as_a_string(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    (mine / "position").mkdir(parents=True)
    (mine / "position" / "own.yaml").write_text(f"_target_: {__name__}.Own\n")
    folder = start(compose([*LAST, "position=own", "run.threads=1"], mine), tmp_path / "runs", Watch(), mine)
    with pytest.raises(UsageError, match="--config-dir"):
        posemb.load(folder.path)
    assert type(posemb.load(str(folder.path), str(mine)).model.position) is Own
