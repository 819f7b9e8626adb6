"""KERPLE's power kernel, by hand."""

import pytest
import torch

from posemb.position.alibi import ALiBi, slopes
from posemb.position.kerple_log import positive
from posemb.position.kerple_power import KerplePower
from posemb.seeds import stream
from tests.position.example import bias, row, shape


def with_values(r1: list[float], r2: list[float]) -> KerplePower:
    method = KerplePower(shape(width=2 * len(r1), heads=len(r1))).double()
    method.height.data = torch.tensor(r1, dtype=torch.float64).expm1().log()
    method.power.data = (torch.tensor(r2, dtype=torch.float64) / 2).logit()
    return method


def test_by_hand():
    found = bias(with_values([1, 0.5], [0.5, 1.5]), row(10, 9, 6, 1), dtype=torch.float64)[0]
    assert found[0, 0].tolist() == pytest.approx([0, -1, -2, -3])
    assert found[1, 0].tolist() == pytest.approx([0, -0.5, -4, -13.5])
    assert torch.equal(found, found.transpose(1, 2))


@pytest.mark.parametrize("heads", [2, 3, 4, 6])
def test_with_a_power_of_one_it_is_alibi(heads: int):
    ids = (0, 1, 5, 3, 3, 40)
    method = with_values(slopes(heads), [1.0] * heads)
    found = bias(method, row(*ids), dtype=torch.float64)
    right = bias(ALiBi(method.shape), row(*ids), dtype=torch.float64)
    torch.testing.assert_close(found, right, rtol=1e-14, atol=0)


def test_the_start_is_that_of_the_released_code():
    method = KerplePower(shape(width=20_000, heads=10_000))
    method.initialise(stream(0, "start"))
    for drawn, most in ((positive(method.height), 1), (2 * method.power.sigmoid(), 2)):
        assert 0.0099 < drawn.min() < 0.02 and 0.98 * most < drawn.max() < most + 1e-5
        assert drawn.mean().item() == pytest.approx(most / 2, abs=0.02)
    assert method.power.isfinite().all()


def test_what_is_learned_stays_within_its_bounds_and_keeps_its_gradient():
    """Also at distance zero, where the logarithm in the power's gradient is not finite."""
    method = KerplePower(shape())
    for raw in (-12.0, 0.0, 12.0):
        method.zero_grad()
        for parameter in method.parameters():
            parameter.data.fill_(raw)
        found = bias(method, row(0, 0, 1, 5))
        assert torch.isfinite(found).all() and (found[..., 3, 0] < 0).all() and not found[..., 1, 0].any()
        found.sum().backward()
        for parameter in method.parameters():
            assert torch.isfinite(parameter.grad).all() and (parameter.grad < 0).all()
