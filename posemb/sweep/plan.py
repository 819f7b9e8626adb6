"""What a sweep will do: every job composed, held against what it will build, and named, before anything is written."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from posemb.errors import UsageError
from posemb.run.build import build
from posemb.run.check import check
from posemb.run.compose import compose
from posemb.run.identity import anchored, folder_label, folder_name
from posemb.run.machine import pick_device
from posemb.sweep.axes import Axes, Token
from posemb.sweep.folder import Job

LINES = 7  # of different mistakes that a message names


def plan_jobs(
    axes: Axes, config_dir: Path | None = None, threads: int | None = None, here: bool = True
) -> tuple[list[Job], int]:
    """Every job of a sweep, in the order in which they are started.

    Args:
        axes: what varies and what is fixed.
        config_dir: a folder of the user's own options.
        threads: CPU threads of a job that names none; None leaves that to the machine that it will run on.
        here: whether the jobs will run on this machine, so that it must have their device.

    Returns:
        The jobs, and how many more there were that are one of these over again.

    Raises:
        UsageError: some job cannot run. The message has each different mistake once.
    """
    jobs: dict[str, Job] = {}
    mistakes: Counter[str] = Counter()
    fitting = _Fitting(here)
    for values in axes.combinations():
        tokens = [*axes.fixed, *values.values()]
        try:
            job = _job(tokens, values, fitting, config_dir, threads)
        except UsageError as mistake:
            mistakes[str(mistake)] += 1
        else:
            jobs.setdefault(job.key, job)
    if mistakes:
        raise UsageError("\n".join(_told(mistakes, len(axes))))
    return list(jobs.values()), len(axes) - len(jobs)


def _job(
    tokens: Sequence[Token],
    values: Mapping[str, Token],
    fitting: "_Fitting",
    config_dir: Path | None,
    threads: int | None,
) -> Job:
    config = compose([token.text for token in tokens], config_dir, [token.typed for token in tokens])
    config = check(config, config_dir)
    if config["run"]["threads"] is None:
        config["run"]["threads"] = threads
    digest = fitting.digest(config)
    return Job(
        label=folder_label(config["choice"]),
        name=folder_name(config, digest),
        values={key: token.text.partition("=")[2] for key, token in values.items()},
        overrides=[token.text for token in tokens],
        config=anchored(config, digest),
    )


class _Fitting:
    """Builds each different experiment once, to see that its parts fit each other. Seeds make no difference to that.

    The digest of a text comes with it: it is part of a run's name.
    """

    def __init__(self, here: bool) -> None:
        self._here = here
        self._built: dict[str, str | None] = {}

    def digest(self, config: Mapping[str, Any]) -> str | None:
        """SHA-256 of the corpus of a task that reads one, else None.

        Raises:
            UsageError: the experiment cannot be built.
        """
        device = config["run"]["device"] if self._here else "cpu"  # a login node need not have what the nodes have
        parts = {part: value for part, value in config.items() if part not in ("seed", "run")}
        key = json.dumps([parts, device], sort_keys=True)
        if key not in self._built:
            pick_device(device)
            self._built[key] = build(dict(config), "cpu").task.digest
        return self._built[key]


def _told(mistakes: Mapping[str, int], total: int) -> Iterator[str]:
    """Each mistake with the number of jobs that make it, within the bounds of a message."""
    lines = []
    for mistake, often in mistakes.items():
        lines += [*mistake.splitlines(), *([] if often == total else [f"  (in {often} of {total} jobs)"])]
    yield from lines[:LINES]
    if len(lines) > LINES:
        yield "... and more."
