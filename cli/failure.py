"""What went wrong, in words and as an exit code."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from posemb.errors import Diverged, Interrupted, PosembError, UsageError
from posemb.run.nearest import meant, nearest

from .console import say

# How Python, and torch on each device, say that a tensor finds no room.
NO_ROOM = ("out of memory", "not enough memory", "allocate memory")


def report(error: Exception, debug: bool = False) -> int:
    """Say on stderr what went wrong, and return the exit code. Without `debug` there is no traceback."""
    if debug:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, PosembError):
        return _ours(error)
    if hasattr(error, "format_message"):  # Typer's: an unknown option or command, a value of the wrong type
        say(_typers(error), "error")
        return UsageError.exit_code
    if isinstance(error, typer.Abort):
        return 1
    reason = (str(error).splitlines() or ["no reason given"])[0]
    say(f"{type(error).__name__}: {reason}", "error")
    for note in getattr(error, "__notes__", []):
        say(note)
    say("This was not foreseen. Run it again with --debug to see where it happened.")
    return 1


@contextmanager
def enough_memory(advice: str) -> Iterator[None]:
    """Turn a lack of memory into a message that says what to do about it.

    Raises:
        PosembError: there was too little of it.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and not any(word in str(error).lower() for word in NO_ROOM):
            raise
        raise PosembError(f"There is not enough memory for this. {advice}") from error


def after(state: str, run: Path) -> None:
    """Say what can be done with a run that ended too early, by its state."""
    if state == "diverged":  # every step is drawn from the seed, so to go on is to diverge again
        say("To go on with it would diverge again: start a new run with a lower train.lr.", "next")
    elif state == "running":
        say(f"To see how far it has got: posemb show {quoted(run)}", "next")
    else:
        say(f"posemb resume {quoted(run)}", "next")


def quoted(path: Path | str) -> str:
    """A path as it can be pasted into a shell, relative to the working directory where it lies below."""
    path = Path(path)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return shlex.quote(str(path))


def _ours(error: PosembError) -> int:
    say(str(error), "stopped" if isinstance(error, Interrupted) else "error")
    if error.run is not None:
        after("diverged" if isinstance(error, Diverged) else "failed", error.run)
    return error.exit_code


def _typers(error: Any) -> str:
    """A usage error of Typer's, with the nearest right word and where to look."""
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    if context is None:
        return message
    wrong = getattr(error, "option_name", None)
    if message.startswith("No such option") and wrong:
        known = [name[2:] for parameter in context.command.params for name in parameter.opts if name[:2] == "--"]
        near = nearest(wrong.lstrip("-"), [*known, "help"])  # without the dashes, which all of them share
        hint = meant(wrong if near else "", [f"--{name}" for name in near or [*known, "help"]], "Options")
        message = f"{context.command_path}: no such option {wrong}. {hint}"
    elif message.startswith("No such command") and "Did you mean" not in message:
        message = f"{message}. Commands: {', '.join(context.command.commands)}."
    return f"{message}\nAll options: {context.command_path} --help"
