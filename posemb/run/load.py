"""A finished run, back in Python."""

from pathlib import Path

from posemb.errors import RunFolderError, UsageError
from posemb.run.build import Experiment, build
from posemb.run.check import check
from posemb.run.folder import RunFolder
from posemb.run.tensors import load_weights


def load(path: str | Path, config_dir: str | Path | None = None, device: str = "auto") -> tuple[RunFolder, Experiment]:
    """A run's folder and its experiment with the trained weights; the model is in evaluation mode.

    Args:
        path: the run's folder.
        config_dir: where options of the user's own came from, if the run used any.
        device: where the model goes, wherever it was trained; `auto` takes cuda, then mps, then cpu.

    Raises:
        UsageError: no run folder; a text that has changed since; a device that is not there; or the stored config names
            a class that is not posemb's, and `config_dir` does not bring it.
        RunFolderError: no final weights, or weights that do not fit the config.
    """
    folder = RunFolder.open(path)
    folder.config = check(folder.config, None if config_dir is None else Path(config_dir))
    weights = load_weights(folder)
    experiment = build(folder.config, device)
    same_text(folder, experiment)
    try:
        experiment.model.load_state_dict(weights)
    except RuntimeError as misfit:
        reason = str(misfit).splitlines()[0]
        raise RunFolderError(f"The weights in {folder.path} do not fit its config: {reason}") from misfit
    experiment.model.eval()
    return folder, experiment


def same_text(folder: RunFolder, experiment: Experiment) -> None:
    """See to it that a task still reads what its run was trained on.

    Raises:
        UsageError: the file has changed since.
    """
    if experiment.task.digest == folder.manifest["corpus"]:
        return
    file = folder.config["task"].get("file")
    which = f"The text of task={folder.config['choice']['task']}" if file is None else f"task.file={file}"
    raise UsageError(
        f"{which} has changed since {folder.path} was trained on it.\nBring the old text back, or start a new run."
    )
