"""A trained model past its length: every scaling laid over the same weights, as they are and after some more steps."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from posemb.errors import CannotRepresent, Diverged, UsageError
from posemb.eval.evaluate import curve, rows_of
from posemb.eval.text import is_text
from posemb.run.build import Experiment, build
from posemb.run.check import check
from posemb.run.course import evaluated
from posemb.run.evaluations import refuse_unwritable, save_evaluation
from posemb.run.extendable import refuse_aim, refuse_run
from posemb.run.folder import RunFolder
from posemb.run.load import load
from posemb.run.machine import use_threads
from posemb.run.signals import Signals
from posemb.run.variants import PLAIN, Extension, Form, Wanted, at, forms, spread
from posemb.run.watch import Watch
from posemb.seeds import stream
from posemb.train.loop import make_optimizer, train

# Fine-tuning is gentle: a constant rate, this share of the recipe's peak. Chosen before any of it was evaluated.
TUNING_RATE = 0.1


def extend(
    path: Path,
    wanted: Wanted,
    watch: Watch,
    config_dir: Path | None = None,
    device: str | None = None,
    threads: int | None = None,
) -> Extension:
    """Evaluate a completed run past its length under several scalings, into an `extend-<n>.jsonl` of its own.

    Every form starts from the run's trained weights; what fine-tuning makes of them is evaluated and dropped.

    Args:
        path: the run's folder. No file that it holds is changed.
        wanted: what to try.
        watch: who is told.
        config_dir: where options of the user's own came from, if the run used any.
        device: where to compute; None takes the best that this machine has, whatever the run was trained on.
        threads: CPU threads; None takes what the config says, or else every core.

    Raises:
        UsageError: it is no run that can be extended; there is no such scaling or size; the device is not there.
        RunFolderError: the run has no final weights, or the file cannot be written.
        Interrupted: a signal came; nothing is kept.
    """
    refuse_run(RunFolder.open(path))
    folder, trained = load(path, config_dir, device or "auto")
    used = use_threads(threads or folder.config["run"]["threads"])
    if is_text(trained.task):
        raise UsageError(f"{folder.path} was trained on text, which has no right answers: there is no L90 to extend.")
    size = trained.recipe.size
    refuse_aim(size, wanted)
    sizes = sorted(set(wanted.sizes)) if wanted.sizes is not None else spread(size, wanted.factors)
    for one in sizes:
        trained.task.length(one)  # the task may refuse any of them
    planned = forms(folder.config, wanted)
    _refuse_ids(folder, trained, planned)
    if wanted.tune is not None:
        _refuse_tuning(trained, at(size, max(wanted.factors)))
    refuse_unwritable(folder)
    models = {form: _shaped(folder, trained, form, sizes, config_dir) for form in planned}
    done = Extension(folder, [], trained.device.type, used, TUNING_RATE * trained.recipe.lr)
    heard = partial(watch.note, "Stopping soon; nothing is kept of this. A second signal leaves at once.")
    with Signals(heard, watch.leaving) as signals:
        stop = partial(signals.refuse, "Interrupted; the run is as it was.")
        for it in models.values():
            # A model is asked about some rows, or about a part of a long one, at a time: a signal is heard in between.
            it.model.register_forward_pre_hook(lambda *_: stop())
        each = rows_of(trained.task, sizes)
        watch.evaluating(each * (1 + len(wanted.temperatures) * len(models) - (1.0 in wanted.temperatures)))
        for row in _rows(models, wanted, sizes, done, watch):
            stop()
            done.rows.append(row)
            evaluated(row, watch)
        done.file = save_evaluation(folder, done.rows, "extend")
    return done


def _refuse_ids(folder: RunFolder, trained: Experiment, planned: list[Form]) -> None:
    """See to it that a scaling has something to reach: an id that training did not meet."""
    if trained.ids.spreads and any(form.scaling != PLAIN for form in planned):
        raise UsageError(
            f"{folder.path} was trained with ids={folder.config['choice']['ids']}, which spread: training met every id "
            f"below {trained.ids.id_limit},\nand longer rows ask for no other. A scaling could only distort what was "
            f"learned. Without one: --scaling {PLAIN}"
        )


def _refuse_tuning(trained: Experiment, size: int) -> None:
    """See to it that rows of the largest size of fine-tuning have ids."""
    layout = trained.task.sample(size, 1, stream(0, "build"), "train").layout
    try:
        trained.ids.assign(layout, True, stream(0, "build", "ids"))
    except CannotRepresent as refusal:
        raise UsageError(f"--tune: rows of size {size} cannot be trained on. {refusal}") from refusal


def _shaped(
    folder: RunFolder, trained: Experiment, form: Form, sizes: list[int], config_dir: Path | None
) -> Experiment:
    """The run's experiment in another form, with its trained weights."""
    position = folder.config["position"] | {"scaling": form.scaling}
    if form.factor is not None:
        position["factor"] = form.factor
    config = folder.config | {"position": position, "eval": folder.config["eval"] | {"sizes": sizes}}
    shaped = build(check(config, config_dir), trained.device.type)
    shaped.model.load_state_dict(trained.model.state_dict())
    return shaped


def _rows(
    models: dict[Form, Experiment], wanted: Wanted, sizes: list[int], done: Extension, watch: Watch
) -> Iterator[dict[str, Any]]:
    """The rows of every form at every temperature; those of the plain one at 1 come first, asked for or not."""
    for form, it in models.items():
        if form.tuned and not _tuned(form, it, done, watch):
            continue
        first = form == next(iter(models))
        for temperature in dict.fromkeys([*([1.0] if first else []), *wanted.temperatures]):
            it.model.temperature = temperature
            count = it.protocol.count if wanted.count is None else wanted.count
            named = {"scaling": form.scaling, "factor": form.factor, "tuned": form.tuned, "temperature": temperature}
            for row in curve(it.model, it.task, it.ids, sizes, count):
                yield {"step": it.recipe.steps + form.tuned, **row, **named}


def _tuned(form: Form, it: Experiment, done: Extension, watch: Watch) -> bool:
    """Fine-tune a form on sizes up to where it aims; whether it stayed finite.

    The stream has a name of its own, and is the same for every form that aims as far. The optimizer begins anew.
    """
    assert form.factor is not None
    size = at(it.recipe.size, form.factor)
    watch.note(f"{form.label}: {form.tuned} step{'' if form.tuned == 1 else 's'} at sizes up to {size}")
    recipe = replace(it.recipe, size=size, steps=form.tuned, lr=done.rate, warmup=0, floor=1.0)  # floor 1: constant
    seed = stream(it.seed.data, "tune").initial_seed()
    it.model.train()
    try:
        for row in train(it.model, make_optimizer(it.model, recipe), it.task, it.ids, recipe, seed, 0):
            watch.tuned(form.label, row.step, form.tuned)
    except Diverged as diverged:
        done.notes.append(f"{form.label} is left out, for its fine-tuning diverged: {str(diverged).splitlines()[0]}")
        watch.note(done.notes[-1])
        return False
    return True
