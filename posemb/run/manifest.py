"""What a run's manifest says: who made it, with what, on which machine, and how it ended."""

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
    return {
        "schema": SCHEMA,
        "state": "running",
        **me(),
        "argv": list(sys.argv),
        "versions": {"python": platform.python_version(), **{name: installed(name) for name in PACKAGES}},
        "platform": platform.platform(),
        "git": git_state(),
        "config_hash": config_hash(config, digest),
        "corpus": digest,
        "seed": dict(config["seed"]),
        "parameters": parameters,
        "trained_length": trained_length,
        "device": device,
        "threads": threads,
        "started": now(),
        "finished": None,
        "timings": {},
        "error": None,
    }


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
        said = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return said.stdout.strip()
