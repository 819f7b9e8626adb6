"""What rotary methods must be equal to."""

from collections.abc import Iterator
from math import log

import torch

from posemb.laws.equality import Equality, Pair, again, as_
from posemb.laws.subject import LONG, TRAINED, Subject
from posemb.position.nope import NoPE
from posemb.position.rope import RoPE


def unscaled(subject: Subject) -> Iterator[Pair]:
    """A scaling by 1, and yarn's temperature counted once."""
    plain = again(subject, scaling="none")
    yield Pair("a scaling by 1 is none", again(subject, factor=1.0), plain)
    if subject.method.params["scaling"] == "yarn":
        warm = again(subject, scaling="ntk_by_parts")
        warm.temperature = (0.1 * log(subject.method.params["factor"]) + 1) ** 2
        yield Pair("yarn is ntk_by_parts with scores times (0.1 ln s + 1)²", subject.model(), warm)
    if subject.method.params["scaling"] == "dynamic_ntk":
        far = plain if subject.shape.spreads else again(subject, scaling="ntk", factor=LONG / TRAINED)
        yield Pair("past L dynamic_ntk is ntk for that length, or plain where ids spread", subject.model(), far, LONG)


def all_pairs(name: str) -> Equality:
    """With all pairs turning it is RoPE."""

    def equality(subject: Subject) -> Iterator[Pair]:
        params = {key: subject.method.params[key] for key in ("base", "pairs", "scaling", "factor")}
        yield Pair(f"{name} = 1 is rope", again(subject, **{name: 1.0}), as_(subject, RoPE, **params))

    return equality


def no_pairs(subject: Subject) -> Iterator[Pair]:
    """With no pair turning there is no position; a temperature is another matter."""
    if subject.method.params["scaling"] != "yarn":
        yield Pair("p = 0 is no position", again(subject, p=0.0), as_(subject, NoPE))


def other_layout(subject: Subject) -> Iterator[Pair]:
    """Both layouts of the same pairs, up to a permutation of the dimensions of queries and keys."""
    half, interleaved = again(subject, pairs="half"), again(subject, pairs="interleaved")
    width = half.position.shape.head_width
    order = torch.arange(width).view(2, -1).T.flatten()  # 0, 4, 1, 5, ...: partners side by side
    for block in interleaved.blocks:
        by_head = block.get_parameter("qkv.weight").data.unflatten(0, (3, -1, width))
        by_head[:2] = by_head[:2, :, order].clone()  # queries and keys, not values
    yield Pair("both layouts are one up to a permutation of dimensions", half, interleaved)


def unfading(subject: Subject) -> Iterator[Pair]:
    """A span so long that nothing fades."""
    params = {key: subject.method.params[key] for key in ("base", "pairs")}
    yield Pair("without fading it is rope", again(subject, gamma=1e6, span=1e9), as_(subject, RoPE, **params))
