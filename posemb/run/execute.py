"""One run from its config to its curve: start it, go on with it, evaluate it again."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from posemb.errors import Interrupted
from posemb.eval.evaluate import curve, rows_of
from posemb.run.build import build
from posemb.run.check import check
from posemb.run.course import evaluated, go
from posemb.run.disk import refuse_file
from posemb.run.evaluations import Evaluation, save_evaluation
from posemb.run.folder import RunFolder
from posemb.run.identity import anchored, folder_label, folder_name
from posemb.run.load import load, same_text
from posemb.run.machine import cores, use_threads
from posemb.run.manifest import describe, doubt, this_process
from posemb.run.signals import Signals
from posemb.run.tensors import WEIGHTS, restore_weights
from posemb.run.watch import Watch


def start(config: dict[str, Any], runs: Path, watch: Watch, config_dir: Path | None = None) -> RunFolder:
    """Train and evaluate what a composed config describes, in a new folder below `runs`.

    Raises:
        UsageError: the config cannot be built, or `runs` is a file; no folder was made.
        Diverged, Interrupted, RunFolderError: later; `error.run` is the folder.
    """
    refuse_file(runs)
    config = check(config, config_dir)
    threads = use_threads(config["run"]["threads"])
    experiment = build(config)
    config = anchored(config, experiment.task.digest)
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
    go(folder, experiment, watch)
    return folder


def resume(
    path: Path, watch: Watch, config_dir: Path | None = None, device: str | None = None, threads: int | None = None
) -> RunFolder:
    """Go on with a run that was interrupted, killed, or failed for want of room.

    Of a completed run that lost its weights, these are written again, if its checkpoint is there.

    Args:
        path: the run's folder.
        watch: who is told.
        config_dir: where options of the user's own came from, if the run used any.
        device: where to compute; None takes what the config says.
        threads: CPU threads; None takes what the config says, or else as many as the run had.

    Raises:
        UsageError: it is no run, or is completed already; its text has changed; the device is not there.
        RunFolderError: it is still running, or cannot be read.
        Diverged, Interrupted: later, as in `start`.
    """
    folder = RunFolder.open(path)
    if restore_weights(folder):
        watch.note(f"{WEIGHTS} was missing, and is written again from the checkpoint.")
        return folder
    folder.refuse_completed()
    folder.config = check(folder.config, config_dir)
    told = threads or folder.config["run"]["threads"]
    experiment = build(folder.config, device)
    same_text(folder, experiment)
    now = this_process(experiment.device.type, use_threads(told or folder.manifest["threads"]))
    folder.claim()
    before = folder.manifest.get("processes") or [folder.manifest]
    if doubts := doubt(before[-1], now, cores() if told is None else None):
        watch.note(doubts)
    folder.update(device=now["device"], threads=now["threads"], processes=[*before, now])
    go(folder, experiment, watch)
    return folder


def evaluate(
    path: Path,
    sizes: Sequence[int] | None,
    count: int | None,
    watch: Watch,
    config_dir: Path | None = None,
    device: str | None = None,
    threads: int | None = None,
    temperature: float = 1.0,
) -> Evaluation:
    """Evaluate a finished run at other sizes or with another count, into an `eval-<n>.jsonl` of its own.

    Args:
        path: the run's folder.
        sizes: the sizes; None takes the config's.
        count: examples for each size; None takes the config's.
        watch: who is told.
        config_dir: where options of the user's own came from, if the run used any.
        device: where to compute; None takes the best that this machine has, whatever the run was trained on.
        threads: CPU threads; None takes what the config says, or else every core.
        temperature: what every attention score is multiplied by. Other than 1, each row has it.

    Raises:
        UsageError: it is no run; the task has no such size; its text has changed; the device is not there.
        RunFolderError: the run has no final weights, or the file cannot be written.
    """
    folder, experiment = load(path, config_dir, device or "auto")
    used = use_threads(threads or folder.config["run"]["threads"])
    asked = sorted(set(sizes)) if sizes is not None else experiment.sizes
    for size in asked:
        experiment.task.length(size)  # the task may refuse any of them
    many = count if count is not None else experiment.protocol.count
    experiment.model.temperature = temperature
    named = {} if temperature == 1 else {"temperature": temperature}
    heard = partial(watch.note, "Stopping after this size; nothing is kept of this evaluation.")
    with Signals(heard, watch.leaving) as signals:
        rows = []
        watch.evaluating(rows_of(experiment.task, asked))
        for row in curve(experiment.model, experiment.task, experiment.ids, asked, many):
            if signals.caught is not None:
                raise Interrupted(signals.caught, "Evaluation interrupted; the run is as it was.")
            rows.append({"step": experiment.recipe.steps, **row, **named})
            evaluated(rows[-1], watch)
        return Evaluation(save_evaluation(folder, rows), rows, experiment.device.type, used)
