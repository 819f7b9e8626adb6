"""What "ok" promises: a row of the curve that says so reads nothing that training left as it was."""

import torch
from torch import Tensor

from posemb.errors import CannotRepresent
from posemb.laws.law import Finding, law
from posemb.laws.subject import LENGTH, LONG, PROMPT, TRAINED, Subject, layout
from posemb.position.base import PositionMethod, Positions, Reach
from posemb.seeds import stream

SHOWN = (PROMPT + 1, LENGTH, TRAINED)  # tokens of training rows
DRAWS = 300  # of each: enough for every offset, and for the rare draw that reaches farthest


@law
def reach(subject: Subject, found: Finding) -> None:
    """Rows of the trained length are "ok"; a longer one is "ok" only if all that it reads of a table was trained."""
    method = subject.position
    method.initialise(stream(0, "law", "reach"))
    trained: dict[str, Tensor] = {}
    for length in SHOWN:
        for name, rows in read(method, _passes(subject, length, training=True).fed).items():
            trained[name] = trained[name] | rows if name in trained else rows
    for length in (TRAINED, 2 * TRAINED, LONG):
        try:
            at = _passes(subject, length, training=False)
        except CannotRepresent:
            continue
        answer = method.reach(at)
        if length == TRAINED:
            found.holds(answer is Reach.OK, f"{length} tokens, as in training: {answer.value}")
        if answer is Reach.OK:
            asked = read(method, at.fed)
            missed = [name for name, rows in asked.items() if (rows & ~trained[name]).any()]
            found.holds(not missed, f"{length} tokens say ok and read what training left of {', '.join(missed)}")


def _passes(subject: Subject, length: int, training: bool) -> Positions:
    ids = subject.scheme.assign(layout(length, DRAWS), training, stream(0, "law", "reach", length))
    return subject.at(ids)


def read(method: PositionMethod, at: Positions) -> dict[str, Tensor]:
    """Which rows of a method's parameters the pairs that see each other depend on, by the parameter's name.

    Queries and keys are all alike, and so large that whatever looks at them counts every token.
    """
    shape = method.shape
    method.zero_grad()
    tables, rows = method.prepare(at), len(at.q)
    total = method.at_embedding(torch.ones(rows, at.q.shape[1], shape.width), at, tables).sum()
    for layer in range(shape.layers):
        q, k = (torch.full((rows, shape.heads, one.shape[1], shape.head_width), 10.0) for one in (at.q, at.k))
        bias = method.at_scores(*method.at_qk(q, k, at, tables, layer), at, tables, layer)
        if bias is not None:
            total = total + bias.masked_fill(~at.visible, 0).sum()
    if total.requires_grad:
        total.backward()
    return {name: _rows(one.grad) for name, one in method.named_parameters() if one.grad is not None}


def _rows(slope: Tensor) -> Tensor:
    """Which rows of a table a gradient reaches. A row is what lies along the last axis, unless that is the longest."""
    long = slope.ndim == 1 or slope.shape[-1] > max(slope.shape[:-1])
    return slope != 0 if long else slope.any(-1)
