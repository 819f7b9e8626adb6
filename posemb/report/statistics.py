"""What can be said over seeds: a median with its interval, a paired test, a correction for many tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

RESAMPLES = 4999  # of a bootstrap; their scatter moves the ends of an interval by less than a seed's own
FLIPS = 2**16  # exact up to 16 pairs, then so many random sign flips
LEVEL = 0.05


@dataclass(frozen=True)
class Estimate:
    """One figure over seeds.

    Attributes:
        median: over the runs that count; None where there are none, or where one of them has no figure.
        low: lower end of the bootstrap 95 % interval of the median; None with fewer than two runs that count.
        high: its upper end.
        values: the figure of every run, whether it counts or not, in the order of the group's documents.
    """

    median: float | None
    low: float | None
    high: float | None
    values: list[float | None]


def estimates(
    figures: Sequence[Sequence[float | None]],
    counted: Sequence[bool],
    missing: float | None = None,
    stepped: bool = False,
) -> list[Estimate]:
    """Many figures over the same runs, each with the percentile bootstrap interval of its median.

    All share their resamples, drawn from a fixed seed: the same runs give the same intervals.

    Args:
        figures: a row for each figure, in it a value for each run.
        counted: for each run whether it counts.
        missing: what a run without a figure counts where another one has it; None leaves the median out.
        stepped: no figure between two others exists, as with horizons, which are evaluated sizes: the median is the
            lower one, and the ends of the interval move outwards to the next value that a run has.
    """
    known = [_complete([one for one, counts in zip(row, counted, strict=True) if counts], missing) for row in figures]
    whole = [place for place, values in enumerate(known) if values]
    ends: dict[int, tuple[float, float, float]] = {}
    if whole:
        ends = dict(zip(whole, _medians([known[place] for place in whole], stepped), strict=True))
    spread = sum(counted) > 1
    return [
        Estimate(
            ends[place][0] if place in ends else None,
            ends[place][1] if place in ends and spread else None,
            ends[place][2] if place in ends and spread else None,
            list(values),
        )
        for place, values in enumerate(figures)
    ]


def _complete(values: Sequence[float | None], missing: float | None) -> list[float]:
    """The values with `missing` in the place of None; empty where that cannot be."""
    if all(value is None for value in values) or (missing is None and None in values):
        return []
    return [float(missing or 0.0) if value is None else float(value) for value in values]


def _medians(rows: Sequence[Sequence[float]], stepped: bool) -> list[tuple[float, float, float]]:
    """(median, low, high) of each row."""
    import numpy as np

    def median(data: Any, axis: int) -> Any:
        return np.quantile(data, 0.5, axis=axis, method="lower") if stepped else np.median(data, axis=axis)

    data = np.asarray(rows)
    middle = median(data, -1)
    low, high = percentiles(data, median) if data.shape[1] > 1 else (middle, middle)
    if stepped:
        low = [
            max((value for value in row if value <= end), default=min(row)) for row, end in zip(rows, low, strict=True)
        ]
        high = [
            min((value for value in row if value >= end), default=max(row)) for row, end in zip(rows, high, strict=True)
        ]
    return [(float(a), float(b), float(c)) for a, b, c in zip(middle, low, high, strict=True)]


def percentiles(data: Any, statistic: Any) -> tuple[Any, Any]:
    """The ends of the bootstrap 95 % interval of a statistic of each row: percentiles, from a fixed seed."""
    from scipy.stats import bootstrap

    found = bootstrap((data,), statistic, axis=-1, method="percentile", n_resamples=RESAMPLES, **_fixed())
    return found.confidence_interval.low, found.confidence_interval.high


def sign_flip(differences: Sequence[float]) -> float:
    """Two-sided p of "each paired difference might as well have the other sign", by the mean difference.

    Exact: all 2ⁿ signs, up to 16 pairs. The test asks for no distribution, only that under "no difference" either sign
    of a pair is as likely; bimodal seeds are no trouble to it.
    """
    import numpy as np
    from scipy.stats import permutation_test

    if len(differences) < 2:
        return 1.0  # one pair: both signs are as extreme
    found = permutation_test(
        (np.asarray(differences, dtype=float),),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=FLIPS,
        axis=-1,
        **_fixed(),
    )
    return min(1.0, float(found.pvalue))


def least_p(pairs: int) -> float:
    """The smallest p that `sign_flip` can give for so many pairs: 2 of 2ⁿ sign patterns."""
    return 2.0 ** (1 - pairs) if 2**pairs <= FLIPS else 2 / (FLIPS + 1)


def holm(ps: Sequence[float]) -> list[float]:
    """Adjust p values for their number, so that the chance of any false finding stays below the level.

    Source: Holm (1979), "A simple sequentially rejective multiple test procedure": the smallest is multiplied by
    their number n, the next by n - 1, and so on; none falls below the one before, none exceeds 1.
    """
    adjusted = [0.0] * len(ps)
    floor = 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=lambda place: ps[place])):
        floor = max(floor, min(1.0, (len(ps) - rank) * ps[place]))
        adjusted[place] = floor
    return adjusted


def _fixed() -> dict[str, Any]:
    """The generator that scipy draws from, always in the same state."""
    import numpy as np

    return {"random_state": np.random.default_rng(0)}
