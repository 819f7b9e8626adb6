"""The ladder of frequencies that sinusoidal and rotary methods share."""

import torch
from torch import Tensor

from posemb.position.precision import finest


def frequencies(base: float, dims: int, device: torch.device) -> Tensor:
    """(dims/2,) θ_k = base^(-2k/dims) radians per id, in the device's best precision (float64, float32 on MPS).

    >>> frequencies(10000.0, 64, torch.device("cpu"))[[0, 1, -1]].tolist()
    [1.000000, 0.749894, 0.00013335]
    """
    return base ** (-torch.arange(0, dims, 2, dtype=finest(device), device=device) / dims)


def whole_pairs(share: float, dims: int) -> int:
    """How many pairs make up a share of so many dimensions: ⌊share·dims/2⌋, and no rounding error below it.

    >>> int(0.58 * 100 / 2), whole_pairs(0.58, 100)
    (28, 29)
    """
    return int(round(share * dims / 2, 6))


def angles(ids: Tensor, base: float, dims: int) -> Tensor:
    """Ids (B|1, T) -> (B|1, T, dims/2) angles in radians, on the plain ladder."""
    return phases(ids, frequencies(base, dims, ids.device))


def phases(ids: Tensor, theta: Tensor) -> Tensor:
    """Ids (B|1, T) on any ladder θ (n,) -> (B|1, T, n) angles in radians.

    Computed afresh for a pass and never kept as a module's buffer: a model cast to bfloat16 would take the buffer
    along, and bfloat16 cannot tell the ids 0..511 apart.

    >>> phases(torch.tensor([[511, 4095]]), frequencies(16.0, 4, torch.device("cpu"))).tolist()
    [[[511.000000, 127.750000], [4095.000000, 1023.750000]]]
    """
    return ids[..., None].to(theta.dtype) * theta
