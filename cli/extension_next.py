"""The command that is worth typing after posemb extend."""

from collections.abc import Mapping
from math import ceil
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

    Where plain holds at every size: larger ones. Else, if nothing was tuned yet: what the answer says to go on with,
    and that alone, tuned. Else: what there is by now.

    Args:
        run: the folder, as it was typed.
        done: what came of it.
        typed: the options by name, as they were typed, or as they are without that.
    """
    from posemb.report.extension import outcomes, promising

    found = outcomes(done.rows)
    if found[0].horizon.value == found[0].longest and (aim := _wider(done, found)) is not None:
        return _extend(run, {**typed, "--to": aim, "--sizes": None})
    if typed["--tune"] is not None:
        return f"posemb show {quoted(run)}"
    most = promising(found, done.folder.config["train"]["size"])
    form = {
        "--scaling": most.scaling,
        "--to": typed["--to"] if most.factor is None else _number(most.factor),
        "--temperature": _number(most.temperature),
    }
    return _extend(run, {**typed, **form, "--tune": "50", "--figure": "extended.png"})


def _wider(done: "Extension", found: "list[Outcome]") -> str | None:
    """Twice as far as was looked, in multiples of the trained size; None where that is farther than can be."""
    from posemb.eval.protocol import MOST_SIZE
    from posemb.run.variants import at
    from posemb.train.recipe import MOST_TRAINED

    trained = done.folder.config["train"]["size"]
    aims = [one.factor for one in found if one.factor is not None]
    aim = 2 * ceil(max([found[0].longest / trained, *aims]))
    most = MOST_TRAINED if any(one.tuned for one in found) else MOST_SIZE
    return str(aim) if at(trained, aim) <= most else None


def _extend(run: Path, typed: Mapping[str, str | Path | None]) -> str:
    """The command with these options, without those that say what holds anyway."""
    plain = {"--to": AIMS, "--temperature": COOL}
    words = [f"{name} {quoted(value)}" for name, value in typed.items() if value not in (None, plain.get(name))]
    return " ".join(["posemb extend", quoted(run), *words])


def _number(value: float) -> str:
    """As one would type it: every digit, and no `.0`."""
    return repr(value).removesuffix(".0")
