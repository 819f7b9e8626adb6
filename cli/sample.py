"""posemb sample: ask a trained model."""

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from posemb.errors import UsageError
from posemb.eval.protocol import MOST_EXAMPLES, MOST_SIZE

from . import options
from .asking import STDIN, asked, drawn, prompts_of
from .console import document, out, say
from .failure import enough_memory, quoted

if TYPE_CHECKING:
    from posemb.eval.answer import Answer

COUNT = 3  # rows of each size, where nothing is asked

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
Length = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="Of a text: characters to go on for; else the trained size, without prompts the rest of the row.",
    ),
]


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

    of_size, more = (options.number_from(*one, MOST_SIZE) for one in (("--size", size), ("--length", length)))
    many, machine = options.number_from("--count", count, MOST_EXAMPLES), options.machine_from(device, threads)
    for option, value in {"--size": size, "--count": count}.items():
        if prompts and value is not None:
            raise UsageError(f"{option} {value}: only for rows that are drawn, and here prompts are given.")
    RunFolder.open(run)  # before torch is loaded: a wrong folder is found at once
    given = prompts_of(prompts or [])
    from posemb.eval.text import is_text
    from posemb.run.load import load
    from posemb.run.machine import use_threads

    folder, experiment = load(run, config_dir, machine["device"] or "auto")
    used = use_threads(machine["threads"] or folder.config["run"]["threads"])
    lower = [*([] if prompts else ["--size", "--count"]), *(["--length"] if is_text(experiment.task) else [])]
    with enough_memory(f"Lower {' or '.join(lower)}." if lower else "Shorten the prompt."):
        answers = asked(experiment, given, more) if prompts else drawn(experiment, of_size, many or COUNT, more)
    if json:
        from posemb.run.manifest import SCHEMA

        about = {"schema": SCHEMA, "run": str(folder.path), **folder.config["choice"]}
        about |= {"trained_length": experiment.trained_length, "device": experiment.device.type, "threads": used}
        document(about | {"answers": [asdict(one) for one in answers]})
    else:
        from .answers import answer_page

        out(answer_page(answers, experiment.trained_length))
    if not prompts:
        say(_next(run, answers, config_dir), "next")


def _next(run: Path, answers: Sequence["Answer"], config_dir: Path | None) -> str:
    """The command that asks the first prompt that can be typed, with the options that asking the run needs."""
    typed = (one.prompt for one in answers if one.prompt.isprintable() and one.prompt != STDIN)
    first = next(typed, "PROMPT")
    own = "" if config_dir is None else f" --config-dir {quoted(config_dir)}"
    dashes = "-- " if first.startswith("-") else ""  # after these a word is no option
    return f"posemb sample {quoted(run)}{own} {dashes}{shlex.quote(first)}"
