"""posemb sweep: many runs that answer one question, side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from posemb.errors import UsageError

from . import completion, options
from .friendly import as_typed, friendly
from .sweep_words import axes_of, checked_name, default_name

if TYPE_CHECKING:
    from posemb.sweep.axes import Axes
    from posemb.sweep.engine import Engine
    from posemb.sweep.folder import Sweep

Experiment = Annotated[
    str | None,
    typer.Option(
        "--experiment",
        "-e",
        metavar="NAME|FILE",
        help="A saved question: experiments/NAME.yaml, or the path of such a file. What is typed beside it wins.",
        autocompletion=completion.experiments,
    ),
]
Zip = Annotated[
    str | None, typer.Option("--zip", metavar="KEY,KEY,...", help="Axes that go in step instead of being crossed.")
]
Name = Annotated[str | None, typer.Option(metavar="NAME", help="What to call the sweep.")]
Jobs = Annotated[
    str | None, typer.Option("--jobs", "-j", metavar="N", help="Jobs at a time on this machine.  [default: its cores]")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the plan, job by job, and stop. Nothing is written.")]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="Stop everything when the first job fails.")]
Threads = Annotated[
    str | None, typer.Option(metavar="N", help="CPU threads of each job; else 1, under another launcher every core.")
]


def sweep(
    overrides: options.Overrides = None,
    experiment: Experiment = None,
    position: options.Position = None,
    ids: options.Ids = None,
    task: options.Task = None,
    size: options.Size = None,
    steps: options.Steps = None,
    seed: options.Seed = None,
    sizes: options.Sizes = None,
    device: options.Device = None,
    threads: Threads = None,
    zip_: Zip = None,
    name: Name = None,
    jobs: Jobs = None,
    dry_run: DryRun = False,
    fail_fast: FailFast = False,
    runs: options.Runs = Path("runs"),
    config_dir: options.ConfigDir = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Train many models side by side: every combination of the values that options and keys are given.

    Several values: --position ape,rope --seed 0,1,2, or in Hydra's grammar model.width=64,128 seed=range(0,5)
    'position=glob(*)'. Finished jobs are never run again, unfinished ones go on: to continue a sweep, type it again.
    Another engine than this machine: hydra/launcher=submitit_slurm hydra.launcher.partition=NAME.
    """
    options.sizes_from(sizes)
    chosen = friendly({
        "position": position, "ids": ids, "task": task, "size": size, "steps": steps, "seed": seed,
        "sizes": sizes, "device": device, "threads": threads,
    })  # fmt: skip
    words = overrides or []
    engine_settings = [word for word in words if word.lstrip("+").startswith(("hydra/launcher=", "hydra.launcher."))]
    tokens = [*chosen.items(), *((word, word) for word in words if word not in engine_settings)]
    at_once = options.number_from("--jobs", jobs)
    try:
        axes, question, called = axes_of(tokens, experiment, zip_, config_dir)
        called = checked_name(name or called or default_name(axes))
        engine = _engine(engine_settings, at_once, runs, called, config_dir)
        planned, again = _planned(axes, question, called, engine, config_dir)
    except UsageError as error:
        raise UsageError(as_typed(str(error), chosen)) from error
    from .sweeping import run

    how = {"named": name is not None, "dry_run": dry_run, "fail_fast": fail_fast, "json": json}
    run(planned, again, engine, runs.absolute(), config_dir, **how)


def _engine(settings: list[str], jobs: int | None, runs: Path, name: str, config_dir: Path | None) -> "Engine":
    from posemb.sweep.engine import Engine
    from posemb.sweep.folder import SWEEPS

    return Engine(settings, jobs, runs.absolute() / SWEEPS / name, config_dir)


def _planned(
    axes: "Axes", question: str | None, name: str, engine: "Engine", config_dir: Path | None
) -> tuple["Sweep", int]:
    import sys

    from posemb.run.manifest import git_state, now, versions
    from posemb.sweep.folder import Sweep
    from posemb.sweep.plan import plan_jobs

    jobs, again = plan_jobs(axes, config_dir, threads=1 if engine.local else None, here=engine.local)
    described: dict[str, Any] = {"argv": sys.argv[1:], "versions": versions(), "git": git_state(), "created": now()}
    varied = {axis.key: axis.values for axis in axes.axes}
    return Sweep(name=name, question=question, axes=varied, zipped=axes.zipped, jobs=jobs, **described), again
