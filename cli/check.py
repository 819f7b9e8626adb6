"""posemb check: do the methods keep the laws, here, now, on this machine?"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from posemb.errors import UsageError
from posemb.run.nearest import meant

from . import checked, completion, options
from .console import document, out, say
from .failure import quoted

if TYPE_CHECKING:
    from posemb.laws.record import Record


def check(
    methods: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[METHOD]...",
            help="Position methods, your own in --config-dir among them. None: all that there are.",
            autocompletion=completion.positions,
            show_default=False,
        ),
    ] = None,
    law: Annotated[
        list[str] | None,
        typer.Option(
            "--law",
            metavar="LAW",
            help="Hold them against this law alone, one of docs/laws.md; may be repeated.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        str | None,
        typer.Option(
            "--jobs", metavar="N", help="Variants checked at a time. Default: one for each core.", show_default=False
        ),
    ] = None,
    config_dir: options.ConfigDir = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Hold methods against the laws: every variant, under every id scheme, causal and with a prompt that sees itself.

    Worked values, equalities between methods, cached decoding, causality, half precision and more; the tests run the
    same code. The number in a cell is the worst error that was found. Exit code 1 where a law is broken.
    """
    from posemb.run.compose import options as options_of

    known = options_of("position", config_dir)
    for name in methods or []:
        if name not in known:
            raise UsageError(f"There is no position method {name!r}. {meant(name, known, 'Methods')}")
    names = list(dict.fromkeys(methods or known))
    records = _held(names, law or [], config_dir, options.number_from("--jobs", jobs), quiet=json)
    broken = any(record.state == "fail" for record in records)
    if json:
        document(checked.described(names, records))
    else:
        out(checked.page(names, records))
        say(_next(names, law or [], records) + (f" --config-dir {quoted(config_dir)}" if config_dir else ""), "next")
    if broken:
        raise typer.Exit(1)


def _next(names: list[str], asked: list[str], records: "list[Record]") -> str:
    """What to type then: the first law that is broken, by itself; where that was asked, the method's code."""
    first = next((record for record in records if record.state == "fail"), None)
    if first is None:
        return f"posemb show {names[0]}"
    if (names, asked) == ([first.position], [first.law]):
        return f"posemb show {first.position} --code"
    return f"posemb check {first.position} --law {first.law}"


def _held(names: list[str], asked: list[str], config_dir: Path | None, jobs: int | None, quiet: bool) -> "list[Record]":
    """Every finding; on a terminal, how far it is."""
    from posemb.laws.bench import LAWS, hold, methods
    from posemb.run.machine import cores, use_threads
    from posemb.run.signals import unwinding

    laws = [law.name for law in LAWS]
    for name in asked:
        if name not in laws:
            raise UsageError(f"--law {name}: there is no such law. {meant(name, laws, 'Laws')}")
    use_threads(1)  # small matrices: a second thread costs more than it gives
    total = sum(len(methods(name, config_dir)) for name in names)
    found: list[Record] = []
    with unwinding("The check was ended before it was done."), checked.progress(total, sys.stderr, quiet) as step:
        for records in hold(names, asked or laws, config_dir, jobs or cores()):
            found += records
            step(records[0].variant if records else "")
    return found
