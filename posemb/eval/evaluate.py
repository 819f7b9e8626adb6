"""The rows of a curve, whatever the task measures."""

from collections.abc import Iterator, Sequence

from posemb.eval.curve import Row, measure
from posemb.eval.text import MODES, is_text, measure_text
from posemb.ids.base import IdScheme
from posemb.model.transformer import Transformer
from posemb.task.base import Task


def rows_of(task: Task, sizes: Sequence[int]) -> int:
    """How many rows the curve over these sizes has."""
    return len(sizes) * (len(MODES) if is_text(task) else 1)


def curve(model: Transformer, task: Task, ids: IdScheme, sizes: Sequence[int], count: int) -> Iterator[Row]:
    """One row a size for a task with answers; for text one a size and mode (blocked, sliding)."""
    model.eval()
    for size in sizes:
        if is_text(task):
            yield from measure_text(model, task, ids, size, count)
        else:
            yield measure(model, task, ids, size, count)
