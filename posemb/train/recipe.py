"""The training recipe: everything about optimisation that a config may set."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Gt, Le, Lt

MOST_TRAINED = 100_000  # the largest trained size
MOST_STEPS = 1_000_000_000


@dataclass(frozen=True)
class Recipe:
    """How one model is trained. Tuned on the validation stream, in distribution; never on evaluation data.

    Attributes:
        size: trained size L in the task's own measure; sizes are drawn from 1..L (text: always L).
        steps: optimizer steps.
        batch: rows per step, all of one size.
        lr: peak learning rate of AdamW.
        warmup: steps of linear warm-up.
        floor: the learning rate at the last step, as a fraction of the peak.
        weight_decay: decoupled decay of the backbone's matrices (never of a method's own parameters).
        beta2: AdamW's second-moment decay.
        clip: largest gradient norm.
    """

    size: Annotated[int, Ge(1), Le(MOST_TRAINED)]
    steps: Annotated[int, Ge(1), Le(MOST_STEPS)]
    batch: Annotated[int, Ge(1), Le(1_000_000)]
    lr: Annotated[float, Gt(0), Lt(10)]
    warmup: Annotated[int, Ge(0), Le(MOST_STEPS)]
    floor: Annotated[float, Ge(0), Le(1)]
    weight_decay: Annotated[float, Ge(0), Lt(1)]
    beta2: Annotated[float, Gt(0), Lt(1)]
    clip: Annotated[float, Gt(0)]
