"""How large a paired difference is, in the figure that the test is of: the mean."""

from collections.abc import Sequence
from dataclasses import dataclass

from posemb.report.statistics import percentiles


@dataclass(frozen=True)
class Difference:
    """Paired differences over seeds, summed up as they are tested: by their mean.

    Attributes:
        mean: of the pairs; None without any.
        low: lower end of the bootstrap 95 % interval of the mean; None with fewer than two pairs.
        high: its upper end.
        values: of every pair.
    """

    mean: float | None
    low: float | None
    high: float | None
    values: list[float]


def mean_difference(differences: Sequence[float]) -> Difference:
    """The mean of paired differences and its percentile bootstrap interval; the same pairs give the same interval."""
    import numpy as np

    data = np.asarray([differences], dtype=float)
    low, high = percentiles(data, np.mean) if len(differences) > 1 else ([None], [None])
    ends = [None if end is None else float(end) for end in (low[0], high[0])]
    return Difference(float(data.mean()) if differences else None, ends[0], ends[1], list(differences))
