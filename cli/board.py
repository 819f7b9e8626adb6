"""posemb board: TensorBoard on all runs."""

import time
from pathlib import Path
from typing import Annotated

import typer

from posemb.errors import Interrupted, UsageError

from . import options
from .console import out, say
from .failure import quoted

USUAL, LAST = 6006, 65_535  # TensorBoard's own port, and the largest that there is


def board(
    directory: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="A folder with runs in it; else that of all runs.", show_default=False),
    ] = None,
    runs: options.Runs = Path("runs"),
    port: Annotated[str | None, typer.Option(metavar="N", help=f"Else {USUAL}, or the next free one.")] = None,
    host: Annotated[str | None, typer.Option(metavar="NAME", help="Where to listen; else this machine alone.")] = None,
    debug: options.Debug = False,
) -> None:
    """Open TensorBoard on all runs: training, the curves over each other, and every key of every config.

    It sees new runs as they come. Ctrl-C ends it.
    """
    from posemb.run.board import prepare, serve
    from posemb.run.signals import Signals

    asked = _port(port)
    root = directory or runs
    prepared = prepare(root)
    for note in prepared.notes:
        say(note)
    with Signals(lambda: None) as signals:
        address = serve(root, host, asked)
        if asked is None and f":{USUAL}" not in address:
            say(f"Port {USUAL} is taken, so TensorBoard is at the next free one.")
        many = "1 run" if prepared.runs == 1 else f"{prepared.runs:,} runs"
        say(f"TensorBoard shows {many} in {quoted(root)}, and new ones as they come. Ctrl-C ends it.")
        # Its usual smoothing makes a cliff a slope.
        say(f"All curves, not smoothed: {address}?smoothing=0&tagFilter=curve/#timeseries")
        say(f"A table of settings and results: {address}#hparams")
        out(address)
        while signals.caught is None:
            time.sleep(0.1)
    raise Interrupted(signals.caught, "TensorBoard has ended.")


def _port(text: str | None) -> int | None:
    """A port as it was typed; 0 takes any free one.

    Raises:
        UsageError: it is no port.
    """
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal()) or int(text) > LAST:
        raise UsageError(f"--port {text}: expected a whole number up to {LAST}.")
    return int(text)
