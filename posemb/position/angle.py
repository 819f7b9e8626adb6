"""The ladder of frequencies that sinusoidal and rotary methods share."""

import torch
from torch import Tensor

from posemb.position.precision import finest


def frequencies(base: float, dims: int, device: torch.device) -> Tensor:
    """(dims/2,) θ_k = base^(-2k/dims) radians per id, in the device's best precision (float64, float32 on MPS)."""
    return base ** (-torch.arange(0, dims, 2, dtype=finest(device), device=device) / dims)


def angles(ids: Tensor, base: float, dims: int) -> Tensor:
    """Ids (B|1, T) -> (B|1, T, dims/2) angles in radians, on the plain ladder."""
    return phases(ids, frequencies(base, dims, ids.device))


def phases(ids: Tensor, theta: Tensor) -> Tensor:
    """Ids (B|1, T) on any ladder θ (n,) -> (B|1, T, n) angles in radians.

    Computed afresh for a pass and never kept as a module's buffer: a model cast to bfloat16 would take the buffer
    along, and bfloat16 cannot tell the ids 0..511 apart.
    """
    return ids[..., None].to(theta.dtype) * theta
