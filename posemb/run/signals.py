"""Ctrl-C and SIGTERM: the first asks, the second insists."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, TracebackType

from posemb.errors import Interrupted

SIGNALS = (signal.SIGINT, signal.SIGTERM)
# Handlers that nobody chose. An ignored SIGINT is among them: a shell gives that to what it starts in the background.
UNCLAIMED = (signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler)


class Signals:
    """While this context is open, a first signal is only noted; a second one ends the process at once.

    In a thread that is not the main one (a caller's own program), signals are left alone. So is a signal that has a
    handler already: what runs a job on a cluster must hear of its preemption itself, to put the job back into the
    queue. Caught here, it would end the job as if nobody wanted it any more.

    Args:
        heard: called once, when the first signal comes.
        leaving: called when the second one comes, just before the end: nothing else is tidied up any more.

    Attributes:
        caught: the signal's number, or None.
    """

    def __init__(self, heard: Callable[[], None], leaving: Callable[[], None] = lambda: None) -> None:
        self.caught: int | None = None
        self._heard, self._leaving = heard, leaving

    def __enter__(self) -> "Signals":
        self._before = {}
        if threading.current_thread() is threading.main_thread():
            free = [number for number in SIGNALS if _unclaimed(number)]
            self._before = {number: signal.signal(number, self._catch) for number in free}
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def refuse(self, message: str) -> None:
        """See to it that no signal has come.

        Raises:
            Interrupted: one has.
        """
        if self.caught is not None:
            raise Interrupted(self.caught, message)

    def _catch(self, number: int, frame: FrameType | None) -> None:
        if self.caught is not None:
            try:
                self._leaving()
            finally:
                os._exit(128 + number)
        self.caught = number
        self._heard()


@dataclass(frozen=True)
class _Unwind:
    """A handler that has a signal end what runs, as an error does."""

    message: str

    def __call__(self, number: int, frame: FrameType | None) -> None:
        raise Interrupted(number, self.message)


@contextmanager
def unwinding(message: str) -> Iterator[None]:
    """While this context is open, SIGTERM is an error, as Ctrl-C is: what was begun is tidied up on the way out.

    A `Signals` within takes it over for as long as it is open. A caller's own handler is left alone, as there.

    Raises:
        Interrupted: the signal came.
    """
    if threading.current_thread() is not threading.main_thread() or not _unclaimed(signal.SIGTERM):
        yield
        return
    before = signal.signal(signal.SIGTERM, _Unwind(message))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _unclaimed(number: int) -> bool:
    handler = signal.getsignal(number)
    return handler in UNCLAIMED or isinstance(handler, _Unwind)


def interrupt() -> None:
    """Have this process stop as after a Ctrl-C; nothing where it has been asked already, as twice means at once."""
    listening = getattr(signal.getsignal(signal.SIGINT), "__self__", None)
    if not isinstance(listening, Signals) or listening.caught is None:
        signal.raise_signal(signal.SIGINT)
