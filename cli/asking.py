"""What posemb sample asks a model: prompts that were typed or read, or rows that the task draws."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from posemb.errors import UsageError

from .console import interactive, say
from .saying import saying

if TYPE_CHECKING:
    from posemb.eval.answer import Answer
    from posemb.run.build import Experiment

STDIN = "-"


def prompts_of(words: Sequence[str]) -> list[tuple[str, str]]:
    """Each prompt behind the place where a message about it says that it stands; those of stdin once.

    Raises:
        UsageError: stdin was asked for, and holds none.
    """
    found, read = [], False
    for number, word in enumerate(words, 1):
        if word != STDIN:
            found.append((f"Prompt {number}: " if len(words) > 1 else "", word))
        elif not read:
            found += [(f"Line {place} of stdin: ", line) for place, line in enumerate(_lines(), 1)]
            read = True
    return found


def _lines() -> list[str]:
    if interactive(sys.stdin):
        say("Prompts, one a line; Ctrl-D ends them.")
    try:
        lines = sys.stdin.read().splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(f"- : stdin is not {error.encoding} text: {error.reason}.") from error
    if not lines:
        raise UsageError("- : there is no prompt on stdin. Give one a line.")
    return lines


def asked(experiment: "Experiment", prompts: Sequence[tuple[str, str]], more: int | None) -> list["Answer"]:
    """The answers to prompts, all of which are looked at before the first is asked.

    Args:
        experiment: with the trained weights.
        prompts: each behind its place.
        more: characters by which a text is continued; None takes the trained size.

    Raises:
        UsageError: a prompt is none of the task, or `more` is for no text.
    """
    from posemb.eval.answer import ask

    _refuse_length(experiment, more)
    for place, prompt in prompts:
        try:
            experiment.task.layout(prompt)
        except UsageError as error:
            raise UsageError(f"{place}{error}") from error
    many, model, ids = more or experiment.recipe.size, experiment.model, experiment.ids
    with saying() as said:
        return [ask(model, experiment.task, ids, prompt, many, said) for _, prompt in prompts]


def drawn(experiment: "Experiment", size: int | None, count: int, more: int | None) -> list["Answer"]:
    """The answers to rows of the evaluation, at the trained size and at twice that, or at one that was asked for.

    Args:
        experiment: with the trained weights.
        size: of the rows; None takes the trained one, and twice that where there are such rows.
        count: rows of each size.
        more: characters by which a text is continued; None fills its window.

    Raises:
        UsageError: there are no rows of this size, or none that can be judged; or `more` is for no text.
    """
    from posemb.eval.answer import answer_rows

    _refuse_length(experiment, more)
    trained = max(experiment.task.train_sizes(experiment.recipe.size))
    sizes = [size or trained]
    try:
        _refuse_size(experiment, sizes[0])  # before anything is decoded
    except UsageError as error:
        raise UsageError(f"--size {size}: {error}" if size else str(error)) from error
    if size is None:
        with suppress(UsageError):
            _refuse_size(experiment, 2 * trained)
            sizes.append(2 * trained)
    model, task, ids = experiment.model, experiment.task, experiment.ids
    with saying() as said:
        rows = [answer_rows(model, task, ids, one, count, more, said) for one in sizes]
    return [answer for answers in rows for answer in answers]


def _refuse_size(experiment: "Experiment", size: int) -> None:
    """See to it that the task has rows of this size and can say which answer to them is right."""
    from posemb.eval.text import is_text
    from posemb.seeds import stream

    task = experiment.task
    task.length(size)
    if not is_text(task):
        row = task.sample(size, 1, stream(0, "sample"), "evaluation")
        task.solve(task.decode(row.tokens[0, 1 : row.layout.prompt - 1]))


def _refuse_length(experiment: "Experiment", more: int | None) -> None:
    from posemb.eval.text import is_text

    if more is not None and not is_text(experiment.task):
        raise UsageError(f"--length {more}: only a text is continued. Here an answer has the length of the right one.")
