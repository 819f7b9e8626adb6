"""posemb repro: a run done again, and whether the same came out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .console import document, out, say
from .failure import quoted
from .following import following

if TYPE_CHECKING:
    from posemb.run.reproduce import Reproduction


def repro(
    run: options.Run,
    device: options.Device = None,
    threads: options.Threads = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the second run even if nothing differs.")] = False,
    runs: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Put the second run into DIR and keep it.", show_default=False)
    ] = None,
    config_dir: options.ConfigDir = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Run a completed run again and say whether curve and weights are identical, bit for bit; if not, what differs.

    The second run goes into a temporary folder and computes with the device and as many threads as the first one did.
    The exit code is 0 if all is identical, else 1.
    """
    from posemb.run.folder import RunFolder

    machine = options.machine_from(device, threads)
    RunFolder.open(run)  # before torch is loaded: a wrong folder is found at once
    with following(json=False) as watch:  # the document of the second run is not what was asked for
        from posemb.run.reproduce import reproduce

        found = reproduce(run, watch, config_dir, runs=runs, keep=keep, **machine)
    if json:
        document(_content(found))
    else:
        out(_page(found))
    if found.folder is not None:
        say(f"The second run is in {quoted(found.folder)}.")
    second = "" if found.folder is None or found.identical else f" {quoted(found.folder)}"
    say(f"posemb show {quoted(run)}{second}", "next")
    return 0 if found.identical else 1


def _content(found: "Reproduction") -> dict[str, Any]:
    from posemb.run.manifest import SCHEMA

    return {
        "schema": SCHEMA,
        "run": str(found.run),
        "identical": found.identical,
        "curve": found.curve,
        "weights": found.weights,
        "differences": found.differences,
        "circumstances": found.circumstances,
        "folder": None if found.folder is None else str(found.folder),
    }


def _page(found: "Reproduction") -> str:
    if found.identical:
        lines = ["identical: curve and weights"]
    else:
        same = {"curve": found.curve, "weights": found.weights}
        parts = [" and ".join(name for name in same if same[name] is told) for told in (False, True)]
        lines = [f"different: {parts[0]}", *([f"identical: {parts[1]}"] if parts[1] else [])]
        lines += [f"  {line}" for line in found.differences]
    if found.circumstances:
        lines += ["although:" if found.identical else "what may be why:"]
        lines += [f"  {line}" for line in found.circumstances]
    elif not found.identical:
        lines += ["Nothing that is recorded about the two runs differs."]
    return "\n".join(lines)
