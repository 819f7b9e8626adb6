"""The two files of a run that hold tensors: the checkpoint that a run resumes from, and the final weights."""

import io
import os
import shlex
from collections.abc import Mapping
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
    try:
        return load(path.read_bytes())  # load_file refuses a path that is not UTF-8
    except FileNotFoundError as missing:
        told = _remedy(folder, os.path.isfile(folder.path / CHECKPOINT))
        raise RunFolderError(f"{folder.path} has no final weights: {told}") from missing
    except OSError as refusal:
        raise RunFolderError(f"Cannot read {path}: {refusal.strerror}.") from refusal
    except SafetensorError as damage:
        stands = "The run's other files stand."
        raise RunFolderError(f"{path} is damaged and cannot be read ({first_line(damage)}). {stands}") from damage


def restore_weights(folder: RunFolder) -> bool:
    """Write the lost weights of a completed run again, from its checkpoint of the last step; False if none are lost.

    Raises:
        RunFolderError: there is no such checkpoint, or it cannot be read, or the weights cannot be written.
    """
    if folder.state != "completed" or os.path.lexists(folder.path / WEIGHTS):
        return False
    try:
        saved = load_checkpoint(folder) or {}
    except RunFolderError as damage:
        raise RunFolderError(f"{folder.path} has no final weights: {_remedy(folder, False)}") from damage
    if "model" not in saved or saved.get("step") != folder.config["train"].get("steps"):
        raise RunFolderError(f"{folder.path} has no final weights: {_remedy(folder, False)}")
    save_weights(folder, saved["model"])
    return True


def _remedy(folder: RunFolder, restorable: bool) -> str:
    """What the state of a run without weights is, and what brings some."""
    name, state = shlex.quote(str(folder.path)), folder.state
    if state != "completed":
        after = {"running": " Wait for its end.", "diverged": " Start a new one with a lower train.lr."}
        return f"the run is {state}.{after.get(state, f' First: posemb resume {name}')}"
    if restorable:
        return f"{WEIGHTS} is missing. To write it again from the checkpoint: posemb resume {name}"
    typed = [str(word) for word in (folder.manifest.get("argv") or [])[1:]]
    again = f"To run it again: posemb {shlex.join(typed)}" if typed[:1] == ["train"] else "Start the run again."
    return f"{WEIGHTS} is missing, and no {CHECKPOINT} of the last step is there to write it from. {again}"
