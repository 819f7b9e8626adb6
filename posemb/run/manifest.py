"""What a run's manifest says: who made it, with what, on which machine, and how it ended."""

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from posemb.run.identity import config_hash
from posemb.run.process import me

SCHEMA = 1  # of the run folder and of every JSON document; a larger number was written by a newer posemb

State = Literal["running", "completed", "failed", "diverged", "interrupted"]

PACKAGES = ("posemb", "torch", "hydra-core")


def describe(
    config: Mapping[str, Any],
    *,
    digest: str | None,
    parameters: int,
    trained_length: int,
    device: str,
    threads: int,
) -> dict[str, Any]:
    """The manifest of a run that starts now, in this process.

    Args:
        config: the composed config.
        digest: SHA-256 of the corpus of a task that reads one, else None.
        parameters: learned numbers in the model.
        trained_length: longest training sequence, tokens.
        device: where it computes: cpu, cuda, mps.
        threads: CPU threads in use.
    """
    first = this_process(device, threads)
    return {
        "schema": SCHEMA,
        "state": "running",
        **me(),
        **first,
        "platform": platform.platform(),
        "config_hash": config_hash(config, digest),
        "corpus": digest,
        "seed": dict(config["seed"]),
        "parameters": parameters,
        "trained_length": trained_length,
        "steps": 0,
        "finished": None,
        "timings": {},
        "caution": None,
        "error": None,
        "processes": [first],
    }


def this_process(device: str, threads: int) -> dict[str, Any]:
    """One process that works on a run: this one, from now on."""
    from torch.backends.cpu import get_cpu_capability

    return {
        "started": now(),
        "argv": list(sys.argv),
        "versions": versions(),
        "git": git_state(),
        "device": device,
        "threads": threads,
        "cpu": get_cpu_capability(),  # the widest instructions that torch uses: sums come out in another order
    }


def why_ended(manifest: Mapping[str, Any], state: str) -> str | None:
    """Why a run in this state ended early, or None. A crashed one could not say it; what watched it perhaps did."""
    if state == "crashed" and manifest["error"] is None:
        return f"Process {manifest.get('pid')} is gone: killed, out of memory, a full disk, or a power cut."
    error = manifest["error"]
    return None if error is None else str(error)


def doubt(before: Mapping[str, Any], after: Mapping[str, Any], cores: int | None) -> str | None:
    """Why a resumed run may not equal an uninterrupted one to the last bit, in one line; None where it should.

    Args:
        before: the last process, or the manifest of a run that lists none.
        after: the process that goes on.
        cores: of this machine, where the threads were as many as the first one's cores; else None.
    """
    torch = [one["versions"]["torch"] for one in (before, after)]
    pairs = {"torch": torch, **{key: [before[key], after[key]] for key in ("device", "threads")}}
    told = [f"{key} is {now}, was {then}" for key, (then, now) in pairs.items() if then != now]
    if cores is not None and cores != after["threads"]:
        told.append(f"threads is still {after['threads']}, and this machine has {cores} cores")
    return f"It may differ in the last bits from a run without a break: {'; '.join(told)}." if told else None


def versions() -> dict[str, str | None]:
    """Python's, and those of the packages that decide a result."""
    return {"python": platform.python_version(), **{name: installed(name) for name in PACKAGES}}


def now() -> str:
    """The time in UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def installed(package: str) -> str | None:
    """The installed version of a package, without importing it."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def git_state() -> dict[str, Any] | None:
    """Commit and dirty flag of the code that runs, or None: no git, no repository, no commit.

    The repository is the one that tracks posemb's own source; for an installed posemb, the working folder's (where a
    user's own methods and configs live). `folder` says which.
    """
    source = Path(__file__).parent
    tracked = _git(source, "ls-files", "--error-unmatch", Path(__file__).name) is not None
    folder = source if tracked else Path.cwd()
    root, commit = _git(folder, "rev-parse", "--show-toplevel"), _git(folder, "rev-parse", "--verify", "HEAD")
    if root is None or commit is None:
        return None
    status = _git(folder, "status", "--porcelain")
    return {"folder": root, "commit": commit, "dirty": None if status is None else status != ""}


def _git(folder: Path, *command: str) -> str | None:
    """What git says, or None where it is missing, refuses or takes too long."""
    # No optional locks: looking at a repository must not disturb a commit that is being made in it.
    asked = ["git", "--no-optional-locks", "-C", str(folder), *command]
    try:
        said = subprocess.run(asked, capture_output=True, timeout=10, check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return None
    return os.fsdecode(said.stdout).strip()  # a path need not be UTF-8
