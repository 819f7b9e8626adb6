"""Looking up a learned bias for every pair of tokens."""

from torch import Tensor
from torch.nn import functional as F


def lookup(table: Tensor, index: Tensor) -> Tensor:
    """Table (R, H) and row numbers (B|1, Tq, Tk) -> (B|1, H, Tq, Tk).

    `embedding` and not plain indexing: its backward pass sums repeated rows in parallel, and they repeat T times here.
    """
    return F.embedding(index, table).permute(0, 3, 1, 2)
