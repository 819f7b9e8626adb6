"""The rows of a curve, whatever the task measures."""

from collections.abc import Iterator, Sequence

from posemb.eval.curve import Row, measure
from posemb.eval.text import measure_text
from posemb.ids.base import IdScheme
from posemb.model.transformer import Transformer
from posemb.task.base import Task
from posemb.task.text import Text


def curve(model: Transformer, task: Task, ids: IdScheme, sizes: Sequence[int], count: int) -> Iterator[Row]:
    """One row a size for a task with answers; for text one a size and mode (blocked, sliding)."""
    model.eval()
    for size in sizes:
        if isinstance(task, Text):
            yield from measure_text(model, task, ids, size, count)
        else:
            yield measure(model, task, ids, size, count)
