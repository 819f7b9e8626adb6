"""A finished run, back in Python."""

from pathlib import Path

from posemb.errors import RunFolderError
from posemb.run.build import Experiment, build
from posemb.run.check import check
from posemb.run.folder import RunFolder
from posemb.run.tensors import load_weights


def load(path: str | Path, config_dir: Path | None = None) -> tuple[RunFolder, Experiment]:
    """A run's folder and its experiment with the trained weights; the model is in evaluation mode.

    Args:
        path: the run's folder.
        config_dir: where options of the user's own came from, if the run used any.

    Raises:
        RunFolderError: no run folder, no final weights, or weights that do not fit the config.
        UsageError: the stored config names a class that is not posemb's, and `config_dir` does not bring it.
    """
    folder = RunFolder.open(path)
    check(folder.config, config_dir)
    weights = load_weights(folder)
    experiment = build(folder.config)
    try:
        experiment.model.load_state_dict(weights)
    except RuntimeError as misfit:
        reason = str(misfit).splitlines()[0]
        raise RunFolderError(f"The weights in {folder.path} do not fit its config: {reason}") from misfit
    experiment.model.eval()
    return folder, experiment
