"""Sine and cosine waves, by hand."""

from math import cos, sin, sqrt

import pytest
import torch

from posemb.errors import UsageError
from posemb.position.sinusoidal import Sinusoidal
from tests.position.example import row, shape


def test_waves_at_width_four():
    waves = Sinusoidal(shape(width=4)).prepare(row(0, 1, 50))
    right = [
        [0, 1, 0, 1],
        [0.841471, 0.540302, 0.009999833, 0.99995],
        [sin(50), cos(50), sin(0.5), cos(0.5)],  # sine and cosine side by side, the second pair 100 times slower
    ]
    torch.testing.assert_close(waves, torch.tensor([right], dtype=waves.dtype), rtol=0, atol=5e-7)


def test_the_embedding_is_scaled_by_the_root_of_the_width():
    method = Sinusoidal(shape(width=4))
    at, x = row(1), torch.tensor([[[1.0, 2, 3, 4]]])
    tables = method.prepare(at)
    torch.testing.assert_close(method.at_embedding(x, at, tables), sqrt(4) * x + tables.float())


def test_the_base_is_that_of_the_slowest_wave():
    slowest = Sinusoidal(shape(width=8), base=16.0).prepare(row(1))[0, 0, -2]
    assert slowest.item() == pytest.approx(sin(16 ** (-6 / 8)))


def test_while_decoding_the_query_takes_its_own_wave():
    method = Sinusoidal(shape(width=4))
    assert torch.equal(method.prepare(row(5, 6, 7, start=2)), method.prepare(row(5, 6, 7))[:, 2:])


def test_an_odd_width_is_a_usage_error():
    with pytest.raises(UsageError, match=r"even width.*model\.width=5"):
        Sinusoidal(shape(width=5, heads=1))
