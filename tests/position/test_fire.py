"""FIRE, by hand."""

from math import log

import pytest
import torch

from posemb.position.fire import FIRE, share
from posemb.seeds import stream
from tests.position.example import bias, row, shape


def shares(distance: list[float], query: float, c: float = 0.1, threshold: float = 16.0) -> list[float]:
    pairs, asking = torch.tensor([[distance]]).double(), torch.tensor([[[query]]]).double()
    return share(pairs, asking, torch.tensor(c).double(), torch.tensor(threshold).double())[0, 0].tolist()


def test_the_share_by_hand():
    assert shares([2], query=10) == pytest.approx([0.190810], abs=1e-6)  # ln 1.2 / ln 2.6: below L₀, by L₀
    assert shares([0, 30, 15], query=30) == pytest.approx([0, 1, log(2.5) / log(4)], abs=2e-6)  # beyond it, by i
    assert shares([2], query=10, c=-0.1) == shares([2], query=10)


def test_the_share_is_between_zero_and_one_whatever_the_ids():
    for query in (0, 3, 16, 5000):
        found = shares([0, 1, 15, 16, 17, 10**6], query)
        assert found == sorted(found) and found[0] == 0 and 0.99 < found[-1] <= 1
    assert shares([0, 4], query=4, c=0.0) == [0, 0]  # 0/0 is no share


def by_rule(method: FIRE, i: int, j: int, layer: int, head: int) -> float:
    """The formula in plain Python, for one pair."""
    c, most = abs(method.c[layer].item()), max(method.threshold * abs(method.factor[layer].item()), i)
    x = log(c * min(abs(i - j), most) + 1) / log(c * most + 1)
    hidden = [max(0.0, weight * x + constant) for weight, constant in method.inner[layer].tolist()]
    return sum(value * out for value, out in zip(hidden, method.outer[layer, :, head].tolist(), strict=True))


def test_it_is_the_formula_pair_by_pair():
    method = FIRE(shape(layers=2, trained=20)).double()
    for name, parameter in method.named_parameters():
        parameter.data += 0.3 * torch.randn(parameter.shape, generator=stream(0, name))
    ids = (0, 1, 7, 40, 3, 3)
    for layer in range(2):
        found = bias(method, row(*ids), layer, torch.float64)[0].tolist()
        for head in range(2):
            right = [[by_rule(method, i, j, layer, head) for j in ids] for i in ids]
            for at, line in enumerate(right):
                assert found[head][at] == pytest.approx(line, abs=2e-5)  # the guard against 0/0


def test_the_threshold_is_a_quarter_of_the_trained_length():
    assert FIRE(shape(trained=2048)).threshold == 512  # the paper's
    assert FIRE(shape(trained=43)).threshold == 10.75
    assert FIRE(shape(trained=2)).threshold == 1
    assert FIRE(shape(trained=43), threshold=7.0).threshold == 7


def test_it_looks_at_the_query_and_not_at_the_length():
    method = FIRE(shape())
    method.initialise(stream(0, "start"))
    long, short = bias(method, row(*range(30))), bias(method, row(*range(20)))
    torch.testing.assert_close(long[..., :20, :20], short, rtol=0, atol=1e-6)
    alone = bias(method, row(*range(30), start=29))
    torch.testing.assert_close(alone, long[..., 29:, :], rtol=0, atol=1e-6)


def test_with_the_last_layer_at_zero_it_is_no_position():
    method = FIRE(shape())
    method.initialise(stream(0, "start"))
    assert bias(method, row(0, 1, 9)).any()
    method.outer.data.zero_()
    assert not bias(method, row(0, 1, 9)).any()


def test_the_start_is_that_of_the_papers_code():
    method = FIRE(shape(layers=40, heads=8, width=8))
    method.initialise(stream(0, "start"))
    assert method.c.unique().tolist() == pytest.approx([0.1]) and method.factor.unique().tolist() == [1]
    for parameter, bound in ((method.inner, 1), (method.outer, 32**-0.5)):
        assert 0.99 * bound < parameter.max() <= bound and -bound <= parameter.min() < -0.99 * bound
    assert sum(parameter.numel() for parameter in FIRE(shape(heads=2)).parameters()) == 2 + 2 * 32 + 32 * 2
