"""Learned scalars for signed distances, by hand."""

import pytest
import torch

from posemb.model.attention import attend
from posemb.position.base import Reach
from posemb.position.rpe import RPE
from tests.position.example import bias, row, shape


def rpe(width: int = 8, trained: int = 5, gain: float = 1.0, heads: int = 2, layers: int = 1) -> RPE:
    return RPE(shape(width=width, heads=heads, trained=trained, layers=layers), gain=gain)


@pytest.mark.parametrize("gain", [1.0, 32.0])
@pytest.mark.parametrize(("r", "score"), [(4.0, 4.0), (0.0, 3.0)])
def test_the_missions_number(gain: float, r: float, score: float):
    """q·k = 12 and √d = 4: (12 + R)/4. Read from attention: two keys, one scoring 0, weigh as e^score to 1."""
    method = rpe(width=16, heads=1, gain=gain)
    method.table.data[0, 3 + 1] = r / gain  # one step back
    q, k = torch.zeros(1, 1, 1, 16), torch.zeros(1, 1, 2, 16)
    q[..., 0], k[0, 0, 0, 0] = 3, 4
    at = row(0, 1, start=1)
    weights = attend(q, k, torch.eye(2)[None, None], method.at_scores(q, k, at, method.prepare(at), 0), at)
    assert (weights[0, 0, 0, 0] / weights[0, 0, 0, 1]).log().item() == pytest.approx(score, abs=1e-5)


def test_a_scalar_for_each_layer_head_and_signed_distance():
    method = rpe(layers=2)
    assert method.table.shape == (2, 7, 2)
    method.table.data = torch.arange(28.0).view(2, 7, 2)
    at = row(0, 1, 2, causal=False, prefix=3)
    for layer in range(2):
        for head in range(2):
            found = bias(method, at, layer)[0, head]
            right = [[14 * layer + 2 * (i - j + 3) + head for j in range(3)] for i in range(3)]
            torch.testing.assert_close(found, torch.tensor(right) / 2)  # √Dh = 2


def test_distances_beyond_the_farthest_trained_one_share_its_scalar():
    """Rows of 5 tokens: 4 are fed, so a pass holds distances up to 3."""
    method = rpe(trained=5)
    method.table.data = torch.arange(14.0).view(1, 7, 2)
    back = bias(method, row(0, 2, 3, 4, 90))[0, 0, :, 0]
    ahead = bias(method, row(90, 4, 3, 2, 0))[0, 0, :, 0]  # ids that run backwards
    assert (back * 2).tolist() == [6, 10, 12, 12, 12]
    assert (ahead * 2).tolist() == [6, 0, 0, 0, 0]
    assert (bias(method, row(0, 2, 3, 4, 90))[0, 0, 0] * 2).tolist() == [6, 2, 0, 0, 0]


def test_each_direction_ends_at_the_farthest_distance_that_training_shows():
    """As with ids that are coupled: 5 back, 2 ahead. The table is as long as ever."""
    method = RPE(shape(trained=7, least=-2, greatest=5), gain=1.0)
    method.table.data = torch.arange(22.0).view(1, 11, 2)
    assert (bias(method, row(0, 4, 5, 6, 90))[0, 0, :, 0]).tolist() == [5, 9, 10, 10, 10]
    assert (bias(method, row(90, 6, 3, 2, 1, 0))[0, 0, 1:, 1]).tolist() == [5, 3, 3, 3, 3]
    assert method.reach(row(0, 90, 0, 7)) is Reach.OK


def test_a_direction_that_training_never_shows_is_untrained():
    method = RPE(shape())
    assert method.reach(row(*range(500))) is Reach.OK
    assert method.reach(row(1, 0, 2)) is Reach.UNTRAINED
    assert method.reach(row(*range(5), causal=False, prefix=2)) is Reach.UNTRAINED
    short = RPE(shape(trained=2))  # one token is fed: there is a scalar for one step back, and nothing sets it
    assert short.reach(row(0, 1)) is Reach.OK and short.reach(row(0, 1, 2)) is Reach.UNTRAINED


def test_what_training_shows_has_no_say_in_the_size_of_the_table():
    for shown in ({}, {"least": -8}, {"least": -2, "greatest": 9}):
        assert RPE(shape(trained=10, **shown)).table.shape == (1, 17, 2)


def test_it_starts_as_no_position():
    assert not bias(rpe(), row(0, 1, 5)).any()
    assert not RPE(shape()).table.any()


def test_the_gain_scales_what_the_table_says():
    one, many = rpe(gain=1.0), rpe(gain=32.0)
    one.table.data.fill_(1.0)
    many.table.data.fill_(1.0)
    torch.testing.assert_close(bias(many, row(0, 1)), 32 * bias(one, row(0, 1)))
