"""Text has no right answers: bits per character, at ever longer windows."""

from collections.abc import Iterator
from math import log
from typing import TypeGuard

from posemb.errors import CannotRepresent
from posemb.eval.curve import EVALUATION_SEED, Row, finite
from posemb.eval.score import score
from posemb.ids.base import IdScheme
from posemb.model.transformer import Transformer
from posemb.position.base import Reach
from posemb.seeds import stream
from posemb.task.base import Task
from posemb.task.text import Text

MODES = ("blocked", "sliding")


def is_text(task: Task) -> TypeGuard[Text]:
    """Whether a task is text: nothing is asked, so no answer can be right and its measures are its own."""
    return isinstance(task, Text)


def measure_text(model: Transformer, task: Text, ids: IdScheme, size: int, count: int) -> Iterator[Row]:
    """Two rows of the curve, `blocked` and `sliding`, over the same stretch of the evaluation part.

    Yields:
        size, length, mode, bits_per_character, scored_tokens, loss, entropy, count (windows), status. Where a position
        cannot be represented, or the loss is not finite, the figures are None.
    """
    for mode in MODES:
        batch = task.blocked(size, count) if mode == "blocked" else task.sliding(size, count)
        row: Row = {"size": size, "length": batch.layout.length, "mode": mode, "bits_per_character": None}
        row |= {"scored_tokens": int(batch.scored.sum()), "loss": None, "entropy": None, "count": batch.layout.rows}
        try:
            row_ids = ids.assign(batch.layout, False, stream(EVALUATION_SEED, "evaluation", size, mode, "ids"))
        except CannotRepresent:
            yield row | {"status": Reach.CANNOT.value}
            continue
        device = next(model.parameters()).device
        status = model.position.reach(model.positions(row_ids.to(device), 0, size, 0))  # whole rows, see curve
        if status is not Reach.CANNOT:
            # Token-weighted: the mean is over all scored characters, not over windows.
            scores = score(model, batch, row_ids)
            loss, entropy = finite(scores.loss.double().mean()), finite(scores.entropy.double().mean())
            if loss is not None:
                row |= {"loss": loss, "entropy": entropy, "bits_per_character": loss / log(2)}
        yield row | {"status": status.value}
