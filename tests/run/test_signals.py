"""Which signals a run takes over, and which it leaves to whoever started it."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from posemb.run import training
from posemb.run.compose import compose
from posemb.run.execute import resume, start
from posemb.run.folder import RunFolder
from posemb.run.signals import Signals
from posemb.run.watch import Watch
from posemb.train.loop import Step

TINY = ("model.width=8", "model.heads=2", "model.layers=1", "train.batch=2", "eval.count=4", "run.device=cpu")
LAST = (*TINY, "task=last", "train.size=2", "train.steps=5", "eval.sizes=[2,3]", "run.threads=1")


@pytest.fixture
def term() -> Iterator[list[int]]:
    """SIGTERM with a handler of somebody else's, which remembers what came."""
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    yield heard
    signal.signal(signal.SIGTERM, before)


def test_a_signal_that_somebody_else_handles_is_left_to_him(term: list[int]) -> None:
    with Signals(lambda: None) as signals:
        os.kill(os.getpid(), signal.SIGTERM)
        assert term == [signal.SIGTERM] and signals.caught is None
        os.kill(os.getpid(), signal.SIGINT)  # that one nobody had claimed
        assert signals.caught == signal.SIGINT
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    os.kill(os.getpid(), signal.SIGTERM)
    assert len(term) == 2


@pytest.mark.parametrize("before", [signal.SIG_DFL, signal.SIG_IGN])
def test_a_signal_that_nobody_chose_a_handler_for_is_taken_and_given_back(before: signal.Handlers) -> None:
    first = signal.signal(signal.SIGTERM, before)
    try:
        with Signals(lambda: None) as signals:
            os.kill(os.getpid(), signal.SIGTERM)
            assert signals.caught == signal.SIGTERM
        assert signal.getsignal(signal.SIGTERM) is before
    finally:
        signal.signal(signal.SIGTERM, first)


def test_a_run_that_is_told_to_leave_is_interrupted_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = training.train

    def leaving(*given: object) -> Iterator[Step]:
        for one in real(*given):  # type: ignore[arg-type]
            if one.step == 4:
                raise SystemExit(-1)
            yield one

    with monkeypatch.context() as patched, pytest.raises(SystemExit):
        patched.setattr(training, "train", leaving)
        start(compose([*LAST, "run.checkpoint_every=2"]), tmp_path, Watch())
    folder = RunFolder.open(next(tmp_path.glob("*/*/*")))
    assert (folder.state, folder.manifest["steps"]) == ("interrupted", 2)
    assert folder.manifest["error"] == "Its process was told to end."
    assert resume(folder.path, Watch()).state == "completed"
