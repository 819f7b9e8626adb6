"""What doctor looks at around posemb: Python, packages, devices, git and the shell."""

import sys
from collections.abc import Iterator
from pathlib import Path

# What a check found: fine, broken (with a remedy), or only worth knowing.
Finding = tuple[str, str, str]
FINE, NOTE, BROKEN = "ok", "note", "broken"


def python() -> Iterator[Finding]:
    """Which Python this is."""
    import platform

    yield FINE, "python", f"{platform.python_version()} at {sys.executable}, on {platform.platform()}"


def packages() -> Iterator[Finding]:
    """Every dependency against the range that the installed posemb asks for."""
    from importlib.metadata import PackageNotFoundError, requires, version

    from packaging.requirements import Requirement

    yield FINE, "posemb", f"{version('posemb')} at {Path(__file__).parents[1]}"
    for requirement in map(Requirement, requires("posemb") or []):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            have = version(requirement.name)
        except PackageNotFoundError:
            yield BROKEN, requirement.name, f"missing: pip install '{requirement}'"
            continue
        fits = requirement.specifier.contains(have, prereleases=True)
        text = f"{have} ({requirement.specifier})" if fits else f"{have} does not fit: pip install '{requirement}'"
        yield FINE if fits else BROKEN, requirement.name, text


def devices() -> Iterator[Finding]:
    """What torch was built for, and what it sees here."""
    import os

    import torch

    build = f"CUDA {torch.version.cuda}" if torch.version.cuda else "CPU"
    yield FINE, "torch build", f"{build} build"
    seen = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    seen += ["mps"] if torch.backends.mps.is_available() else []
    yield FINE, "devices", ", ".join(["cpu", *seen])
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield FINE, "cores", f"{usable} of {os.cpu_count()} usable here; torch takes {torch.get_num_threads()} threads"


def git() -> Iterator[Finding]:
    """Whether runs can record a commit."""
    from shutil import which

    if which("git") is None:
        yield NOTE, "git", "not found: runs will not record a commit"
    else:
        yield FINE, "git", "found: runs record the commit that they were made from"


def completion() -> Iterator[Finding]:
    """Whether `posemb --install-completion` was run, for any shell; it may be loaded in other ways, too."""
    home = Path.home()
    files = {
        "bash": home / ".bash_completions/posemb.sh",
        "zsh": home / ".zfunc/_posemb",
        "fish": home / ".config/fish/completions/posemb.fish",
    }
    installed = [shell for shell, file in files.items() if file.exists()]
    if installed:
        yield FINE, "completion", f"installed for {', '.join(installed)}"
    else:
        yield NOTE, "completion", "not installed: posemb --install-completion, then open a new shell"
