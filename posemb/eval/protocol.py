"""Which sizes a curve shows, and how many examples stand behind each of its points."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Annotated

from annotated_types import Ge, Le, MinLen

MOST_SIZE = MOST_EXAMPLES = 1_000_000

# Past the trained size, as multiples of it: dense where methods break, then sparse up to five times.
SPREAD = (1.05, 1.1, 1.2, 1.4, 1.6, 2, 3, 4, 5)


@dataclass(frozen=True)
class Protocol:
    """How a trained model is evaluated.

    Attributes:
        sizes: the sizes to evaluate; None means every trained size and then `SPREAD`.
        count: examples for each size (text: 16 scored characters for each).
    """

    sizes: Annotated[list[Annotated[int, Ge(1), Le(MOST_SIZE)]], MinLen(1)] | None
    count: Annotated[int, Ge(1), Le(MOST_EXAMPLES)]

    def sizes_for(self, trained_sizes: Sequence[int]) -> list[int]:
        """The sizes of the curve, ascending and without repeats, for a model trained on `trained_sizes`."""
        if self.sizes is not None:
            return sorted(set(self.sizes))
        longest = max(trained_sizes)
        # Rounded first: 20 * 1.1 is 22.000000000000004, whose ceiling is not 22.
        return sorted({*trained_sizes, *(ceil(round(longest * factor, 6)) for factor in SPREAD)})
