"""TensorBoard on a folder of runs."""

import os
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from posemb.errors import PosembError, UsageError
from posemb.run.folder import RunFolder
from posemb.run.hparams import has_hparams, save_hparams
from posemb.run.inventory import DEPTH, run_paths
from posemb.run.opening import first_line

DEEPEST = 2 * DEPTH  # TensorBoard looks at any depth; few people keep their runs farther down


class Prepared(NamedTuple):
    """What TensorBoard will find: how many runs, and what a person should know about them, a line each."""

    runs: int
    notes: list[str]


def prepare(root: Path) -> Prepared:
    """See to it that the HParams tab knows every run that has ended, however it ended and whichever posemb made it.

    Runs that are being written are left alone: they will say it themselves. A run that cannot be read or written costs
    nothing but a note.

    Args:
        root: a folder with runs in it, or with folders of runs, or a run.

    Raises:
        UsageError: there is no such folder, or no run in it.
    """
    if not os.path.isdir(root):
        raise UsageError(f"There is no folder {root}. Name the folder of your runs: posemb board DIR")
    count, refused = 0, []
    for path in run_paths(root, DEEPEST):
        count += 1
        try:
            if not has_hparams(path):
                folder = RunFolder.open(path)
                if folder.state != "running":
                    save_hparams(folder)
        except (PosembError, OSError) as refusal:
            refused.append(first_line(refusal))
    if not count:
        raise UsageError(f"There are no runs in {root}. Make one: posemb train --position rope --task last")
    more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
    return Prepared(count, [f"Not in the HParams tab: {refused[0]}{more}"] if refused else [])


def serve(root: Path, host: str | None = None, port: int | None = None) -> str:
    """Start TensorBoard in this process, in threads that end with it. It sees runs that come later, too.

    Args:
        root: the folder of runs.
        host: where to listen; None takes this machine alone.
        port: None takes TensorBoard's own, or the next free one.

    Returns:
        Its address.

    Raises:
        UsageError: the port is taken, or cannot be listened at.
    """
    import logging

    from tensorboard.program import TensorBoard, TensorBoardPortInUseError, TensorBoardServerException

    logging.getLogger("tensorboard").setLevel(logging.ERROR)
    said = StringIO()
    try:
        with redirect_stderr(said):  # it advertises its fast loader
            board = TensorBoard()
            board.configure(("tensorboard",), logdir=str(root.absolute()), host=host, port=port, window_title="posemb")
            return board.launch()
    except TensorBoardPortInUseError as taken:
        raise UsageError(
            f"--port {port} is taken. Choose another one, or leave it out for the next free one."
        ) from taken
    except (TensorBoardServerException, SystemExit) as refusal:  # its web server exits where an address is no good
        told = said.getvalue() if isinstance(refusal, SystemExit) else str(refusal)
        reason = ([line.strip() for line in told.splitlines() if line.strip()] or ["no reason given"])[-1].rstrip(".")
        asked = [f"--{key} {value}" for key, value in (("host", host), ("port", port)) if value is not None]
        where = f" at {' '.join(asked)}" if asked else ""
        raise UsageError(f"TensorBoard cannot listen{where}: {reason}. Choose --port N or --host NAME.") from refusal
