"""Linear biases, by hand."""

import pytest
import torch

from posemb.position.alibi import ALiBi, slopes
from tests.position.example import bias, row, shape

# Heads that are no power of two: the authors' code, not the paper.
BY_HAND = {
    1: [0.00390625],
    2: [0.0625, 0.00390625],
    4: [0.25, 0.0625, 0.015625, 0.00390625],
    6: [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125],
    8: [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625],
}


@pytest.mark.parametrize(("heads", "right"), BY_HAND.items())
def test_slopes(heads: int, right: list[float]):
    assert slopes(heads) == right


@pytest.mark.parametrize("heads", range(1, 20))
def test_every_number_of_heads_has_its_own_slopes(heads: int):
    assert len(set(slopes(heads))) == len(slopes(heads)) == heads
    assert all(0 < slope < 1 for slope in slopes(heads))


def test_the_bias_falls_with_the_distance():
    found = bias(ALiBi(shape(heads=2)), row(0, 1, 5))[0]
    assert found[0].tril().tolist() == [[0, 0, 0], [-0.0625, 0, 0], [-0.3125, -0.25, 0]]
    torch.testing.assert_close(found[1], found[0] / 16)


def test_distance_is_not_direction():
    found = bias(ALiBi(shape()), row(0, 1, 5, causal=False, prefix=3))[0]
    assert torch.equal(found, found.transpose(1, 2))


def test_no_bias_is_above_that_of_the_token_itself_whatever_the_ids():
    assert bias(ALiBi(shape()), row(5, 5, 0, 9, 2)).max() == 0


def test_nothing_is_learned():
    assert not list(ALiBi(shape()).parameters())
