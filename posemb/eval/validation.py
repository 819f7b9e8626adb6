"""A look at the validation stream: in distribution, for everything that is chosen."""

from posemb.eval.score import score
from posemb.eval.text import is_text
from posemb.ids.base import IdScheme
from posemb.model.transformer import Transformer
from posemb.seeds import stream
from posemb.task.base import Task

# The rows are the same at every look and for every run.
VALIDATION_SEED = 0
ROWS = 128


def validate(model: Transformer, task: Task, ids: IdScheme, size: int) -> dict[str, float]:
    """Exact match (tasks with answers), token accuracy and loss at the trained size."""
    batch = task.sample(size, ROWS, stream(VALIDATION_SEED, "validation", size), "validation")
    row_ids = ids.assign(batch.layout, False, stream(VALIDATION_SEED, "validation", size, "ids"))
    scores = score(model, batch, row_ids)
    figures = {"token_accuracy": scores.right.double().mean().item(), "loss": scores.loss.double().mean().item()}
    return figures if is_text(task) else {"exact_match": scores.rows_right.double().mean().item()} | figures
