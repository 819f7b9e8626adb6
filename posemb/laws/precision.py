"""Half precision: the model may be coarse, its sense of position may not."""

import torch
from torch import Tensor

from posemb.laws.law import Finding, law
from posemb.laws.subject import FARTHEST, Subject, run, tokens
from posemb.model.attention import attend
from posemb.position.base import PositionMethod, Positions, Reach
from posemb.seeds import stream

ROW = 24
FAR = 600 - ROW  # bfloat16 has one number in four here, so a table in it would be far off
BOUND = 0.02  # two roundings of bfloat16 per number; a wrong angle gives 0.4
ASKED = 64  # queries of the long row


@law
@torch.no_grad()
def precision(subject: Subject, found: Finding) -> None:
    """In bfloat16 and under autocast the output is within 2 % of float32, at far ids and at 4,096 tokens too.

    What is computed from ids alone is the same to the last bit, and float64 is finer than float32.
    """
    rows, far = tokens(ROW), torch.arange(FAR, FAR + ROW)[None]
    for ids in [*(ids for _, ids in subject.rows_of(ROW)), far]:
        name = "far ids" if ids is far else "the scheme's ids"
        single = subject.model(torch.float32)
        right = run(single, rows, ids)
        with torch.autocast("cpu", torch.bfloat16):
            mixed = run(single, rows, ids)
        found.near_in_norm(mixed, right, BOUND, f"autocast, {name}")
        found.near_in_norm(run(single.bfloat16(), rows, ids), right, BOUND, f"bfloat16, {name}")
    fine = run(subject.model(), rows, far)
    coarse = ((right - fine).norm() / fine.norm()).item()
    found.holds(0 < coarse < 1e-5, f"float64 and float32 are {coarse:.0e} apart: one of them is not what it says")
    _tables(subject, subject.at(far), found)
    if (subject.scheme.spreads, subject.attention) == (False, "causal"):  # what is below needs no scheme and no mask
        _long(subject, found)


def _tables(subject: Subject, at: Positions, found: Finding) -> None:
    method = subject.model(torch.float32).position
    before = method.prepare(at)
    with torch.autocast("cpu", torch.bfloat16):
        found.holds(_equal(method.prepare(at), before), "autocast changes what is computed from ids")
    if not list(method.parameters()):
        for dtype in (torch.bfloat16, torch.float64):
            found.holds(_equal(method.to(dtype).prepare(at), before), f"{dtype} changes what is computed from ids")


def _long(subject: Subject, found: Finding) -> None:
    """The last tokens of a row of 4,096: one attention, from vectors that are the same in both precisions."""
    at = Positions.span(torch.arange(FARTHEST)[None], FARTHEST - ASKED, FARTHEST)
    heads, width = subject.shape.heads, subject.shape.head_width
    vectors = [
        torch.randn(1, heads, length, width, generator=stream(0, "law", "long", name)).bfloat16()
        for name, length in {"q": ASKED, "k": FARTHEST, "v": FARTHEST}.items()
    ]
    method = subject.model(torch.float32).position
    if method.reach(at) is Reach.CANNOT:
        return
    right = _attention(method, at, *(vector.float() for vector in vectors))
    found.near_in_norm(_attention(method.bfloat16(), at, *vectors), right, BOUND, "bfloat16, 4,096 tokens")
    x = torch.randn(1, ASKED, subject.shape.width, generator=stream(0, "law", "long", "x")).bfloat16()
    placed = method.at_embedding(x, at, method.prepare(at))
    method.float()
    found.near_in_norm(placed, method.at_embedding(x.float(), at, method.prepare(at)), BOUND, "bfloat16, embedding")


def _attention(method: PositionMethod, at: Positions, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    tables = method.prepare(at)
    q, k = method.at_qk(q, k, at, tables, 0)
    return attend(q, k, v, method.at_scores(q, k, at, tables, 0), at)


def _equal(one: object, other: object) -> bool:
    """To the last bit, dtype included."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    return one == other
