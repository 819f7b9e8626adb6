"""Sandwich, by hand and against the embeddings whose product it is."""

import pytest
import torch

from posemb.errors import UsageError
from posemb.position.sandwich import Sandwich, product
from posemb.position.sinusoidal import Sinusoidal
from tests.position.example import bias, row, shape


def test_the_product_at_the_papers_width():
    found = product(torch.tensor([0, 1]), 128)
    assert found[0].item() == 64
    assert found[1].item() == pytest.approx(62.09368, abs=5e-6)


def test_it_is_the_product_of_two_sinusoidal_embeddings():
    at = row(0, 1, 7, 300, 4000)
    waves = Sinusoidal(shape(width=128)).prepare(at)[0].double()
    torch.testing.assert_close(product(at.gap.abs()[0], 128), waves @ waves.T, rtol=0, atol=1e-9)


def test_the_first_head_falls_fastest():
    """H/(8h) with H = 4: 1/2, 1/4, 1/6, 1/8; counted from the key at distance zero."""
    found = bias(Sandwich(shape(heads=4)), row(0, 1), dtype=torch.float64)[0]
    assert found[:, 1, 0].tolist() == pytest.approx([-1.90632 / part for part in (2, 4, 6, 8)], abs=5e-6)
    assert not found.diagonal(dim1=1, dim2=2).any()


def test_far_apart_ids_cost_no_more_than_near_ones_and_have_the_same_bias():
    """The same three ids, in a row so short that only its own distances are worked out, and in one that takes all."""
    few = bias(Sandwich(shape()), row(0, 40, 90), dtype=torch.float64)
    many = bias(Sandwich(shape()), row(*range(91)), dtype=torch.float64)
    assert torch.equal(few, many[..., [0, 40, 90], :][..., [0, 40, 90]])
    assert bias(Sandwich(shape()), row(0, 10**12)).isfinite().all()  # all distances up to here would fill no memory


def test_distance_is_not_direction():
    found = bias(Sandwich(shape()), row(5, 5, 0, 9, 2))[0]
    assert torch.equal(found, found.transpose(1, 2))
    assert found.max() == 0


def test_half_precision_still_tells_near_keys_apart():
    """Counted from zero, a product of 64 would leave bfloat16 steps of a quarter."""
    method = Sandwich(shape(heads=8, width=8))
    near = bias(method, row(*range(6)), dtype=torch.bfloat16)[0, :, 5]
    assert (near.diff(dim=-1) > 0).all()


def test_nothing_is_learned_and_a_width_is_even():
    assert not list(Sandwich(shape()).parameters())
    with pytest.raises(UsageError, match=r"position\.dims=127 must be even"):
        Sandwich(shape(), dims=127)
