"""One run from its config to its curve: start it, go on with it, evaluate it again."""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from posemb.errors import Diverged, Interrupted, PosembError, UsageError
from posemb.eval.evaluate import curve
from posemb.run.build import Experiment, build, use_threads
from posemb.run.check import check
from posemb.run.folder import RunFolder
from posemb.run.identity import folder_label, folder_name
from posemb.run.load import load
from posemb.run.log import TrainingLog
from posemb.run.manifest import State, describe
from posemb.run.signals import Signals
from posemb.run.tensors import save_weights
from posemb.run.training import Training
from posemb.run.watch import Watch


def start(config: dict[str, Any], runs: Path, watch: Watch, config_dir: Path | None = None) -> RunFolder:
    """Train and evaluate what a composed config describes, in a new folder below `runs`.

    Raises:
        UsageError: the config cannot be built; no folder was made.
        Diverged, Interrupted, RunFolderError: later; `error.run` is the folder.
    """
    check(config, config_dir)
    threads = use_threads(config["run"]["threads"])
    experiment = build(config)
    manifest = describe(
        config,
        digest=experiment.task.digest,
        parameters=experiment.parameters,
        trained_length=experiment.trained_length,
        device=experiment.device.type,
        threads=threads,
    )
    name = folder_name(config, experiment.task.digest)
    folder = RunFolder.create(runs, folder_label(config["choice"]), name, config, manifest)
    _go(folder, experiment, watch)
    return folder


def resume(path: Path, watch: Watch, config_dir: Path | None = None) -> RunFolder:
    """Go on with a run that was interrupted, killed, or failed for want of room.

    Raises:
        UsageError: it is completed already.
        RunFolderError: it is still running, or cannot be read.
        Diverged, Interrupted: later, as in `start`.
    """
    folder = RunFolder.open(path)
    if folder.state == "completed":
        raise UsageError(f"{folder.path} is completed. To see it: posemb show {folder.path}")
    check(folder.config, config_dir)
    threads = use_threads(folder.config["run"]["threads"])
    experiment = build(folder.config)
    if experiment.task.digest != folder.manifest["corpus"]:
        raise UsageError(f"The text that {folder.path} was trained on has changed since. Start a new run.")
    folder.claim()
    folder.update(device=experiment.device.type, threads=threads)
    _go(folder, experiment, watch)
    return folder


def evaluate(
    path: Path, sizes: Sequence[int] | None, count: int | None, watch: Watch, config_dir: Path | None = None
) -> tuple[Path, list[dict[str, Any]]]:
    """Evaluate a finished run at other sizes or with another count, into an `eval-<n>.jsonl` of its own.

    Raises:
        UsageError: the task has no such size.
        RunFolderError: the run has no final weights, or the file cannot be written.
    """
    folder, experiment = load(path, config_dir)
    asked = sorted(set(sizes)) if sizes is not None else experiment.sizes
    many = count if count is not None else experiment.protocol.count
    with Signals(lambda: watch.note("Stopping after this size; nothing is kept of this evaluation.")) as signals:
        rows = []
        watch.evaluating(len(asked))
        for row in curve(experiment.model, experiment.task, experiment.ids, asked, many):
            if signals.caught is not None:
                raise Interrupted(signals.caught, "Evaluation interrupted; the run is as it was.")
            rows.append({"step": experiment.recipe.steps, **row})
            watch.evaluated(rows[-1])
        return folder.save_evaluation(rows), rows


def _go(folder: RunFolder, experiment: Experiment, watch: Watch) -> None:
    """Train from the last checkpoint, or from the start, to the end of the curve; write down how it ended."""
    if folder.note:
        watch.note(folder.note)
    with Signals(
        lambda: watch.note("Stopping: this step is finished and saved. Press Ctrl-C again to leave at once.")
    ) as signals:
        try:
            _train_and_evaluate(folder, experiment, watch, signals)
        except BaseException as error:
            _close(folder, error)
            raise


def _train_and_evaluate(folder: RunFolder, experiment: Experiment, watch: Watch, signals: Signals) -> None:
    training = Training(folder, experiment, signals)
    folder.clear_curve()
    log = TrainingLog(folder)
    facts = {"parameters": experiment.parameters, "device": experiment.device.type, "done": training.done}
    watch.started(folder.path, facts | {"threads": folder.manifest["threads"], "steps": experiment.recipe.steps})
    try:
        training.run(log, watch)
        save_weights(folder, experiment.model.state_dict())
        began = perf_counter()
        watch.evaluating(len(experiment.sizes))
        model, task, ids = experiment.model, experiment.task, experiment.ids
        for row in curve(model, task, ids, experiment.sizes, experiment.protocol.count):
            log.curve(numbered := {"step": experiment.recipe.steps, **row})
            watch.evaluated(numbered)
            if signals.caught is not None and row["size"] != experiment.sizes[-1]:
                raise Interrupted(signals.caught, "Interrupted while evaluating; the trained model is saved.")
    finally:
        log.close()
    folder.finish("completed", timings=folder.manifest["timings"] | {"evaluation": perf_counter() - began})


def _close(folder: RunFolder, error: BaseException) -> None:
    """Write down how a run ended that did not complete. A disk that refuses this too must not hide the first error."""
    state: State = "diverged" if isinstance(error, Diverged) else "failed"
    if isinstance(error, Interrupted | KeyboardInterrupt):
        state = "interrupted"
    if isinstance(error, PosembError):
        error.run = folder.path
    try:
        folder.finish(state, str(error) or type(error).__name__)
    except PosembError:
        folder.release()
