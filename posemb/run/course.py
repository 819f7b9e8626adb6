"""The course of a run in its folder: train, save, evaluate, and write down how it ended."""

from functools import partial
from time import perf_counter
from typing import Any

from posemb.errors import Diverged, Interrupted, PosembError
from posemb.eval.evaluate import curve, rows_of
from posemb.position.base import Reach
from posemb.run.build import Experiment
from posemb.run.folder import RunFolder
from posemb.run.hparams import save_hparams
from posemb.run.log import TrainingLog
from posemb.run.manifest import State
from posemb.run.signals import Signals
from posemb.run.tensors import save_weights
from posemb.run.training import Training
from posemb.run.watch import Watch


def go(folder: RunFolder, experiment: Experiment, watch: Watch) -> None:
    """Train from the last checkpoint, or from the start, to the end of the curve; write down how it ended."""
    if folder.note:
        watch.note(folder.note)
    heard = partial(watch.note, "Stopping: finishing this step, then saving. A second signal leaves at once.")
    with Signals(heard, watch.leaving) as signals:
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
    if caution := experiment.model.position.caution():
        watch.note(caution)
        folder.update(caution=caution)
    try:
        training.run(log, watch)
        save_weights(folder, experiment.model.state_dict())
        began = perf_counter()
        watch.evaluating(rows_of(experiment.task, experiment.sizes))
        model, task, ids = experiment.model, experiment.task, experiment.ids
        for row in curve(model, task, ids, experiment.sizes, experiment.protocol.count):
            log.curve(numbered := {"step": experiment.recipe.steps, **row})
            evaluated(numbered, watch)
            if signals.caught is not None and row["size"] != experiment.sizes[-1]:
                raise Interrupted(signals.caught, "Interrupted while evaluating; the trained model is saved.")
    finally:
        log.close()
    save_hparams(folder, "completed")
    folder.finish("completed", timings=folder.manifest["timings"] | {"evaluation": perf_counter() - began})


def evaluated(row: dict[str, Any], watch: Watch) -> None:
    """Hand on a row; say why its figures are null, where its status does not."""
    watch.evaluated(row)
    if row["loss"] is None and row["status"] != Reach.CANNOT.value:
        watch.note(f"At size {row['size']} the model gives numbers that are not finite: the figures are null.")


def _close(folder: RunFolder, error: BaseException) -> None:
    """Write down how a run ended that did not complete. A disk that refuses this too must not hide the first error."""
    state: State = "diverged" if isinstance(error, Diverged) else "failed"
    if isinstance(error, Interrupted | KeyboardInterrupt | SystemExit):
        state = "interrupted"
    if isinstance(error, PosembError):
        error.run = folder.path
    told = "Its process was told to end." if isinstance(error, SystemExit) else str(error)
    try:
        folder.finish(state, told or type(error).__name__)
    except PosembError:
        folder.release()
