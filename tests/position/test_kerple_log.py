"""KERPLE's logarithmic kernel, by hand."""

from math import log

import pytest
import torch

from posemb.position.kerple_log import KerpleLog, positive
from posemb.seeds import stream
from tests.position.example import bias, row, shape


def with_values(r1: float, r2: float) -> KerpleLog:
    method = KerpleLog(shape()).double()
    method.height.data.fill_(log(torch.expm1(torch.tensor(r1, dtype=torch.float64)).item()))
    method.pace.data.fill_(log(torch.expm1(torch.tensor(r2, dtype=torch.float64)).item()))
    return method


@pytest.mark.parametrize(
    ("r1", "r2", "right"),
    [(1, 1, [0, -0.693147, -1.098612, -2.397895]), (2, 0.5, [0, -0.810930, -1.386294, -3.583519])],
)
def test_by_hand(r1: float, r2: float, right: list[float]):
    at = row(10, 9, 8, 0)  # ids that run backwards: keys ahead are as far away as keys behind
    found = bias(with_values(r1, r2), at, dtype=torch.float64)[0, 1]
    assert found[0].tolist() == pytest.approx(right, abs=5e-7)
    assert torch.equal(found, found.T)


def test_heads_differ_and_layers_do_not():
    method = KerpleLog(shape(layers=2))
    method.height.data[1] = 3
    found = bias(method, row(0, 5))[0, :, 1, 0]
    assert found[1] < found[0] < 0
    assert torch.equal(bias(method, row(0, 5), layer=1)[0, :, 1, 0], found)
    assert sum(parameter.numel() for parameter in method.parameters()) == 4


def test_the_start_is_that_of_the_released_code():
    method = KerpleLog(shape(width=20_000, heads=10_000))
    method.initialise(stream(0, "start"))
    for raw, most in ((method.height, 2), (method.pace, 1)):
        drawn = positive(raw)
        assert 0.0099 < drawn.min() < 0.02 and 0.98 * most < drawn.max() < most + 1e-5
        assert drawn.mean().item() == pytest.approx(most / 2, abs=0.02)


def test_what_is_learned_stays_positive_and_keeps_its_gradient():
    method = KerpleLog(shape())
    for raw in (-30.0, 0.0, 30.0):
        method.zero_grad()
        for parameter in method.parameters():
            parameter.data.fill_(raw)
        found = bias(method, row(0, 1, 5))
        assert (found[..., 2, 0] < 0).all()
        found.sum().backward()
        assert all((parameter.grad < 0).all() for parameter in method.parameters())
