"""posemb eval: a finished run at other sizes."""

from typing import Annotated

import typer

from posemb.eval.protocol import MOST_EXAMPLES

from . import options
from .console import document, out, say
from .failure import enough_memory, quoted
from .following import following


def evaluate(
    run: options.Run,
    sizes: options.Sizes = None,
    count: Annotated[str | None, typer.Option(metavar="N", help="Examples for each size.")] = None,
    temperature: Annotated[
        str, typer.Option(metavar="T", help="Multiply every attention score by T; above 1 attention is sharper.")
    ] = "1",
    device: options.Device = None,
    threads: options.Threads = None,
    config_dir: options.ConfigDir = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Evaluate a finished run again, at other sizes or with more examples. Its own curve stays as it is."""
    from posemb.run.folder import RunFolder

    asked, many = options.sizes_from(sizes), options.number_from("--count", count, MOST_EXAMPLES)
    (heat,) = options.decimals_from("--temperature", temperature, 0, one=True)
    machine = options.machine_from(device, threads)
    RunFolder.open(run)  # before torch is loaded: a wrong folder is found at once
    with following(json, run) as watch, enough_memory("Lower --count, or the largest of --sizes."):
        from posemb.run.execute import evaluate as run_evaluation

        done = run_evaluation(run, asked, many, watch, config_dir, temperature=heat, **machine)
    from posemb.run.result import document as result

    folder = RunFolder.open(run)
    content = result(folder, done.rows, done.device, done.threads)
    if json:
        document(content)
    else:
        from .curves import curve_page, title

        out(curve_page([content], title(folder.config, config_dir)))
    say(f"The rows are in {quoted(done.file)}.")
    say(f"posemb show {quoted(run)}", "next")
