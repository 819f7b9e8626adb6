"""posemb: which position method should a transformer use, and what happens to it past the trained length?"""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from posemb.run.build import Experiment


def load(run: str | Path, config_dir: Path | None = None) -> "Experiment":
    """A finished run, back in Python: `posemb.load("runs/copy/rope/s0-...").model` and `.task`.

    Args:
        run: the run's folder.
        config_dir: where options of the user's own came from, if the run used any.

    Raises:
        RunFolderError: no run folder, or no final weights in it.
        UsageError: the run uses a class that is not posemb's, and `config_dir` does not bring it.
    """
    from posemb.run.load import load as load_run

    return load_run(run, config_dir)[1]
