"""Scalings: how a rotary ladder, trained up to one length, is slowed down for a longer one.

Each is a pure function (ladder θ, trained length L, target length) -> (new ladder, temperature). With s = target / L it
changes nothing where s ≤ 1. Which method reads the ladder does not matter, so scalings and methods multiply.
"""

from collections.abc import Callable
from math import log, tau
from typing import Annotated, Literal, NamedTuple

import torch
from annotated_types import Ge, Le
from torch import Tensor

Scaling = Literal["none", "pi", "ntk", "dynamic_ntk", "ntk_by_parts", "yarn", "llama3"]
Factor = Annotated[float, Ge(1), Le(1_000_000)]


class Scaled(NamedTuple):
    """What a scaling makes of a ladder.

    Attributes:
        theta: (Dr/2,) radians per id.
        temperature: what the query and the key are each multiplied by; the scores grow by its square.
    """

    theta: Tensor
    temperature: float = 1.0


def stretch(trained: float, target: float) -> float:
    """How many times the trained length the target is; a shorter target stretches nothing: s = max(1, target / L)."""
    return max(1.0, target / trained)


def none(theta: Tensor, trained: float, target: float) -> Scaled:
    """The ladder as it was trained."""
    return Scaled(theta)


def pi(theta: Tensor, trained: float, target: float) -> Scaled:
    """Position interpolation (Chen et al. 2023, arXiv:2306.15595): all of it by s, as if ids were p/s.

    >>> pi(torch.tensor([1.0, 0.5, 0.01]), 10, 40).theta.tolist()
    [0.250000, 0.125000, 0.002500]
    """
    return Scaled(theta / stretch(trained, target))


def ntk(theta: Tensor, trained: float, target: float) -> Scaled:
    """Another base, base·s^(Dr/(Dr−2)) (bloc97 2023): the fastest pair keeps its pace, the slowest is slowed by s.

    In terms of the ladder itself this is θ_k / s^(k/(n−1)), with n = Dr/2 pairs.

    The new base for s = 4, read off the second pair, for 64 dimensions and for 16:

    >>> from posemb.position.angle import frequencies
    >>> [ntk(frequencies(10000.0, dims, torch.device("cpu")), 1, 4).theta[1].item() ** (-dims / 2) for dims in (64, 16)]
    [41829.37, 48760.55]
    """
    steps = torch.arange(len(theta), dtype=theta.dtype, device=theta.device) / (len(theta) - 1)
    return Scaled(theta / stretch(trained, target) ** steps)


def by_parts(theta: Tensor, trained: float, target: float, slow: float = 1.0, fast: float = 32.0) -> Scaled:
    """NTK by parts (Peng et al. 2023, arXiv:2309.00071, section 3.2): pairs that turned often in training are kept.

    A pair turns r = L·θ/2π times within the trained length. Below `slow` turns (the paper's α) it is slowed by s, above
    `fast` (β) it is kept, and between them the share that is kept rises linearly with r. The paper ramps in turns, its
    released code in the index of the dimension; this is the paper's.

    β = 32 needs L > 32·2π ≈ 201, or no pair is kept and the order of neighbours blurs. So `fast` is at most the turns
    of the fastest pair, L/2π, and the ramp begins there; the released code stops its ramp at the first dimension, which
    is the same. Below 7 tokens no pair turns once: all are slowed, as in `pi`.

    128 dimensions, L = 2048 and s = 4: up to pair 16 all of θ is left, from 41 on a quarter.

    >>> from posemb.position.angle import frequencies
    >>> theta = frequencies(10000.0, 128, torch.device("cpu"))
    >>> (by_parts(theta, 2048, 8192).theta / theta)[[16, 17, 40, 41]].tolist()
    [1.000000, 0.908695, 0.250744, 0.250000]
    """
    turns, fast = trained * theta / tau, min(fast, trained / tau)
    kept = ((turns - slow) / (fast - slow)).clamp(0, 1) if fast > slow else torch.zeros_like(theta)
    return Scaled((1 - kept) * theta / stretch(trained, target) + kept * theta)


def yarn(theta: Tensor, trained: float, target: float) -> Scaled:
    """YaRN (Peng et al. 2023, section 3.4): by parts, and attention sharper by (0.1·ln s + 1)².

    >>> [yarn(torch.ones(1), 100, 100 * s).temperature for s in (0.5, 1, 2, 8)]
    [1.0, 1.0, 1.069315, 1.207944]
    """
    return Scaled(by_parts(theta, trained, target).theta, 0.1 * log(stretch(trained, target)) + 1)


def llama3(theta: Tensor, trained: float, target: float) -> Scaled:
    """Llama 3.1's rule (released code): keep wavelengths below L/4, slow those above L, blend by (L/λ − 1)/3 between.

    L/λ is the number of turns, so it is by parts with another border. L is the model's own, where the code has 8192.

    Wavelengths of 1024, 2048, 4096, 8192 and 20000 tokens, L = 8192 and s = 8: what is left of θ.

    >>> theta = tau / torch.tensor([1024.0, 2048, 4096, 8192, 20000])
    >>> (llama3(theta, 8192, 8 * 8192).theta / theta).tolist()
    [1.000000, 1.000000, 0.416667, 0.125000, 0.125000]
    """
    return by_parts(theta, trained, target, slow=1.0, fast=4.0)


SCALINGS: dict[Scaling, Callable[[Tensor, float, float], Scaled]] = {
    "none": none,
    "pi": pi,
    "ntk": ntk,
    "dynamic_ntk": ntk,
    "ntk_by_parts": by_parts,
    "yarn": yarn,
    "llama3": llama3,
}
