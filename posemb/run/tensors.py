"""The two files of a run that hold tensors: the checkpoint that a run resumes from, and the final weights."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from posemb.errors import RunFolderError
from posemb.run.disk import replace
from posemb.run.folder import RunFolder
from posemb.run.opening import first_line

CHECKPOINT, WEIGHTS = "checkpoint.pt", "weights.safetensors"


def save_checkpoint(folder: RunFolder, state: Mapping[str, Any]) -> None:
    """Keep what a resumed run starts from: plain containers, numbers and tensors.

    Raises:
        RunFolderError: it could not be written; the last checkpoint stands.
    """
    import torch

    # Through memory, because torch reports a full disk as an error of its own that names no file.
    buffer = io.BytesIO()
    torch.save(dict(state), buffer)
    replace(folder.path / CHECKPOINT, buffer.getvalue())


def load_checkpoint(folder: RunFolder) -> dict[str, Any] | None:
    """The last checkpoint, its tensors on the CPU, or None where there is none yet.

    Raises:
        RunFolderError: it cannot be read.
    """
    import torch

    path = folder.path / CHECKPOINT
    if not path.exists():
        return None
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as damage:  # EOFError, RuntimeError, UnpicklingError: each kind of damage has its own
        damaged = f"{path} is damaged and cannot be read ({first_line(damage)})."
        raise RunFolderError(f"{damaged} Delete it and resume: the run starts again from step 0.") from damage


def save_weights(folder: RunFolder, weights: Mapping[str, Any]) -> None:
    """Keep the final weights (a state dict), readable by any program that knows safetensors.

    Raises:
        RunFolderError: they could not be written.
    """
    from safetensors.torch import save

    # The format refuses tensors that share memory.
    own = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in weights.items()}
    replace(folder.path / WEIGHTS, save(own, metadata={"format": "pt"}))


def load_weights(folder: RunFolder) -> dict[str, Any]:
    """The final weights, on the CPU.

    Raises:
        RunFolderError: the run has not finished, or they cannot be read.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    path = folder.path / WEIGHTS
    if not path.exists():
        raise RunFolderError(f"{folder.path} has no final weights: the run is {folder.state}. Resume it first.")
    try:
        return load(path.read_bytes())  # load_file refuses a path that is not UTF-8
    except (SafetensorError, OSError) as damage:
        raise _unreadable(path, damage) from damage


def _unreadable(path: Path, damage: Exception) -> RunFolderError:
    return RunFolderError(f"{path} is damaged and cannot be read ({first_line(damage)}). The run's other files stand.")
