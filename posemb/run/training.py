"""Training inside a run folder: logs, looks at the validation stream, checkpoints, and stops when asked."""

from time import perf_counter
from typing import Any

from posemb.errors import Diverged, Interrupted, RunFolderError
from posemb.eval.validation import validate
from posemb.run.build import Experiment
from posemb.run.folder import RunFolder
from posemb.run.log import TrainingLog
from posemb.run.signals import Signals
from posemb.run.tensors import load_checkpoint, save_checkpoint
from posemb.run.watch import Watch
from posemb.train.loop import Step, make_optimizer, train


class Training:
    """The training of one run. Making it brings model, optimizer and metrics back to the last checkpoint, if any.

    Args:
        folder: claimed by this process.
        experiment: the run's experiment.
        signals: asked after every step.

    Raises:
        RunFolderError: the checkpoint cannot be read or does not fit the config.
    """

    def __init__(self, folder: RunFolder, experiment: Experiment, signals: Signals) -> None:
        self.folder, self.experiment, self.signals = folder, experiment, signals
        self.optimizer = make_optimizer(experiment.model, experiment.recipe)
        self.done = 0
        self.pending: list[list[float]] = []  # loss and accuracy of the steps since the last row of metrics
        self.compute = 0.0  # seconds in forward, backward and optimizer step
        self.before = 0.0  # seconds that earlier processes trained up to the checkpoint
        saved = load_checkpoint(folder)
        if saved is not None:
            self._restore(saved)
        folder.cut_metrics(self.done)
        folder.update(steps=self.done)

    def _restore(self, saved: dict[str, Any]) -> None:
        try:
            self.experiment.model.load_state_dict(saved["model"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.done, self.pending = saved["step"], saved["pending"]
            self.compute, self.before = saved["compute"], saved["seconds"]
        except (KeyError, RuntimeError, ValueError) as misfit:
            reason = str(misfit).splitlines()[0]
            raise RunFolderError(f"The checkpoint in {self.folder.path} does not fit its config: {reason}") from misfit

    def run(self, log: TrainingLog, watch: Watch) -> None:
        """Train to the last step; leaves a checkpoint of it.

        Raises:
            Interrupted: a signal came; the step is finished and saved.
            Diverged: the loss is no number any more; the last checkpoint stands.
        """
        self.began = perf_counter()
        try:
            self._steps(log, watch)
        except Diverged:
            self._tell()
            raise

    def _steps(self, log: TrainingLog, watch: Watch) -> None:
        it, machine = self.experiment, self.experiment.machine
        tokens, row_began = 0, perf_counter()
        for step in train(it.model, self.optimizer, it.task, it.ids, it.recipe, it.seed.data, self.done):
            self.done, last = step.step, step.step == it.recipe.steps
            self.compute += step.compute
            self.pending.append([step.loss, step.accuracy])
            tokens += step.tokens
            if step.step % machine.log_every == 0 or last:
                row = self._row(step, tokens / (perf_counter() - row_began))
                if step.step % machine.validate_every == 0 or last:
                    row["validation"] = validate(it.model, it.task, it.ids, it.recipe.size)
                log.step(row)
                watch.stepped(row)
                tokens, row_began = 0, perf_counter()
            if step.step % machine.checkpoint_every == 0 or last or self.signals.caught is not None:
                self._save()
            if self.signals.caught is not None:
                raise Interrupted(self.signals.caught, f"Interrupted after step {self.done} of {it.recipe.steps}.")

    @property
    def seconds(self) -> float:
        """Training time so far, that of earlier processes included."""
        return self.before + perf_counter() - self.began

    def _row(self, step: Step, speed: float) -> dict[str, Any]:
        """A row of metrics.jsonl: means over the steps since the last row."""
        losses, accuracies = zip(*self.pending, strict=True)
        self.pending = []
        means = {"loss": sum(losses) / len(losses), "accuracy": sum(accuracies) / len(accuracies)}
        pace = {"tokens_per_second": round(speed), "seconds": round(self.seconds, 3)}
        return {"step": step.step, **means, "lr": step.lr, **pace}

    def _save(self) -> None:
        save_checkpoint(
            self.folder,
            {
                "step": self.done,
                "model": self.experiment.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "pending": self.pending,
                "compute": self.compute,
                "seconds": self.seconds,
            },
        )
        self._tell()

    def _tell(self) -> None:
        """Into the manifest: how far it came."""
        share = round(self.compute / self.seconds, 4)
        self.folder.update(steps=self.done, timings={"training": round(self.seconds, 3)}, compute_share=share)
