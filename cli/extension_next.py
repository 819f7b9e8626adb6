"""The command that is worth typing after posemb extend."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .failure import quoted

if TYPE_CHECKING:
    from posemb.report.extension import Outcome
    from posemb.run.variants import Extension

# What --to and --temperature are without anybody's words.
AIMS, COOL = "2,4,8", "1"


def next_command(run: Path, done: "Extension", typed: Mapping[str, str | Path | None]) -> str:
    """The command.

    Where plain holds at every size: the same, and larger ones. Else, if nothing was tuned yet: what the answer says to
    go on with, and that alone, tuned. Else: what there is by now.

    Args:
        run: the folder, as it was typed.
        done: what came of it.
        typed: the options by name, as they were typed, or as they are without that.
    """
    from posemb.report.extension import outcomes, promising

    found = outcomes(done.rows)
    trained = done.folder.config["train"]["size"]
    if found[0].cut_off and (sizes := _longer(found[0], trained)) is not None:
        return _extend(run, {**typed, "--sizes": sizes})
    if typed["--tune"] is not None:
        return f"posemb show {quoted(run)}"
    most = promising(found, trained)
    form = {
        "--scaling": most.scaling,
        "--to": typed["--to"] if most.factor is None else _number(most.factor),
        "--temperature": _number(most.temperature),
    }
    return _extend(run, {**typed, **form, "--tune": "50", "--figure": "extended.png"})


def _longer(plain: "Outcome", trained: int) -> str | None:
    """The evaluated sizes, and some up to four times as long; None where a size cannot be longer."""
    from posemb.eval.protocol import MOST_SIZE

    sizes = {trained, *(row["size"] for row in plain.rows)}
    more = {times * plain.longest for times in (2, 4)} | {times * trained for times in (2, 4)}
    beyond = {size for size in more if plain.longest < size <= MOST_SIZE}
    return ",".join(map(str, sorted(sizes | beyond))) if beyond else None


def _extend(run: Path, typed: Mapping[str, str | Path | None]) -> str:
    """The command with these options, without those that say what holds anyway."""
    plain = {"--to": AIMS, "--temperature": COOL}
    words = [f"{name} {quoted(value)}" for name, value in typed.items() if value not in (None, plain.get(name))]
    return " ".join(["posemb extend", quoted(run), *words])


def _number(value: float) -> str:
    """As one would type it: every digit, and no `.0`."""
    return repr(value).removesuffix(".0")
