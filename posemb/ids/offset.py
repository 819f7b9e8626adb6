"""Places that a task has counted, moved by a random offset."""

import torch
from torch import Tensor

from posemb.errors import CannotRepresent


def moved(places: Tensor, rows: int, most: int, rng: torch.Generator) -> Tensor:
    """(B|1, T) places, counted from 1, each row B moved by an offset of its own out of 0..most; a place 0 stays 0.

    Row b depends on the generator and b alone, not on how many rows are asked for.

    Args:
        places: what a layout says; not changed.
        rows: sequences in the batch, B.
        most: the largest offset.
        rng: where offsets come from.
    """
    return places + (places > 0) * torch.randint(most + 1, (rows, 1), generator=rng)


def ends(places: Tensor, most: int) -> Tensor:
    """(2B|2, T) the same places without an offset, then with the largest.

    A distance grows or falls with the offset, or does not change, so every other offset lies between the two.
    """
    return torch.cat([places, places + (places > 0) * most])


def held(places: Tensor, limit: int, what: str) -> Tensor:
    """The same places, if all of them are ids that training meets.

    Args:
        places: (B|1, T) places.
        limit: every id met in training is below it.
        what: what is counted, in the plural, for the message.

    Raises:
        CannotRepresent: a place lies past the last trained id.
    """
    farthest = int(places.max())
    if farthest >= limit:
        raise CannotRepresent(f"A row has {farthest} {what}, and the last trained id is {limit - 1}.")
    return places
