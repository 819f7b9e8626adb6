"""posemb doctor: does this installation work?"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import typer

from . import installation, options
from .console import coloured, columns, out, say
from .installation import BROKEN, FINE, NOTE, Finding


def doctor(
    runs: options.Runs = Path("runs"), config_dir: options.ConfigDir = None, debug: options.Debug = False
) -> None:
    """Check this machine and this installation: versions, devices, folders, configs, and a tiny forward pass."""
    checks: dict[str, Callable[[], Iterator[Finding]]] = {
        "python": installation.python,
        "packages": installation.packages,
        "devices": installation.devices,
        "runs": lambda: _folder(runs),
        "git": installation.git,
        "completion": installation.completion,
        "configs": lambda: _configs(config_dir),
        "forward pass": _forward,
    }
    found = [finding for name, check in checks.items() for finding in _guarded(name, check)]
    out(columns([(_mark(state), subject, text) for state, subject, text in found]))
    broken = [subject for state, subject, _ in found if state == BROKEN]
    if broken:
        say(f"broken: {', '.join(broken)}", "error")
        raise typer.Exit(1)
    say("posemb train --position rope --task last", "next")


def _mark(state: str) -> str:
    if not coloured(sys.stdout):
        return state.ljust(len(BROKEN))
    return f"\x1b[{ {FINE: 32, NOTE: 33, BROKEN: 31}[state] }m{state.ljust(len(BROKEN))}\x1b[0m"


def _guarded(name: str, check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """A check that itself fails is a finding, too: nothing here may hide what comes after it."""
    try:
        yield from check()
    except Exception as error:
        yield BROKEN, name, f"{type(error).__name__}: {error}".splitlines()[0]


def _folder(runs: Path) -> Iterator[Finding]:
    """Whether runs can be written: tried in the folder, or in the nearest one above it that exists."""
    import tempfile

    existing = next(path for path in [runs.absolute(), *runs.absolute().parents] if path.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        yield BROKEN, "runs", f"{runs.absolute()} cannot be written: {error.strerror}. Choose another with --runs DIR."
        return
    yield FINE, "runs", f"{runs.absolute()} can be written" + ("" if runs.exists() else " (it will be made)")


def _configs(config_dir: Path | None) -> Iterator[Finding]:
    """Every option of every group composes, and holds against what it would build."""
    from posemb.errors import PosembError
    from posemb.run.check import check
    from posemb.run.compose import compose, groups
    from posemb.run.compose import options as options_of

    for group in groups():
        names = options_of(group, config_dir)
        for name in names:
            try:
                check(compose([f"{group}={name}"], config_dir), config_dir)
            except PosembError as error:
                yield BROKEN, group, f"{name}: {str(error).splitlines()[0]}"
                break
        else:
            yield FINE, group, ", ".join(names)


def _forward() -> Iterator[Finding]:
    """A batch through the default model, untrained."""
    import torch

    from posemb.model.transformer import Transformer
    from posemb.run.build import build
    from posemb.run.compose import compose
    from posemb.seeds import stream

    experiment = build(compose(["run.device=cpu"]))
    batch = experiment.task.sample(3, 2, stream(0, "doctor"), "train")
    ids = experiment.ids.assign(batch.layout, False, stream(0, "doctor", "ids"))
    model: Transformer = experiment.model.eval()
    at = model.positions(ids, 0, batch.layout.length, batch.layout.prompt)
    with torch.no_grad():
        logits = model(batch.tokens, at)
    finite = bool(torch.isfinite(logits).all())
    yield (FINE if finite else BROKEN), "forward pass", f"{tuple(logits.shape)} logits, finite: {finite}"
