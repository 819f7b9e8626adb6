"""What a run computes with: a device, and CPU threads."""

import os

import torch

from posemb.errors import UsageError


def pick_device(name: str) -> torch.device:
    """The device of that name; `auto` takes cuda, then mps, then cpu.

    Raises:
        UsageError: this machine or this build of torch does not have it.
    """
    known = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    available = [device for device, there in known.items() if there]
    if name == "auto":
        name = available[0]
    if name not in available:
        raise UsageError(
            f"device {name} is not available here: torch {torch.__version__} sees {', '.join(available)}. "
            "Choose one of them, or auto."
        )
    return torch.device(name)


def cores() -> int:
    """How many CPU cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use_threads(threads: int | None) -> int:
    """Let torch compute with so many CPU threads and return their number; None takes every core it may use."""
    threads = threads or cores()
    torch.set_num_threads(threads)
    return threads
