"""The two streams: results go to stdout, everything else to stderr. Nothing else in `cli` prints."""

import os
import sys
from collections.abc import Sequence
from typing import Any, Literal, TextIO

from posemb.errors import PosembError

# ANSI: bold red, bold green, dim.
STYLES = {"error": "1;31", "stopped": "1;33", "next": "1;32", "note": "2"}


def out(text: str = "") -> None:
    """A line of results. Once its reader has gone, nothing is printed any more, and the command goes on."""
    try:
        print(text, flush=True)
    except OSError as refusal:
        mute(sys.stdout)
        if not isinstance(refusal, BrokenPipeError):
            raise PosembError(f"The result could not be printed: {refusal.strerror}.") from refusal


def document(content: Any) -> None:
    """The one JSON document of a command that was asked for --json."""
    import json

    # ASCII, so that a path comes back as it is whatever the stream's encoding; even one that is no UTF-8.
    out(json.dumps(content, ensure_ascii=True, allow_nan=False, indent=2))


def say(text: str, kind: str = "") -> None:
    """A message for the person at the keyboard, on stderr; `kind` is put before it."""
    label = f"{kind}: " if kind else ""
    if label and coloured(sys.stderr):
        label = f"\x1b[{STYLES[kind]}m{label}\x1b[0m"
    try:
        print(f"{label}{text}", file=sys.stderr, flush=True)
    except OSError:  # nobody listens, or its disk is full: no reason to stop a run
        mute(sys.stderr)
    except RuntimeError:  # a signal's note came while another line was being written
        pass


def coloured(stream: TextIO) -> bool:
    """Whether colour may be used: a terminal that can, and no NO_COLOR (https://no-color.org)."""
    return interactive(stream) and not os.environ.get("NO_COLOR")


def interactive(stream: TextIO) -> bool:
    """Whether frames may be drawn over each other."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def prepare_streams() -> None:
    """Have streams, of which the two to write to never fail for their encoding: what it lacks becomes `?`."""
    sys.stdin = sys.stdin or _nowhere(0, "r")
    sys.stdout = sys.stdout or _nowhere(1)
    sys.stderr = sys.stderr or _nowhere(2)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _nowhere(number: int, mode: Literal["r", "w"] = "w") -> TextIO:
    """In place of a stream that was closed before Python began (`posemb list >&-`), for which it has None.

    At the stream's own number, and for child processes too: else the next file that anything opens would get it, and
    what is printed would end up there.
    """
    file = os.open(os.devnull, os.O_RDONLY if mode == "r" else os.O_WRONLY)
    try:
        os.fstat(number)
    except OSError:
        os.dup2(file, number)
    if file == number:
        os.set_inheritable(file, True)
    return open(file, mode, encoding="utf-8")


def mute(stream: TextIO) -> None:
    """Send the rest of a stream nowhere, also what Python still holds back for it."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # not a real file, as under a test runner
        pass


def width(stream: TextIO) -> int:
    """Columns of the terminal behind a stream; 100 where there is none, so that piped output does not vary."""
    import shutil

    return shutil.get_terminal_size((100, 24)).columns if stream.isatty() else 100


def columns(rows: Sequence[tuple[str, ...]], fit: TextIO | None = None) -> str:
    """Rows of words, lined up. On a terminal behind `fit` the last column is wrapped, in itself or below the others."""
    from textwrap import wrap

    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    indent = sum(widths[:-1]) + 2 * len(widths[:-1])
    wide = width(fit) if fit is not None and fit.isatty() else 0  # piped output is one line a row
    below = 0 < wide < indent + 20
    indent = 4 if below else indent
    lines = []
    for *words, last in rows:
        begin = "".join(f"{word.ljust(most)}  " for word, most in zip(words, widths, strict=False))
        parts = (wrap(last, max(20, wide - indent)) if wide else []) or [last]
        first = begin if below else begin + parts.pop(0)
        lines += [first, *(" " * indent + part for part in parts)]
    return "\n".join(line.rstrip() for line in lines)


def lined_up(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows of figures, set to the right; the last column, of words, to the left."""
    last = len(rows[0]) - 1
    widths = [max(len(row[place]) for row in rows) for place in range(last + 1)]
    return "\n".join(
        "  ".join(
            word.ljust(wide) if place == last else word.rjust(wide)
            for place, (word, wide) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
