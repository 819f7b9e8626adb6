"""Round numbers along an axis."""

from math import ceil, floor, log10


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """At most `most` + 1 multiples of 1, 2 or 5 times a power of ten between two ends, both included."""
    if high <= low:
        return [low]
    raw = (high - low) / most
    power = 10.0 ** floor(log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * (1 - 1e-9))
    return [round(k * step, 10) for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]
