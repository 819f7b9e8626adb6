"""Options that several commands share, and what stands behind those of train."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from posemb.errors import UsageError
from posemb.eval.protocol import MOST_SIZE
from posemb.run.settings import MOST_THREADS

from . import completion
from .failure import quoted

BOUNDS = (1e-6, 1e6)  # of every number with decimals

Debug = Annotated[bool, typer.Option("--debug", help="On an error, show the full traceback.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
ConfigDir = Annotated[
    Path | None,
    typer.Option(
        "--config-dir",
        metavar="DIR",
        help="A folder of your own options (position/NAME.yaml, ...); they add to ours or replace them.",
    ),
]
Run = Annotated[
    Path, typer.Argument(metavar="RUN", help="The run's folder.", show_default=False, autocompletion=completion.runs)
]
Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[RUN|FOLDER|SWEEP|KEY=VALUE]...",
        help="Runs, folders of runs or sweeps; or filters: task=last position=rope,ape. Nothing: every run.",
        autocompletion=completion.selections,
        show_default=False,
    ),
]


def _no_file(path: Path) -> Path:
    """See to it that a folder of runs is none yet or is one.

    Raises:
        UsageError: it is a file.
    """
    if os.path.exists(path) and not os.path.isdir(path):
        raise UsageError(f"--runs {path}: that is a file. Name the folder of all runs, or one that is to be made.")
    return path


Runs = Annotated[
    Path,
    typer.Option("--runs", metavar="DIR", envvar="POSEMB_RUNS", help="The folder of all runs.", callback=_no_file),
]
Sizes = Annotated[str | None, typer.Option("--sizes", metavar="N,N,...", help="Sizes to evaluate.")]

Overrides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[KEY=VALUE]...",
        help="Any other key of the config: model.width=96 train.lr=0.001 position.base=500.",
        autocompletion=completion.settings,
    ),
]
Position = Annotated[
    str | None, typer.Option(metavar="NAME", help="Position method.", autocompletion=completion.positions)
]
Ids = Annotated[str | None, typer.Option(metavar="NAME", help="Id scheme.", autocompletion=completion.ids)]
Task = Annotated[str | None, typer.Option(metavar="NAME", help="Task.", autocompletion=completion.tasks)]
# These become overrides as they are typed, so that one place checks types and ranges: posemb.run.check.
Size = Annotated[str | None, typer.Option(metavar="N", help="Largest size to train on.")]
Steps = Annotated[str | None, typer.Option(metavar="N", help="Optimizer steps.")]
Seed = Annotated[str | None, typer.Option(metavar="N", help="Seed of the weights and of the data.")]
Device = Annotated[
    str | None, typer.Option(metavar="NAME", help="auto, cpu, cuda or mps.", autocompletion=completion.devices)
]
Threads = Annotated[str | None, typer.Option(metavar="N", help="CPU threads.")]


def sizes_from(text: str | None) -> list[int] | None:
    """`20,40,80` as numbers.

    Raises:
        UsageError: it is something else.
    """
    if text is None:
        return None
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = [0]
    if not 1 <= min(sizes) <= max(sizes) <= MOST_SIZE:
        raise UsageError(
            f"--sizes {text}: expected whole numbers from 1 on, at most {MOST_SIZE}, with commas between: 20,40,80."
        )
    return sizes


def number_from(option: str, text: str | None, most: int | None = None) -> int | None:
    """`512`, typed after `option`, as a number.

    Raises:
        UsageError: it is something else, below 1, or above `most`.
    """
    if text is None:
        return None
    digits = text.lstrip("0") if text.isascii() and text.isdecimal() else ""
    # By how many there are first: Python makes no number of thousands of digits.
    if not digits or len(digits) > 18 or (most is not None and int(digits) > most):
        bound = "" if most is None else f", at most {most}"
        raise UsageError(f"{option} {text}: expected a whole number from 1 on{bound}.")
    return int(digits)


def decimals_from(option: str, text: str, least: float, one: bool = False) -> list[float]:
    """`1,1.2`, typed after `option`, as numbers without repeats.

    Raises:
        UsageError: it is something else, or a number is below `least` or out of `BOUNDS`; or there are several where
            only `one` may be.
    """
    low, high = max(least, BOUNDS[0]), BOUNDS[1]
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or not all(low <= number <= high for number in numbers) or (one and len(numbers) > 1):
        what, how = ("one number", "") if one else ("numbers", ", with commas between: 2,4")
        bounds = f"from {low:f}".rstrip("0").rstrip(".") + f" to {high:.0f}"
        raise UsageError(f"{option} {text}: expected {what} {bounds}{how}.")
    return list(dict.fromkeys(numbers))


def machine_from(device: str | None, threads: str | None) -> dict[str, Any]:
    """Where to compute, as `posemb.run.execute` takes it.

    Raises:
        UsageError: there is no such device, or no such number of threads.
    """
    known = completion.devices("")
    if device is not None and device not in known:
        raise UsageError(f"--device {device}: expected {', '.join(known[:-1])} or {known[-1]}.")
    return {"device": device, "threads": number_from("--threads", threads, MOST_THREADS)}


def elsewhere(runs: Path) -> list[str]:
    """The option that says where the runs are, ready to be pasted; empty where that is where commands look anyway."""
    usual = Path(os.environ.get("POSEMB_RUNS") or "runs")
    return [] if runs.absolute() == usual.absolute() else ["--runs", quoted(runs)]
