"""Fabricated runs of several methods and seeds."""

from collections.abc import Sequence
from typing import Any

from posemb.eval.horizon import in_distribution, l90
from posemb.report.comparison import Comparison, compare
from tests.report.conftest import result, row, text_row

TRAINED = 20
Run = tuple[dict[str, Any], dict[str, Any]]  # document, settings


def run(position: str, seed: int, curve: dict[int, float | None], **more: Any) -> Run:
    """A completed run with such a curve; `more` is for its document, its settings or both, by key."""
    rows = [row(size, value) for size, value in curve.items()]
    document = result(position, rows, seed=seed, run=f"runs/copy/{position}/s{seed}-1234abcd")
    document |= {"in_distribution": in_distribution(rows, TRAINED), "l90": l90(rows)}
    settings = {"position": position, "ids": "sequential", "task": "copy", "seed.init": seed, "seed.data": seed}
    settings |= {"model.width": 64, "train.size": TRAINED, "eval.sizes": None}
    settings |= {"position.base": 10000.0} if position == "rope" else {}
    document |= {key: value for key, value in more.items() if key in document}
    return document, settings | {key: value for key, value in more.items() if key not in document or key in settings}


def falling(end: float) -> dict[int, float | None]:
    """Right up to the trained size, then down to `end` at twice and four times it."""
    return {10: 1.0, 20: 1.0, 40: (1 + end) / 2, 80: end}


def text_run(position: str, seed: int, bits: float | None) -> Run:
    """A run on text: 2 bits at the trained window, then `bits` more for each doubling, in sliding windows."""
    curve = []
    for place, window in enumerate((64, 128, 256)):
        curve += [text_row(window, "blocked", 2.0), text_row(window, "sliding", bits and 2.0 + place * bits)]
    more = {"task": "text", "trained_size": 64, "trained_length": 64, "in_distribution": None, "l90": None}
    document = result(position, curve, seed=seed, run=f"runs/text/{position}/s{seed}-1234abcd", **more)
    return document, {"position": position, "ids": "sequential", "task": "text", "seed.init": seed, "seed.data": seed}


def compared(runs: Sequence[Run], **options: Any) -> Comparison:
    """The comparison of some runs."""
    return compare([document for document, _ in runs], [settings for _, settings in runs], **options)


THREE = [
    run(position, seed, falling(end + seed / 100))
    for position, end in (("ape", 0.0), ("rope", 0.25), ("rpe", 0.5))
    for seed in range(3)
]
