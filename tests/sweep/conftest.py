import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.said import Said
from tests.sweep.slurm.cluster import Cluster

# Runs that are as small as they can be.
TINY = (
    *("--task", "last", "--sizes", "2,3", "--device", "cpu"),
    *("model.width=8", "model.heads=2", "model.layers=1", "train.batch=2", "train.size=2", "eval.count=8"),
    *("run.log_every=2", "run.validate_every=1000", "run.checkpoint_every=10"),
)


@pytest.fixture
def posemb(tmp_path: Path) -> Callable[..., Said]:
    """Run a command in a process of its own, in the test's folder."""

    def call(*words: str | Path) -> Said:
        done = subprocess.run(command(*words), capture_output=True, text=True, cwd=tmp_path, env=environment())
        return Said(done.returncode, done.stdout, done.stderr)

    return call


def command(*words: str | Path) -> list[str]:
    """The command line that runs posemb with these words."""
    return [sys.executable, "-m", "posemb.cli", *map(str, words)]


def environment() -> dict[str, str]:
    """This process's, with the tests' own modules importable and threads left to posemb."""
    root = str(Path(__file__).parents[2])
    kept = {key: value for key, value in os.environ.items() if key not in ("OMP_NUM_THREADS", "POSEMB_RUNS")}
    return kept | {"PYTHONPATH": os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])}


@pytest.fixture(scope="session")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for --config-dir: rope under another name, and methods that go wrong."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "position").mkdir()
    for name in ("Raises", "Dies", "Diverges"):
        (folder / "position" / f"{name.lower()}.yaml").write_text(f"_target_: tests.sweep.own.{name}\n")
    return folder


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A Slurm cluster of two nodes, which are this machine under other names."""
    one = Cluster(tmp_path_factory.mktemp("cluster"))
    yield one
    one.shut_down()
