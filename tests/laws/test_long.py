"""Half precision over a whole row of 4,096 tokens, in the model and not in one attention alone."""

import pytest
import torch

from posemb.laws.precision import BOUND
from posemb.laws.subject import VOCABULARY, Method, Subject
from posemb.position.base import Positions, Reach
from posemb.seeds import stream
from tests.laws.subjects import METHODS, SCHEMES

LENGTH = 4096


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=[method.name for method in METHODS])
@torch.no_grad()
def test_bfloat16_and_autocast_agree_with_float32_at_4096_tokens(method: Method):
    model, ids = Subject(method, SCHEMES["sequential"]).model(torch.float32), torch.arange(LENGTH)[None]
    if model.position.reach(Positions.span(ids, 0, LENGTH)) is Reach.CANNOT:
        pytest.skip("cannot represent a row so long after training on one so short")
    rows = torch.randint(VOCABULARY, (1, LENGTH), generator=stream(0, "law", "long"))
    at = model.positions(ids, 0, LENGTH, prompt=0)
    right = model(rows, at)
    with torch.autocast("cpu", torch.bfloat16):
        mixed = model(rows, at)
    half = model.bfloat16()(rows, at)
    for name, found in {"autocast": mixed, "bfloat16": half}.items():
        error = ((found.double() - right.double()).norm() / right.double().norm()).item()
        print(f"{method.name} {name} {error:.1e}")
        assert error < BOUND
