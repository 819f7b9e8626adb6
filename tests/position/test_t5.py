"""Bucketed distances, by hand."""

import pytest
import torch

from posemb.errors import UsageError
from posemb.position import t5
from posemb.position.base import Reach
from posemb.position.precision import finest
from posemb.position.t5 import T5, bucket
from tests.position.example import bias, row, shape

BY_HAND = {0: 0, 1: 1, 15: 15, 16: 16, 18: 16, 19: 17, 20: 17, 24: 19, 64: 26, 112: 30, 113: 31, 128: 31, 10**6: 31}


def test_buckets_by_hand():
    assert bucket(torch.tensor(list(BY_HAND)), 32, 128).tolist() == list(BY_HAND.values())


def test_buckets_with_other_bounds():
    # Four single distances, then four that double the distance in all: each is wider by 2^(1/4) ...
    assert bucket(torch.arange(10), 8, 8).tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 7, 7]
    # ... and a distance that is an exact power of the ratio opens its bucket: 4·2^k for k = 0..3.
    assert bucket(torch.tensor([4, 7, 8, 15, 16, 31, 32, 63, 64]), 8, 64).tolist() == [4, 4, 5, 5, 6, 6, 7, 7, 7]


def test_a_device_without_float64_has_the_same_buckets(monkeypatch: pytest.MonkeyPatch):
    assert finest(torch.device("mps")) is torch.float32 and finest(torch.device("cuda")) is torch.float64
    distances, asked = torch.arange(5000), []
    expected = bucket(distances, 32, 128)
    monkeypatch.setattr(t5, "finest", lambda device: asked.append(device) or torch.float32)
    assert torch.equal(bucket(distances, 32, 128), expected)
    assert asked == [distances.device]


def test_buckets_never_fall():
    found = bucket(torch.arange(300), 32, 128)
    assert found.diff().min() >= 0 and found.unique().tolist() == list(range(32))


def test_a_bias_is_the_tables_at_the_bucket_for_every_head_and_layer():
    method = T5(shape(layers=2), gain=2.0)
    method.table.data = torch.arange(128.0).view(64, 2)
    for layer in range(2):
        found = bias(method, row(0, 19, 500), layer)[0]
        for head in range(2):
            assert found[head, 1:, 0].tolist() == [2.0 * (2 * 17 + head), 2.0 * (2 * 31 + head)]  # not divided by √Dh


def test_a_key_that_lies_ahead_has_buckets_of_its_own():
    method = T5(shape())
    method.table.data = torch.arange(128.0).view(64, 2)
    found = bias(method, row(0, 1, 19, causal=False, prefix=3))[0, 0] / 2
    assert found.tolist() == [[0, 33, 49], [1, 0, 48], [17, 16, 0]]


def test_it_starts_as_no_position():
    assert not T5(shape()).table.any()


def test_reach():
    """Trained on rows of 10, of which 9 are fed: the buckets up to 8 learn. A row of 11 asks for one that never did."""
    method = T5(shape(trained=10))
    assert method.reach(row(*range(10))) is method.reach(row(*range(300, 310))) is Reach.OK
    assert method.reach(row(*range(11))) is method.reach(row(0, 500, 501)) is Reach.UNTRAINED
    border = T5(shape(trained=20))
    assert border.reach(row(*range(20))) is Reach.OK  # distances up to 18, bucket 16
    assert border.reach(row(*range(21))) is Reach.UNTRAINED  # 19 falls into bucket 17
    wide = T5(shape(trained=115))
    assert wide.reach(row(0, 10**6, 0)) is Reach.OK  # the last bucket was trained, and it has no end


def test_reach_judges_each_direction_by_itself():
    """18 ahead is in the last bucket that training filled, 19 in the next; back it filled more."""
    method = T5(shape(trained=60, least=-17))
    assert method.reach(row(18, 0, 1)) is method.reach(row(0, 58, 59)) is Reach.OK
    assert method.reach(row(19, 0, 1)) is Reach.UNTRAINED
    assert T5(shape(trained=60)).reach(row(1, 0, 1)) is Reach.UNTRAINED


def test_a_farthest_distance_within_the_single_ones_is_a_usage_error():
    assert T5(shape(), buckets=8, farthest=5)
    with pytest.raises(UsageError, match=r"position\.farthest=4 must be beyond the 4"):
        T5(shape(), buckets=8, farthest=4)
