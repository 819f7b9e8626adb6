"""Half precision: the model may be coarse, its sense of position may not."""

import torch

from posemb.position.base import Positions
from tests.laws.subjects import FARTHEST, PROMPT, Subject, over_all, over_methods, over_pairs, run, tokens

LONG = 24
FAR = FARTHEST - LONG  # bfloat16 has one number in four here, so a table in it would be far off


def equal(one: object, other: object) -> bool:
    """To the last bit, dtype included."""
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other


def error(found: torch.Tensor, right: torch.Tensor) -> float:
    return ((found.double() - right.double()).norm() / right.double().norm()).item()


@over_all
def test_half_precision_is_finite_and_near(subject: Subject):
    rows, far = tokens(LONG), torch.arange(FAR, FAR + LONG)[None]
    for ids in (subject.ids(LONG), far):
        model = subject.model(torch.float32)
        right = run(model, rows, ids)
        with torch.autocast("cpu", torch.bfloat16):
            mixed = run(model, rows, ids)
        half = run(model.bfloat16(), rows, ids)
        for found in (mixed, half):
            assert torch.isfinite(found).all()
            assert error(found, right) < 0.02  # two roundings of bfloat16 per number; a wrong angle gives 0.4


@over_pairs
def test_no_table_loses_precision(subject: Subject):
    """What is computed from ids alone is the same to the last bit, whatever the model is cast to."""
    method = subject.model(torch.float32).position
    assert not list(method.buffers()), "a buffer is cast along with the model: compute it in `prepare`"
    at = Positions.span(subject.ids(LONG), 0, LONG, prefix=PROMPT)
    before = method.prepare(at)
    with torch.autocast("cpu", torch.bfloat16):
        assert equal(method.prepare(at), before)
    if not list(method.parameters()):
        assert equal(method.bfloat16().prepare(at), before)
        assert equal(method.double().prepare(at), before)


@over_methods
def test_a_double_model_is_more_exact_than_a_single_one(subject: Subject):
    """No table in a float64 model stays at float32: what the laws measure in float64 means something."""
    ids, rows = torch.arange(FAR, FAR + LONG)[None], tokens(LONG)
    coarse, fine = run(subject.model(torch.float32), rows, ids), run(subject.model(torch.float64), rows, ids)
    assert 0 < error(coarse, fine) < 1e-5
