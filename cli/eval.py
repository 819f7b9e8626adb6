"""posemb eval: a finished run at other sizes."""

from typing import Annotated

import typer

from . import options
from .console import document, out, say
from .failure import quoted
from .following import following


def evaluate(
    run: options.Run,
    sizes: options.Sizes = None,
    count: Annotated[str | None, typer.Option(metavar="N", help="Examples for each size.")] = None,
    config_dir: options.ConfigDir = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Evaluate a finished run again, at other sizes or with more examples. Its own curve stays as it is."""
    from posemb.run.folder import RunFolder

    asked, many = options.sizes_from(sizes), options.count_from(count)
    RunFolder.open(run)  # before torch is loaded: a wrong folder is found at once
    with following(json, run) as watch:
        from posemb.run.execute import evaluate as run_evaluation

        file, rows = run_evaluation(run, asked, many, watch, config_dir)
    from posemb.run.result import document as result

    content = result(RunFolder.open(run), rows)
    if json:
        document(content)
    else:
        from .curves import curve_page

        out(curve_page([content]))
    say(f"The rows are in {quoted(file)}.")
    say(f"posemb show {quoted(run)}", "next")
