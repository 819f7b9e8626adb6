"""What can go wrong, and what to do next. Every message names the thing and the remedy; none needs a traceback."""

from pathlib import Path


class PosembError(Exception):
    """Anything posemb reports instead of a traceback.

    Attributes:
        exit_code: what the command line leaves with.
        run: the run folder that it happened in, if one was made.
    """

    exit_code = 1
    run: Path | None = None


class UsageError(PosembError):
    """Something that the user typed or configured cannot work. Raised before a run folder is made."""

    exit_code = 2


class RunFolderError(PosembError):
    """A run folder is missing, half-written, from a newer version, read-only or full."""


class Diverged(PosembError):
    """The training loss stopped being a finite number."""

    exit_code = 3


class Interrupted(PosembError):
    """A signal asked the run to stop; what was finished is saved.

    Args:
        signal_number: the signal that came (2 for Ctrl-C, 15 for SIGTERM); the exit code is 128 plus it.
    """

    def __init__(self, signal_number: int, message: str) -> None:
        super().__init__(message)
        self.exit_code = 128 + signal_number


class CannotRepresent(PosembError):
    """A position lies past what a table or a random range can represent. Its curve row has null figures."""
