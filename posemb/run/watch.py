"""What a run tells whoever watches it: the command line draws a bar, Python callers hear nothing."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Watch:
    """Called as a run proceeds. This base class ignores everything."""

    def started(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """A folder was made or reopened. `facts`: parameters, device, threads, steps, and the steps `done` before."""

    def note(self, message: str) -> None:
        """Something a person should know, in one line."""

    def stepped(self, row: Mapping[str, Any]) -> None:
        """A row of metrics.jsonl: step, loss, accuracy, lr, tokens_per_second, seconds; on some, validation."""

    def evaluating(self, total: int) -> None:
        """Evaluation begins; `total` rows will follow."""

    def evaluated(self, row: Mapping[str, Any]) -> None:
        """A row of the curve."""

    def tuned(self, label: str, step: int, steps: int) -> None:
        """A step of fine-tuning, the `step`-th of `steps`, of what is called `label`."""

    def leaving(self) -> None:
        """A second signal came, and the process ends at once: bring the terminal back as it was. Quick, no error."""
