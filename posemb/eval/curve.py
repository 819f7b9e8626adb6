"""The extrapolation curve of a task with answers: one row for each size."""

from typing import Any

import torch

from posemb.errors import CannotRepresent
from posemb.eval.score import score
from posemb.ids.base import IdScheme
from posemb.model.transformer import Transformer
from posemb.position.base import Reach
from posemb.seeds import stream
from posemb.task.base import Task

Row = dict[str, Any]

# Evaluation rows are the same for every method, seed and checkpoint: their stream depends on no seed of the run.
EVALUATION_SEED = 0


def wilson(hits: int, count: int) -> tuple[float, float]:
    """95 % Wilson score interval of a proportion."""
    from scipy.stats import binomtest

    interval = binomtest(hits, count).proportion_ci(0.95, method="wilson")
    return float(interval.low), float(interval.high)


def measure(
    model: Transformer,
    task: Task,
    ids: IdScheme,
    size: int,
    count: int,
) -> Row:
    """One row of the curve: `count` fixed examples of one size.

    Returns:
        size, length, exact_match, token_accuracy, loss, entropy, count, low, high, chance, status. Where a position
        cannot be represented, or the loss is not finite, the figures are None.
    """
    batch = task.sample(size, count, stream(EVALUATION_SEED, "evaluation", size), "evaluation")
    row: Row = {"size": size, "length": batch.layout.length, "exact_match": None, "token_accuracy": None}
    row |= {"loss": None, "entropy": None, "count": count, "low": None, "high": None, "chance": task.chance(size)}
    try:
        row_ids = ids.assign(batch.layout, False, stream(EVALUATION_SEED, "evaluation", size, "ids"))
    except CannotRepresent:
        return row | {"status": Reach.CANNOT.value}
    device = next(model.parameters()).device
    # Asked of whole rows: the last token is only predicted, never fed, in evaluation as in training. So the last id of
    # the longest trained row was never learned, and the first row longer than that is the first to feed it.
    status = model.position.reach(model.positions(row_ids.to(device), 0, batch.layout.length, batch.layout.prompt))
    if status is Reach.CANNOT:
        return row | {"status": status.value}
    scores = score(model, batch, row_ids)
    loss = finite(scores.loss.double().mean())
    if loss is None:  # the likeliest token among numbers that are none means nothing
        return row | {"status": status.value}
    hits = int(scores.rows_right.sum())
    low, high = wilson(hits, count)
    return row | {
        "exact_match": hits / count,
        "token_accuracy": scores.right.double().mean().item(),
        "loss": loss,
        "entropy": finite(scores.entropy.double().mean()),
        "low": low,
        "high": high,
        "status": status.value,
    }


def finite(value: torch.Tensor) -> float | None:
    """A number that JSON can carry: None where it is NaN or infinite."""
    return value.item() if bool(torch.isfinite(value)) else None
