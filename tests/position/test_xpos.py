"""xPos, by hand."""

import pytest
import torch

from posemb.errors import UsageError
from posemb.position.angle import frequencies
from posemb.position.base import Reach
from posemb.position.rope import RoPE, rotate
from posemb.position.xpos import XPos, faded, fading
from posemb.seeds import stream
from tests.position.example import row, shape

CPU = torch.device("cpu")
both_layouts = pytest.mark.parametrize("pairs", ["half", "interleaved"])


def vectors(name: str, length: int, width: int = 8) -> torch.Tensor:
    return torch.randn(1, 2, length, width, generator=stream(0, name), dtype=torch.float64)


def scores(method, q: torch.Tensor, k: torch.Tensor, at) -> torch.Tensor:
    placed = method.at_qk(q, k, at, method.prepare(at), 0)
    return placed.q @ placed.k.transpose(-1, -2)


def test_how_much_a_pair_fades():
    assert fading(8, 0.4, CPU).tolist() == pytest.approx([0.4 / 1.4, 0.65 / 1.4, 0.9 / 1.4, 1.15 / 1.4])


def test_a_score_fades_with_distance_the_fast_pairs_most():
    """Slow ladder: hardly a turn, so that the fading is what is left. One span is ten ids."""
    method = XPos(shape(width=8, trained=10), base=1e12)
    x = torch.tensor([0, 0, 1.0, 0], dtype=torch.float64).expand(1, 2, 3, 4)  # the second pair, ζ = .9 / 1.4
    found = scores(method, x, x, row(0, 10, 20))[0, 0]
    zeta = 0.9 / 1.4
    assert found[:, 0].tolist() == pytest.approx([1, zeta, zeta**2], abs=1e-4)
    assert found.diagonal().tolist() == pytest.approx([1, 1, 1])


@both_layouts
def test_with_no_fading_it_is_rope(pairs: str):
    """ζ = 1, at the function."""
    ids, x = torch.tensor([[0, 3, 700]]), vectors("x", 3)
    theta = frequencies(10000.0, 8, CPU)
    rope = RoPE(shape(width=16), pairs=pairs).prepare(row(0, 3, 700))
    for turn in faded(ids, theta, torch.ones(4, dtype=torch.float64), 512.0):
        assert torch.equal(rotate(x, turn, pairs), rotate(x, rope, pairs))


@both_layouts
def test_the_score_depends_on_the_difference_alone(pairs: str):
    method, q, k = XPos(shape(width=16), pairs=pairs), vectors("q", 4), vectors("k", 4)
    here, there = scores(method, q, k, row(0, 1, 5, 9)), scores(method, q, k, row(200, 201, 205, 209))
    torch.testing.assert_close(here.tril(), there.tril(), rtol=1e-9, atol=1e-12)


def test_the_factors_of_an_id_do_not_depend_on_the_row_around_it():
    method = XPos(shape(width=16))
    for turn, longer in zip(method.prepare(row(0, 1, 2)), method.prepare(row(*range(40))), strict=True):
        assert torch.equal(turn, longer[:, :, :3])


def test_the_papers_span_is_rope_in_all_but_name_at_forty_tokens():
    q, k, at = vectors("q", 40), vectors("k", 40), row(*range(40))
    right = scores(RoPE(shape(width=16, trained=40)), q, k, at).tril()
    papers, ours = (scores(XPos(shape(width=16, trained=40), span=span), q, k, at).tril() for span in (512.0, None))
    assert ((papers - right).norm() / right.norm()).item() < 0.06
    assert ((ours - right).norm() / right.norm()).item() > 0.2


def test_reach_ends_where_float32_does():
    method = XPos(shape(width=16, trained=10))
    assert method.reach(row(0, 600)) is Reach.OK
    assert method.reach(row(0, 700)) is Reach.CANNOT
    x = torch.ones(1, 2, 2, 8)
    for turned in method.at_qk(x, x, row(0, 600), method.prepare(row(0, 600)), 0):
        assert torch.isfinite(turned).all() and turned.all()
    assert XPos(shape(width=16), span=512.0).reach(row(0, 30_000)) is Reach.OK


def test_a_span_too_short_for_training_is_a_usage_error():
    assert XPos(shape(width=16, trained=100), span=2.0)
    with pytest.raises(
        UsageError, match=r"position\.span=1 with position\.gamma=0\.4 is too short for training: at the id 99"
    ):
        XPos(shape(width=16, trained=100), span=1.0)


def test_it_is_for_causal_attention_only_and_learns_nothing():
    assert XPos.causal_only and not XPos.absolute
    assert not list(XPos(shape()).parameters())


def test_an_odd_head_width_is_a_usage_error():
    with pytest.raises(UsageError, match=r"must be even and not 0: it is 3\."):
        XPos(shape(width=6))
