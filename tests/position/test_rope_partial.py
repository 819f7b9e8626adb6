"""Partial rotary embeddings, by hand."""

import pytest
import torch

from posemb.errors import UsageError
from posemb.position.rope import RoPE
from posemb.position.rope_partial import PartialRoPE, rotate_first
from posemb.seeds import stream
from tests.position.example import row, shape


def vectors(name: str, length: int, width: int) -> torch.Tensor:
    return torch.randn(1, 2, length, width, generator=stream(0, name), dtype=torch.float64)


def test_which_dimensions_turn():
    turn = torch.tensor([[[[1j, 1]]]])  # the first of two pairs by 90 degrees
    x = torch.tensor([[[[1.0, 2, 3, 4, 5, 6]]]])
    for pairs, right in (("half", [-3, 2, 1, 4, 5, 6]), ("interleaved", [-2, 1, 3, 4, 5, 6])):
        torch.testing.assert_close(rotate_first(x, turn, 1.0, pairs)[0, 0, 0], torch.tensor(right).float())


@pytest.mark.parametrize("pairs", ["half", "interleaved"])
def test_it_is_rope_of_a_narrower_head_beside_dimensions_as_they_were(pairs: str):
    """The ladder is rebuilt: what turns is rope at Dr, not the first pairs of rope at Dh."""
    q, k, at = vectors("q", 3, 16), vectors("k", 3, 16), row(2, 5, 11)
    part, narrow = PartialRoPE(shape(width=32), share=0.5, pairs=pairs), RoPE(shape(width=16), pairs=pairs)
    found = part.at_qk(q, k, at, part.prepare(at), 0)
    right = narrow.at_qk(q[..., :8], k[..., :8], at, narrow.prepare(at), 0)
    for whole, turned, x in zip(found, right, (q, k), strict=True):
        assert torch.equal(whole, torch.cat([turned, x[..., 8:]], dim=-1))


@pytest.mark.parametrize(("share", "dims"), [(1, 16), (0.5, 8), (0.25, 4), (0.45, 6), (0.13, 2)])
def test_how_many_dimensions_turn(share: float, dims: int):
    assert 2 * PartialRoPE(shape(width=32), share=share).prepare(row(0)).factors.shape[-1] == dims


def test_a_share_is_not_lost_to_rounding():
    """.58 of 100 dimensions are 29 pairs, and .58 * 100 / 2 is 28.999999999999996."""
    assert PartialRoPE(shape(width=200), share=0.58).prepare(row(0)).factors.shape[-1] == 29
    assert PartialRoPE(shape(width=200), share=0.5799).prepare(row(0)).factors.shape[-1] == 28


def test_while_decoding_the_query_turns_by_its_own_angle():
    method, q, k = PartialRoPE(shape(width=16)), vectors("q", 5, 8), vectors("k", 5, 8)
    ids = (0, 3, 4, 8, 9)
    whole = method.at_qk(q, k, row(*ids), method.prepare(row(*ids)), 0)
    at = row(*ids, start=4)
    last = method.at_qk(q[:, :, 4:], k, at, method.prepare(at), 0)
    assert torch.equal(last.q, whole.q[:, :, 4:]) and torch.equal(last.k, whole.k)


def test_a_share_too_small_to_turn_anything_is_a_usage_error():
    with pytest.raises(UsageError, match=r"Dr, .* must be even and not 0: it is 0\."):
        PartialRoPE(shape(width=16), share=0.2)


def test_an_odd_head_may_turn_a_part():
    method, at, q = PartialRoPE(shape(width=10), share=0.9), row(0, 1), torch.ones(1, 2, 2, 5)
    assert method.at_qk(q, q, at, method.prepare(at), 0).q[0, 0, 1, 4] == 1


def test_nothing_is_learned():
    assert not list(PartialRoPE(shape()).parameters())
