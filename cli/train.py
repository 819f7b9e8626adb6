"""posemb train: one run, from its config to its curve."""

from pathlib import Path
from typing import Annotated, Any

import typer

from posemb.errors import UsageError

from . import options
from .console import out
from .following import following
from .friendly import as_typed, friendly


def train(
    overrides: options.Overrides = None,
    position: options.Position = None,
    ids: options.Ids = None,
    task: options.Task = None,
    size: options.Size = None,
    steps: options.Steps = None,
    seed: options.Seed = None,
    sizes: options.Sizes = None,
    device: options.Device = None,
    threads: options.Threads = None,
    runs: options.Runs = Path("runs"),
    config_dir: options.ConfigDir = None,
    cfg: Annotated[bool, typer.Option("--cfg", help="Print the resolved config as YAML and stop.")] = False,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Train one model, then draw its accuracy at every length.

    Options set what people change daily; every other key of the config is set by KEY=VALUE, in Hydra's grammar.
    """
    options.sizes_from(sizes)
    given = {
        "position": position, "ids": ids, "task": task, "size": size, "steps": steps, "seed": seed,
        "sizes": sizes, "device": device, "threads": threads,
    }  # fmt: skip
    from posemb.run.check import check

    chosen = friendly(given)
    config = _compose(chosen, overrides or [], config_dir)
    try:
        config = check(config, config_dir)  # before torch is loaded: a wrong number is found at once
        if cfg:
            import yaml

            out(yaml.safe_dump(config, sort_keys=False).rstrip())  # in ASCII, whatever the stream's encoding
            return
        _train(config, runs, config_dir, json)
    except UsageError as error:
        raise UsageError(as_typed(str(error), chosen)) from error


def _train(config: dict[str, Any], runs: Path, config_dir: Path | None, json: bool) -> None:
    with following(json) as watch:
        from posemb.run.execute import start

        watch.finished(start(config, runs, watch, config_dir))


def _compose(chosen: dict[str, str], overrides: list[str], config_dir: Path | None) -> dict[str, Any]:
    from posemb.run.compose import compose

    return compose([*chosen, *overrides], config_dir, [*chosen.values(), *overrides])
