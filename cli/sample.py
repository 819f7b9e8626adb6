"""posemb sample: ask a trained model."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from posemb.errors import UsageError

from . import options
from .console import document, interactive, out, say
from .failure import quoted

if TYPE_CHECKING:
    from posemb.eval.answer import Answer
    from posemb.run.build import Experiment

COUNT = 3  # rows of each size, where nothing is asked
STDIN = "-"

Prompts = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PROMPT]...",
        help="What to ask; - reads prompts from stdin, one a line. Nothing: rows of the evaluation.",
        show_default=False,
    ),
]
Size = Annotated[
    str | None, typer.Option(metavar="N", help="Without prompts: rows of this size; else the trained one and twice it.")
]
Count = Annotated[str | None, typer.Option(metavar="N", help=f"Without prompts: rows of each size; else {COUNT}.")]
Length = Annotated[str | None, typer.Option(metavar="N", help="Of a text: characters to go on for.")]


def sample(
    run: options.Run,
    prompts: Prompts = None,
    size: Size = None,
    count: Count = None,
    length: Length = None,
    device: options.Device = None,
    threads: options.Threads = None,
    config_dir: options.ConfigDir = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Ask a trained model: its answer, whether it is right, and its first wrong character.

    The likeliest token is taken at each step, until the end mark or the length that a right answer has. A text is
    continued, without a verdict. The exit code is 0 whatever the verdicts are.
    """
    from posemb.run.folder import RunFolder

    sizes, many = options.number_from("--size", size), options.number_from("--count", count)
    more, machine = options.number_from("--length", length), options.machine_from(device, threads)
    for option, value in {"--size": size, "--count": count}.items():
        if prompts and value is not None:
            raise UsageError(f"{option} {value}: only for rows that are drawn, and here prompts are given.")
    RunFolder.open(run)  # before torch is loaded: a wrong folder is found at once
    asked = _prompts(prompts or [])
    from posemb.run.load import load
    from posemb.run.machine import use_threads

    folder, experiment = load(run, config_dir, machine["device"] or "auto")
    used = use_threads(machine["threads"] or folder.config["run"]["threads"])
    answers = _asked(experiment, asked, more) if prompts else _drawn(experiment, sizes, many or COUNT, more)
    if json:
        from posemb.run.manifest import SCHEMA

        about = {"schema": SCHEMA, "run": str(folder.path), **folder.config["choice"]}
        about |= {"trained_length": experiment.trained_length, "device": experiment.device.type, "threads": used}
        document(about | {"answers": [asdict(one) for one in answers]})
    else:
        from .answers import answer_page

        out(answer_page(answers, experiment.trained_length))
    if not prompts:
        first = answers[0].prompt
        say(f"posemb sample {quoted(run)} {shlex.quote(first) if first.isprintable() else 'PROMPT'}", "next")


def _prompts(words: Sequence[str]) -> list[tuple[str, str]]:
    """Each prompt behind the place where a message about it says that it stands.

    Raises:
        UsageError: stdin was asked for, and holds none.
    """
    found = []
    for number, word in enumerate(words, 1):
        if word != STDIN:
            found.append((f"Prompt {number}: " if len(words) > 1 else "", word))
            continue
        if interactive(sys.stdin):
            say("Prompts, one a line; Ctrl-D ends them.")
        try:
            lines = sys.stdin.read().splitlines()
        except UnicodeDecodeError as error:
            raise UsageError(f"- : stdin is not {error.encoding} text: {error.reason}.") from error
        if not lines:
            raise UsageError("- : there is no prompt on stdin. Give one a line.")
        found += [(f"Line {place} of stdin: ", line) for place, line in enumerate(lines, 1)]
    return found


def _asked(experiment: "Experiment", prompts: Sequence[tuple[str, str]], more: int | None) -> list["Answer"]:
    """The answers to prompts, all of which are looked at before the first is asked."""
    from posemb.eval.answer import ask

    _refuse_length(experiment, more)
    for place, prompt in prompts:
        try:
            experiment.task.layout(prompt)
        except UsageError as error:
            raise UsageError(f"{place}{error}") from error
    many = more or experiment.recipe.size
    return [ask(experiment.model, experiment.task, experiment.ids, prompt, many) for _, prompt in prompts]


def _drawn(experiment: "Experiment", size: int | None, count: int, more: int | None) -> list["Answer"]:
    """The answers to rows of the evaluation, at the trained size and at twice that, or at one that was asked for."""
    from posemb.eval.answer import answer_rows

    _refuse_length(experiment, more)
    task = experiment.task
    trained = max(task.train_sizes(experiment.recipe.size))
    sizes = [trained, 2 * trained] if size is None else [size]
    if size is None and not _has(experiment, 2 * trained):
        sizes = [trained]
    task.length(sizes[0])  # the task may refuse it
    rows = [answer_rows(experiment.model, task, experiment.ids, one, count, more) for one in sizes]
    return [answer for answers in rows for answer in answers]


def _has(experiment: "Experiment", size: int) -> bool:
    try:
        experiment.task.length(size)
    except UsageError:
        return False
    return True


def _refuse_length(experiment: "Experiment", more: int | None) -> None:
    from posemb.eval.text import is_text

    if more is not None and not is_text(experiment.task):
        raise UsageError(f"--length {more}: only a text is continued. Here an answer has the length of the right one.")
