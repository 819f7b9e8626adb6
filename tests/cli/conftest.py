from collections.abc import Callable
from pathlib import Path

import pytest
from posemb.cli.app import run

from tests.said import Said

# The smallest run there is. What it learns does not matter here.
TINY = (
    *("--task", "last", "--steps", "2", "--sizes", "2,3", "--threads", "1", "--device", "cpu"),
    *("model.width=8", "model.heads=2", "model.layers=1", "train.batch=2", "train.size=2", "eval.count=8"),
)


@pytest.fixture
def posemb(capfd: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Run a command in this process."""

    def call(*words: str | Path) -> Said:
        code = run([str(word) for word in words])
        return Said(code, *capfd.readouterr())

    return call


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of one finished run with rope."""
    runs = tmp_path_factory.mktemp("finished")
    assert run(["train", *TINY, "--position", "rope", "--runs", str(runs)]) == 0
    return next(runs.glob("*/*/*"))
