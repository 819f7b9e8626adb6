"""The training loop."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from time import perf_counter

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from posemb.errors import Diverged
from posemb.ids.base import IdScheme
from posemb.model.transformer import Transformer
from posemb.task.base import Batch, Task
from posemb.train.batches import scored_tokens, training_batch
from posemb.train.recipe import Recipe
from posemb.train.schedule import learning_rate


@dataclass(frozen=True)
class Step:
    """What one optimizer step did.

    Attributes:
        step: 1..steps.
        loss: mean cross-entropy of the scored tokens, in nats.
        accuracy: share of scored tokens that the model would have got right.
        lr: learning rate of the step.
        tokens: tokens that the batch held.
        compute: seconds in forward, backward and optimizer step.
    """

    step: int
    loss: float
    accuracy: float
    lr: float
    tokens: int
    compute: float


def make_optimizer(model: Transformer, recipe: Recipe) -> torch.optim.AdamW:
    """AdamW; weight decay on the backbone's matrices only: norms, biases and a method's own parameters are spared."""
    decayed: list[nn.Parameter] = []
    spared: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        matrix = parameter.ndim == 2 and not name.startswith("position.")
        (decayed if matrix else spared).append(parameter)
    groups = [{"params": decayed, "weight_decay": recipe.weight_decay}, {"params": spared, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=recipe.lr, betas=(0.9, recipe.beta2), fused=True)


def predict(model: Transformer, batch: Batch, ids: Tensor, device: torch.device) -> tuple[Tensor, Tensor]:
    """Logits (N, V) and targets (N,) of the scored tokens of a batch."""
    tokens, scored, ids = batch.tokens.to(device), batch.scored.to(device), ids.to(device)
    # The last token predicts nothing, so the model never sees it; the horizon stays that of the whole row.
    at = model.positions(ids, 0, ids.shape[1] - 1, batch.layout.prompt)
    wanted = scored[:, 1:]
    return model(tokens[:, :-1], at)[wanted], tokens[:, 1:][wanted]


def _culprit(loss: float, norm: float) -> str:
    """Which of the two is not finite. The loss is named first: where it is not, the gradient cannot be."""
    if isfinite(loss):
        return f"The gradient norm became {norm:.3g} (loss {loss:.3g})"
    return f"The loss became {loss:.3g}"


def train(
    model: Transformer,
    optimizer: torch.optim.Optimizer,
    task: Task,
    ids: IdScheme,
    recipe: Recipe,
    seed: int,
    done: int,
) -> Iterator[Step]:
    """Train from step done + 1 to the last, yielding after every step. The caller logs, saves and may simply stop.

    Raises:
        Diverged: the loss or the gradient is not finite. The weights are those before the step.
    """
    device = next(model.parameters()).device
    full = scored_tokens(task, recipe.size, recipe.batch)
    for step in range(done + 1, recipe.steps + 1):
        batch, row_ids = training_batch(task, ids, recipe.size, recipe.batch, seed, step)
        lr = learning_rate(recipe, step)
        for group in optimizer.param_groups:
            group["lr"] = lr
        began = perf_counter()
        logits, targets = predict(model, batch, row_ids, device)
        loss = F.cross_entropy(logits, targets)
        optimizer.zero_grad(set_to_none=True)
        # Every scored token weighs the same, whichever size was drawn: by the mean alone, a token of a short row would
        # weigh many times as much as one of a long row.
        (loss * (targets.numel() / full)).backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), recipe.clip, foreach=True)
        loss_value = loss.item()
        if not torch.isfinite(loss + norm):
            raise Diverged(
                f"{_culprit(loss_value, norm.item())} at step {step} (learning rate {lr:.3g}). "
                "Try a lower train.lr, a longer train.warmup or a smaller train.clip."
            )
        optimizer.step()
        compute = perf_counter() - began
        accuracy = (logits.argmax(-1) == targets).float().mean().item()
        yield Step(step, loss_value, accuracy, lr, batch.tokens.numel(), compute)
