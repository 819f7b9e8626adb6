import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch

from posemb.errors import RunFolderError
from posemb.run.folder import RunFolder
from posemb.run.tensors import CHECKPOINT, WEIGHTS, load_checkpoint, load_weights, save_checkpoint, save_weights

Make = Callable[..., RunFolder]


def test_a_checkpoint_comes_back_bit_for_bit(make_run: Make) -> None:
    folder = make_run()
    assert load_checkpoint(folder) is None
    state: dict[str, Any] = {
        "model": {"weight": torch.rand(3, 2)},
        "optimizer": {"state": {0: {"exp_avg": torch.rand(3)}}},
    }
    for step in (1, 2):
        save_checkpoint(folder, {"step": step, **state})
    saved = load_checkpoint(folder)
    assert saved is not None and saved["step"] == 2
    assert torch.equal(saved["model"]["weight"], state["model"]["weight"])
    assert torch.equal(saved["optimizer"]["state"][0]["exp_avg"], state["optimizer"]["state"][0]["exp_avg"])


@pytest.mark.parametrize("keep", [0, 100])
def test_a_torn_checkpoint_is_named(make_run: Make, keep: int) -> None:
    folder = make_run()
    save_checkpoint(folder, {"step": 1, "model": {"weight": torch.ones(100)}})
    file = folder.path / CHECKPOINT
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(RunFolderError, match=r"checkpoint\.pt is damaged"):
        load_checkpoint(folder)


def test_a_checkpoint_that_finds_no_room_leaves_the_last_one(make_run: Make) -> None:
    folder = make_run()
    save_checkpoint(folder, {"step": 1})
    with files_of_at_most(100_000), pytest.raises(RunFolderError) as error:
        save_checkpoint(folder, {"step": 2, "model": torch.ones(1_000_000)})
    assert f"Cannot write {folder.path / CHECKPOINT}: File too large" in str(error.value)
    assert load_checkpoint(folder) == {"step": 1}
    assert not list(folder.path.glob(".*"))


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """A limit on the size of files stands in for a full disk: a write that begins well and then fails."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_weights_come_back_and_may_share_memory(make_run: Make) -> None:
    folder = make_run()
    with pytest.raises(RunFolderError, match="no final weights: the run is running"):
        load_weights(folder)
    tied = torch.arange(6.0).reshape(2, 3)
    save_weights(folder, {"embedding": tied, "head": tied, "turned": tied.T})
    weights = load_weights(folder)
    assert torch.equal(weights["embedding"], tied)
    assert torch.equal(weights["head"], tied)
    assert torch.equal(weights["turned"], tied.T)


def test_torn_weights_are_named(make_run: Make) -> None:
    folder = make_run()
    save_weights(folder, {"weight": torch.ones(100)})
    file = folder.path / WEIGHTS
    file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(RunFolderError, match=r"weights\.safetensors is damaged"):
        load_weights(folder)
