"""Which rows a training step sees: a function of the seed and the step, so there is no data cursor to lose."""

import torch
from torch import Tensor

from posemb.ids.base import IdScheme
from posemb.seeds import stream
from posemb.task.base import Batch, Task


def scored_tokens(task: Task, size: int, rows: int) -> int:
    """Scored tokens in a batch of the trained size: the most that a training batch holds."""
    row = task.sample(max(task.train_sizes(size)), 1, stream(0, "scored tokens"), "train")
    return rows * int(row.scored.sum())


def training_batch(task: Task, ids: IdScheme, size: int, rows: int, seed: int, step: int) -> tuple[Batch, Tensor]:
    """One size first, drawn from the task's training sizes up to `size`; then `rows` rows of it, and their ids."""
    rng = stream(seed, "train", step)
    sizes = task.train_sizes(size)
    drawn = sizes[int(torch.randint(len(sizes), (), generator=rng))]
    batch = task.sample(drawn, rows, rng, "train")
    return batch, ids.assign(batch.layout, True, stream(seed, "train", step, "ids"))
