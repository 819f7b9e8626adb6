"""posemb extend: a trained rotary model past its length."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from posemb.eval.protocol import MOST_EXAMPLES
from posemb.train.recipe import MOST_STEPS

from . import options
from .console import document, out, say
from .extension_next import AIMS, COOL, next_command
from .failure import enough_memory, quoted
from .following import following

if TYPE_CHECKING:
    from posemb.run.variants import Extension

Scalings = Annotated[
    str | None, typer.Option("--scaling", metavar="NAME,...", help="The scalings to try: pi,ntk,yarn. Nothing: all.")
]
To = Annotated[str, typer.Option("--to", metavar="N,...", help="What they aim at, in multiples of the trained length.")]
Tune = Annotated[
    str | None,
    typer.Option(metavar="K", help="As well: each, and plain, after K steps of fine-tuning at longer sizes."),
]
Temperature = Annotated[
    str, typer.Option(metavar="T,...", help="Multiply every attention score by T; above 1 attention is sharper.")
]


def extend(
    run: options.Run,
    scaling: Scalings = None,
    to: To = AIMS,
    tune: Tune = None,
    temperature: Temperature = COOL,
    sizes: options.Sizes = None,
    count: Annotated[str | None, typer.Option(metavar="N", help="Examples for each size.")] = None,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the curves before and after as FILE.png, .svg or .pdf.")
    ] = None,
    device: options.Device = None,
    threads: options.Threads = None,
    config_dir: options.ConfigDir = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Take a completed RoPE run past its length: which scaling of its rotations extends it, and by how much.

    The run's own files stay as they are. A method can be extended if it has the keys `scaling` and `factor`.
    """
    from posemb.report.canvas import drawable
    from posemb.run.folder import RunFolder

    machine = options.machine_from(device, threads)
    asked = _asked(scaling, to, tune, temperature, sizes, count)
    if figure is not None:
        drawable(figure)  # before anything is computed
    RunFolder.open(run)  # before torch is loaded: a wrong folder is found at once
    # Without json: the document of the run is not what was asked for.
    with following(json=False) as watch, enough_memory("Lower --count, --to, or the largest of --sizes."):
        from posemb.run.extend import extend as run_extension
        from posemb.run.variants import Wanted

        done = run_extension(run, Wanted(**asked), watch, config_dir, **machine)
    _show(done, json)
    say(f"The rows are in {quoted(done.file or run)}.")
    if figure is not None:
        _draw(done, figure)  # last: if it cannot be written, nothing else is lost
    typed: dict[str, str | Path | None] = {"--scaling": scaling, "--to": to, "--temperature": temperature}
    typed |= {"--sizes": sizes, "--count": count, "--config-dir": config_dir, "--tune": tune}
    typed |= {"--device": device, "--threads": threads}
    say(next_command(run, done, typed), "next")


def _asked(
    scaling: str | None, to: str, tune: str | None, temperature: str, sizes: str | None, count: str | None
) -> dict[str, Any]:
    """What was typed, as `Wanted` takes it.

    Raises:
        UsageError: what should be a number is none, or is out of bounds.
    """
    return {
        "scalings": None if scaling is None else [name.strip() for name in scaling.split(",")],
        "factors": options.decimals_from("--to", to, 1),
        "tune": options.number_from("--tune", tune, MOST_STEPS),
        "temperatures": options.decimals_from("--temperature", temperature, 0),
        "sizes": options.sizes_from(sizes),
        "count": options.number_from("--count", count, MOST_EXAMPLES),
    }


def _show(done: "Extension", json: bool) -> None:
    from posemb.report.extension import outcomes

    from .extension_page import content, page

    found = outcomes(done.rows)
    if json:
        document(content(done, found))
    else:
        out(page(done, found))


def _draw(done: "Extension", figure: Path) -> None:
    from posemb.report.extension import outcomes
    from posemb.report.extension_figure import save_extension_figure

    from .extension_page import title

    config, length = done.folder.config, done.folder.manifest["trained_length"]
    save_extension_figure(outcomes(done.rows), title(done), config["train"]["size"], length, figure)
    say(f"The figure is {quoted(figure)}.")
