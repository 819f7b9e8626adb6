"""A run as it proceeds, on stderr: one line for each look at the validation stream."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posemb.run.watch import Watch

from .console import document, out, say
from .failure import quoted

if TYPE_CHECKING:
    from posemb.run.folder import RunFolder


class Follower(Watch):
    """Plain lines: no colour, no frames.

    Args:
        json: print the run's document at the end instead of its table and curve.
    """

    def __init__(self, json: bool) -> None:
        self.json = json
        self.folder: Path | None = None
        self.steps = 0

    def started(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Say what runs, and where."""
        self.folder, self.steps = folder, facts["steps"]
        threads = f", {facts['threads']} threads" if facts["threads"] > 1 else ", 1 thread"
        self.note(f"{facts['parameters']:,} parameters on {facts['device']}{threads}; run folder {quoted(folder)}")
        if facts["done"]:
            self.note(f"Going on after step {facts['done']} of {self.steps}, the last checkpoint.")

    def note(self, message: str) -> None:
        """One line."""
        say(message)

    def stepped(self, row: Mapping[str, Any]) -> None:
        """One line for each look at the validation stream."""
        if "validation" in row:
            looked = ", ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in row["validation"].items())
            say(f"step {row['step']}/{self.steps}  {figures(row)}  validation: {looked}")

    def evaluating(self, total: int) -> None:
        """One line."""
        say(f"evaluating {total} row{'' if total == 1 else 's'} of the curve")

    def finished(self, folder: "RunFolder") -> None:
        """Print the result, where it is, and what to type next."""
        from posemb.run.identity import folder_label
        from posemb.run.result import document as result

        self.close()
        content = result(folder)
        if self.json:
            document(content)
        else:
            from .curves import curve_page, title

            out(curve_page([content], title(folder.config)))
        say(f"Everything is in {quoted(folder.path)}.")
        say(f"posemb show {quoted(folder.path)}", "next")
        if folder.path.parts[-3:-1] == Path(folder_label(folder.config["choice"])).parts:  # else it is not among runs
            say(f"posemb board {quoted(folder.path.parents[2])}", "next")

    def close(self) -> None:
        """Take the bar away."""


def figures(row: Mapping[str, Any]) -> str:
    """A row of metrics, in words."""
    return f"loss {row['loss']:.3f}  accuracy {row['accuracy']:.3f}  {row['tokens_per_second']:,.0f} tokens/s"
