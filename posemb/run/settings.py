"""The settings that belong to a run as a whole, not to a model or a task."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le

MOST_THREADS = 1_000
Seedling = Annotated[int, Ge(0)]


@dataclass(frozen=True)
class Seed:
    """Two separate seeds, so that methods can be compared on the same data and the same initial weights.

    Attributes:
        init: draws the initial weights.
        data: draws training batches, and the random ids of training.
    """

    init: Seedling
    data: Seedling


@dataclass(frozen=True)
class Machine:
    """What may differ between two machines without changing which experiment this is; not in the config's hash.

    Attributes:
        device: where to compute; `auto` takes cuda, then mps, then cpu.
        threads: CPU threads; None takes one for each core this process may use.
        log_every: steps between two rows of metrics.jsonl.
        validate_every: steps between two looks at the validation stream.
        checkpoint_every: steps between two checkpoints.
    """

    device: Literal["auto", "cpu", "cuda", "mps"]
    threads: Annotated[int, Ge(1), Le(MOST_THREADS)] | None
    log_every: Annotated[int, Ge(1)]
    validate_every: Annotated[int, Ge(1)]
    checkpoint_every: Annotated[int, Ge(1)]
