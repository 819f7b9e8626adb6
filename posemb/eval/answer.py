"""What a model says to a prompt: greedy decoding, and the judge's verdict on it."""

from dataclasses import dataclass

import torch
from torch import Tensor

from posemb.errors import CannotRepresent
from posemb.eval.curve import EVALUATION_SEED
from posemb.eval.decode import Said, decode
from posemb.eval.score import TOKENS_AT_ONCE
from posemb.eval.text import is_text
from posemb.ids.base import IdScheme
from posemb.layout import Layout
from posemb.model.transformer import Transformer
from posemb.position.base import Reach
from posemb.seeds import stream
from posemb.task.base import MARKS, Task


@dataclass(frozen=True)
class Answer:
    """One answer.

    Attributes:
        prompt: what was asked; of a text, what is continued.
        answer: what the model said, up to its end mark or to the end of the row; a text's continuation. None where the
            positions of the row cannot be represented.
        ended: whether it said the end mark. A text has none.
        right: the verdict; None where there is no right answer, or no answer at all.
        expected: the judge's answer; None for a text.
        wrong_at: the first character, counted from 0, in which the answer is not the expected one; the end mark
            counts as one. None unless `right` is false.
        length: tokens of the whole row.
        status: whether the row's positions can be represented, and were trained.
        reason: why they cannot be represented, or None.
    """

    prompt: str
    answer: str | None
    ended: bool
    right: bool | None
    expected: str | None
    wrong_at: int | None
    length: int
    status: Reach
    reason: str | None = None


def ask(model: Transformer, task: Task, ids: IdScheme, prompt: str, more: int = 1, said: Said | None = None) -> Answer:
    """The model's answer to one prompt. Ids that are drawn depend on the length of the row alone.

    Args:
        model: trained, in evaluation mode.
        task: which knows the right answer.
        ids: the id scheme.
        prompt: bare, without marks.
        more: characters by which a text is continued.
        said: told while the model answers, see `decode`.

    Raises:
        UsageError: the prompt is empty, has characters that the alphabet lacks, or is not one of the task.
    """
    layout = task.layout(prompt)
    tokens = task.encode(prompt)
    if is_text(task):
        layout = Layout(1, layout.length + more, 0)
    else:
        tokens = torch.cat([torch.tensor([task.begin]), tokens, torch.tensor([task.mark])])
    row_ids = stream(EVALUATION_SEED, "answer", layout.length, "ids")
    return _answers(model, task, ids, tokens[None], layout, row_ids, said)[0]


def answer_rows(
    model: Transformer,
    task: Task,
    ids: IdScheme,
    size: int,
    count: int,
    more: int | None = None,
    said: Said | None = None,
) -> list[Answer]:
    """The model's answers to the rows that a curve evaluates, with the same ids. So many are right as its row says.

    Args:
        model: trained, in evaluation mode.
        task: whose rows they are.
        ids: the id scheme.
        size: of the rows. Of a text's windows the first half is given.
        count: how many rows.
        more: characters by which a text is continued; None fills the window.
        said: told while the model answers, see `decode`.
    """
    batch = task.sample(size, count, stream(EVALUATION_SEED, "evaluation", size), "evaluation")
    layout, asked = batch.layout, batch.layout.prompt
    if is_text(task):
        asked = max(1, size // 2)
        layout = Layout(count, size if more is None else asked + more, 0)
    row_ids = stream(EVALUATION_SEED, "evaluation", size, "ids")
    return _answers(model, task, ids, batch.tokens[:, :asked], layout, row_ids, said)


def _answers(
    model: Transformer,
    task: Task,
    ids: IdScheme,
    prompts: Tensor,
    layout: Layout,
    rng: torch.Generator,
    told: Said | None,
) -> list[Answer]:
    """One answer for each row of prompts (B, P), marks included, that begin rows of this layout."""
    asked = [task.decode(row) for row in (prompts[:, 1:-1] if layout.prompt else prompts)]
    device = next(model.parameters()).device
    reason = None
    try:
        row_ids = ids.assign(layout, False, rng).to(device)
        status = model.position.reach(
            model.positions(row_ids, 0, layout.length, layout.prompt)
        )  # whole rows, see curve
    except CannotRepresent as refusal:
        status, reason = Reach.CANNOT, str(refusal)
    if status is Reach.CANNOT:
        reason = reason or f"The table of {type(model.position).__name__} ends before a row of {layout.length} tokens."
        return [Answer(prompt, None, False, None, None, None, layout.length, status, reason) for prompt in asked]
    at_once = max(1, TOKENS_AT_ONCE // layout.length)
    said = torch.cat(
        [
            decode(
                model,
                rows.to(device),
                row_ids[start : start + len(rows)] if len(row_ids) > 1 else row_ids,
                layout.prompt,
                told,
            )
            for start, rows in zip(range(0, len(prompts), at_once), prompts.split(at_once), strict=True)
        ]
    ).cpu()
    return [_judged(task, prompt, row, layout, status) for prompt, row in zip(asked, said, strict=True)]


def _judged(task: Task, prompt: str, said: Tensor, layout: Layout, status: Reach) -> Answer:
    if is_text(task):
        return Answer(prompt, task.decode(said), False, None, None, None, layout.length, status)
    ends = (said == task.end).nonzero().flatten().tolist()
    answer, end = task.decode(said[: ends[0]] if ends else said), MARKS[2]
    expected = task.solve(prompt)
    right = bool(ends) and task.valid(prompt, answer)
    whole, wanted = answer + end if ends else answer, expected + end
    # An answer of several valid ones is held against the one that the judge names.
    same = next((place for place, pair in enumerate(zip(whole, wanted, strict=False)) if pair[0] != pair[1]), None)
    wrong_at = None if right else min(len(whole), len(wanted)) - 1 if same is None else same
    return Answer(prompt, answer, bool(ends), right, expected, wrong_at, layout.length, status)
