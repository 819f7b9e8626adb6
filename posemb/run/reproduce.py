"""Running a finished run again, and holding what comes out against what came out then, bit for bit."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from posemb.errors import Interrupted, PosembError, UsageError
from posemb.run.build import build
from posemb.run.check import check
from posemb.run.difference import circumstances, curve_difference, weights_difference
from posemb.run.execute import start
from posemb.run.folder import RunFolder
from posemb.run.load import same_text
from posemb.run.signals import Signals, unwinding
from posemb.run.tensors import load_weights
from posemb.run.watch import Watch

STOPPED = "Interrupted; the run is as it was."


@dataclass(frozen=True)
class Reproduction:
    """A run held against itself, done again.

    Attributes:
        run: the run's folder.
        curve: whether every row of the curve is the same.
        weights: whether every bit of the weights is.
        differences: what is not the same in the results, a line each.
        circumstances: what is not the same in the way they were computed, as far as it is recorded, a line each.
        folder: where the second run is, or None where it was not kept.
    """

    run: Path
    curve: bool
    weights: bool
    differences: list[str]
    circumstances: list[str]
    folder: Path | None

    @property
    def identical(self) -> bool:
        """Whether curve and weights are."""
        return self.curve and self.weights


def reproduce(
    path: Path,
    watch: Watch,
    config_dir: Path | None = None,
    device: str | None = None,
    threads: int | None = None,
    runs: Path | None = None,
    keep: bool = False,
) -> Reproduction:
    """Run a completed run again from its own config, in a folder far from its own, and compare.

    Args:
        path: the run's folder. Nothing in it is changed.
        watch: who is told.
        config_dir: where options of the user's own came from, if the run used any.
        device: where to compute; None takes where the run did.
        threads: CPU threads; None takes as many as the run had.
        runs: where the second run goes, and stays; None takes a temporary folder.
        keep: leave it there even if nothing differs.

    Raises:
        UsageError: it is no run, or not completed; its text has changed; the device is not there; `runs` is a
            folder that the run itself is in, the run itself, or a folder in it.
        RunFolderError: it has no readable curve or weights, or the second run cannot be written.
        Diverged, Interrupted: the second run did; nothing of it is kept in a temporary folder.
    """
    first = RunFolder.open(path)
    if first.state != "completed":
        raise UsageError(f"{path} is {first.state}: it has no end to compare with. First: posemb resume {path}")
    if runs is not None:
        _refuse_place(runs, first.path)
    curve, weights = first.curve.read(), load_weights(first)
    config = check(first.config, config_dir)
    machine = {"device": device or first.manifest["device"], "threads": threads or first.manifest["threads"]}
    config["run"] = config["run"] | machine
    same_text(first, build(config))
    with _room(runs) as room:
        second = start(config, room.path, watch, config_dir)
        told = curve_difference(curve, second.curve.read()), weights_difference(weights, load_weights(second))
        room.stays |= keep or any(told)
    return Reproduction(
        first.path,
        not told[0],
        not told[1],
        [*told[0], *told[1]],
        circumstances(first.manifest, second.manifest),
        second.path if room.stays else None,
    )


def _refuse_place(runs: Path, run: Path) -> None:
    """See to it that a second run in `runs` is not beside the first one under one roof, nor in it."""
    place, first = runs.resolve(), run.resolve()
    if place in first.parents:
        raise UsageError(f"--runs {runs}: {run} is in that folder, and would have a double. Choose another one.")
    if first in (place, *place.parents):
        raise UsageError(f"--runs {runs}: that is in {run} itself, in which nothing is changed. Choose another folder.")


@dataclass
class _Room:
    path: Path
    stays: bool


@contextmanager
def _room(runs: Path | None) -> Iterator[_Room]:
    """The folder of all runs for the second run: one of its own that goes when it leaves, unless it stays."""
    with unwinding(STOPPED):
        room = _Room(runs or Path(mkdtemp(prefix="posemb-repro-")), runs is not None)
        try:
            yield room
        except PosembError as error:
            if not room.stays:
                error.run = None  # nobody can go on with it
            raise
        finally:
            if not room.stays:
                _remove(room.path)


def _remove(folder: Path) -> None:
    """Remove a folder; a signal that comes meanwhile waits until all of it is gone."""
    with Signals(lambda: None) as signals:
        rmtree(folder, ignore_errors=True)
    if signals.caught is not None:
        raise Interrupted(signals.caught, STOPPED)
