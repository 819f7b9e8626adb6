"""posemb: which position method should a transformer use, and what happens to it past the trained length?"""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from posemb.run.build import Experiment


def load(run: str | Path, config_dir: str | Path | None = None, device: str = "auto") -> "Experiment":
    """A finished run, back in Python: `posemb.load("runs/copy/rope/s0-...").model` and `.task`.

    Args:
        run: the run's folder.
        config_dir: where options of the user's own came from, if the run used any.
        device: where the model goes, wherever it was trained; `auto` takes cuda, then mps, then cpu.

    Raises:
        UsageError: no run folder; a text that has changed since; a device that is not there; or the run uses a class
            that is not posemb's, and `config_dir` does not bring it.
        RunFolderError: no final weights in it, or it is damaged.
    """
    from posemb.run.load import load as load_run

    return load_run(run, config_dir, device)[1]
