"""p-RoPE, by hand."""

import pytest
import torch

from posemb.laws.subject import LENGTH, Method, Subject, run, tokens
from posemb.position.nope import NoPE
from posemb.position.p_rope import PRoPE
from posemb.position.rope import RoPE
from posemb.position.rope_partial import PartialRoPE
from tests.laws.subjects import SCHEMES
from tests.position.example import row, shape

both_masks = pytest.mark.parametrize("attention", ["causal", "prefix"])


def angles(method, at) -> list[float]:
    """The angle of each pair at the last token."""
    return method.prepare(at)[0, 0, -1].angle().tolist()


def outputs(cls, attention: str, **params) -> torch.Tensor:
    subject = Subject(Method(cls.__name__, cls, params), SCHEMES["unordered"], attention)
    return run(subject.model(), tokens(LENGTH), subject.ids())


@pytest.mark.parametrize(("p", "turning"), [(0, 0), (0.24, 0), (0.25, 1), (0.5, 2), (0.75, 3), (0.99, 3), (1, 4)])
def test_the_slowest_pairs_stand_still(p: float, turning: int):
    method = PRoPE(shape(width=16), p=p, base=16.0)  # θ = 1, 1/2, 1/4, 1/8
    right = [1, 0.5, 0.25, 0.125]
    assert angles(method, row(0, 1)) == pytest.approx(right[:turning] + [0] * (4 - turning))


def test_a_share_is_not_lost_to_rounding():
    """.58 of 50 pairs are 29, and .58 * 50 is 28.999999999999996."""
    for p, turning in ((0.58, 29), (0.5799, 28)):
        assert sum(angle != 0 for angle in angles(PRoPE(shape(width=200), p=p), row(0, 1))) == turning


def test_a_scaling_works_on_the_whole_ladder_and_then_pairs_are_stopped():
    found = angles(PRoPE(shape(width=16), p=0.75, base=16.0, scaling="ntk", factor=8.0), row(0, 1))
    assert found == pytest.approx([1, 1 / 4, 1 / 16, 0])  # each step from θ to θ / 8 is a halving; not 1/2, 1/8^(1/2)
    found = angles(PRoPE(shape(width=16), p=0.5, base=16.0, scaling="pi", factor=2.0), row(0, 1))
    assert found == pytest.approx([0.5, 0.25, 0, 0])


@both_masks
def test_none_of_it_is_no_position_and_all_of_it_is_rope(attention: str):
    whole = outputs(RoPE, attention)
    assert (outputs(PRoPE, attention, p=0.0) - outputs(NoPE, attention)).abs().max() < 1e-12
    assert torch.equal(outputs(PRoPE, attention, p=1.0), whole)
    assert torch.equal(outputs(PartialRoPE, attention, share=1.0), whole)
    assert not torch.isclose(outputs(PRoPE, attention, p=0.5), whole).all()


def test_it_is_not_rope_on_a_part_of_the_head():
    """The same number of pairs turn, but the ladder is that of the whole head."""
    assert not torch.isclose(outputs(PRoPE, "causal", p=0.5), outputs(PartialRoPE, "causal", share=0.5)).all()


def test_nothing_is_learned():
    assert not list(PRoPE(shape()).parameters())
