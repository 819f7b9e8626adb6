"""posemb extend: a trained rotary model past its length."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options
from .console import document, out, say
from .failure import quoted
from .following import following

if TYPE_CHECKING:
    from posemb.run.variants import Extension

Scalings = Annotated[
    str | None, typer.Option("--scaling", metavar="NAME,...", help="The scalings to try: pi,ntk,yarn. Nothing: all.")
]
To = Annotated[str, typer.Option("--to", metavar="N,...", help="What they aim at, in multiples of the trained length.")]
Tune = Annotated[
    str | None, typer.Option(metavar="K", help="As well: each one after K steps of fine-tuning at the longer sizes.")
]
Temperature = Annotated[
    str, typer.Option(metavar="T,...", help="Multiply every attention score by T; above 1 attention is sharper.")
]


def extend(
    run: options.Run,
    scaling: Scalings = None,
    to: To = "2,4,8",
    tune: Tune = None,
    temperature: Temperature = "1",
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
    factors, temperatures = options.decimals_from("--to", to, 1), options.decimals_from("--temperature", temperature, 0)
    steps, many = options.number_from("--tune", tune), options.number_from("--count", count)
    asked = options.sizes_from(sizes)
    names = None if scaling is None else [name.strip() for name in scaling.split(",")]
    if figure is not None:
        drawable(figure)  # before anything is computed
    RunFolder.open(run)  # before torch is loaded: a wrong folder is found at once
    with following(json=False) as watch:  # the document of the run is not what was asked for
        from posemb.run.extend import extend as run_extension
        from posemb.run.variants import Wanted

        wanted = Wanted(names, factors, steps, temperatures, asked, many)
        done = run_extension(run, wanted, watch, config_dir, **machine)
    _show(done, figure, json)
    say(f"The rows are in {quoted(done.file or run)}.")
    if wanted.tune is None:
        say(f"posemb extend {quoted(run)}{_best(done)} --tune 50 --figure extended.png", "next")
    else:
        say(f"posemb show {quoted(run)}", "next")


def _best(done: "Extension") -> str:
    """The options that ask for the farthest form alone."""
    from posemb.report.extension import best, outcomes

    most = best(outcomes(done.rows), done.folder.config["train"]["size"])
    return f" --scaling {most.scaling}" + ("" if most.factor is None else f" --to {most.factor:g}")


def _show(done: "Extension", figure: Path | None, json: bool) -> None:
    from posemb.report.extension import outcomes

    from .extension_page import content, page, title

    found = outcomes(done.rows)
    config, trained_length = done.folder.config, done.folder.manifest["trained_length"]
    if figure is not None:
        from posemb.report.extension_figure import save_extension_figure

        save_extension_figure(found, title(done), config["train"]["size"], trained_length, figure)
    if json:
        document(content(done, found))
    else:
        out(page(done, found))
    if figure is not None:
        say(f"The figure is {quoted(figure)}.")
