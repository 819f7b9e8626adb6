"""Tables with a row for every signed distance, or for several: looking rows up, and which of them training set."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from posemb.position.base import Positions, Reach, Shape


def lookup(table: Tensor, index: Tensor) -> Tensor:
    """Table (R, H) and row numbers (B|1, Tq, Tk) -> (B|1, H, Tq, Tk).

    `embedding` and not plain indexing: its backward pass sums repeated rows in parallel, and they repeat T times here.
    """
    return F.embedding(index, table).permute(0, 3, 1, 2)


def distinct(gap: Tensor) -> tuple[Tensor, Tensor]:
    """Distances (B|1, Tq, Tk) -> each of them once (R,), ascending, and (B|1, Tq, Tk) which one a pair has.

    R is never above the number of pairs, however far apart the ids lie. Where they lie close, all distances from the
    least to the greatest are taken, without looking which of them occur.

    >>> [one.tolist() for one in distinct(torch.tensor([[[5, 0], [900_000, 5]]]))]
    [[0, 5, 900000], [[[1, 0], [2, 1]]]]
    """
    least, greatest = (int(bound) for bound in gap.aminmax())
    if greatest - least < gap.numel():
        return torch.arange(least, greatest + 1, device=gap.device), gap - least
    found, index = gap.unique(return_inverse=True)
    return found, index


def taught(shape: Shape, at: Positions, row: Callable[[Tensor], Tensor]) -> Reach:
    """Whether whole rows of tokens read only rows of a table that training could set, each sign judged by itself.

    Args:
        shape: what training shows.
        at: the pass over whole rows.
        row: signed distances -> row numbers that never fall as the distance rises.
    """
    fed = at.fed
    low, high = row(torch.tensor([fed.least, fed.greatest])).tolist()
    least, greatest = row(torch.tensor([shape.least, shape.greatest])).tolist()
    return Reach.OK if least <= low and high <= greatest else Reach.UNTRAINED
