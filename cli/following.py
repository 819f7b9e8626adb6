"""Following one run to its end, however it ends."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from posemb.errors import PosembError, UsageError

from .bar import Bar
from .console import document, interactive
from .failure import quoted
from .follower import Follower


@contextmanager
def following(json: bool, evaluated: Path | None = None) -> Iterator[Follower]:
    """A watch for one run. With `json`, a run that fails prints its document all the same, once it has a folder.

    Args:
        json: whether one was asked for.
        evaluated: the run that is evaluated again; None for one that trains.
    """
    follower = Bar(json) if interactive(sys.stderr) else Follower(json)
    try:
        yield follower
    except UsageError:
        raise  # leaves stdout empty
    except BaseException as error:
        follower.close()
        run = getattr(error, "run", None) or follower.folder or evaluated
        if run is not None and not isinstance(error, PosembError):
            error.add_note(f"The run's folder is {quoted(run)}.")
        if json and run is not None:
            _print_failure(run, error, evaluated is not None)
        raise
    finally:
        follower.close()


def _print_failure(run: Path, error: BaseException, evaluation: bool) -> None:
    """The document of a run that failed, or whose evaluation did. Where its folder cannot be read there is none."""
    from posemb.run.folder import RunFolder
    from posemb.run.result import document as result

    try:
        content = result(RunFolder.open(run), [] if evaluation else None)
    except PosembError:
        return
    content["error"] = content["error"] or str(error) or type(error).__name__
    if content["state"] == "running":  # the folder refused to be told
        content["state"] = "failed"
    document(content)
