"""The pass that a method sees, on values worked out by hand."""

from dataclasses import replace

import torch

from posemb.position.base import PositionMethod, Positions, Reach, injection_points
from posemb.position.nope import NoPE
from tests.position.example import row, shape

YES, NO = True, False


def test_a_span_is_a_stretch_of_a_row_whose_horizon_is_known():
    at = Positions.span(torch.tensor([[4, 7, 9, 12, 15]]), 2, 4, causal=False, prefix=2)
    assert at.q.tolist() == [[9, 12]]
    assert at.k.tolist() == [[4, 7, 9, 12]]
    assert (at.start, at.horizon, at.causal, at.prefix) == (2, 5, False, 2)
    assert at.k.shape[1] == at.start + at.q.shape[1]


def test_the_gap_is_signed():
    assert row(4, 7, 9, start=1).gap.tolist() == [[[3, 0, -2], [5, 2, 0]]]
    assert row(5, 5, 2).gap.tolist() == [[[0, 0, 3], [0, 0, 3], [-3, -3, 0]]]


def test_what_a_query_may_see():
    assert row(0, 1, 2).visible.tolist() == [[YES, NO, NO], [YES, YES, NO], [YES, YES, YES]]
    assert row(0, 1, 2, 3, start=2).visible.tolist() == [[YES, YES, YES, NO], [YES, YES, YES, YES]]


def test_a_prefix_sees_itself_and_the_answer_stays_causal():
    seen = row(0, 1, 2, 3, causal=False, prefix=2).visible
    assert seen.tolist() == [[YES, YES, NO, NO], [YES, YES, NO, NO], [YES, YES, YES, NO], [YES] * 4]
    assert row(0, 1, 2, prefix=2).visible.tolist() == row(0, 1, 2).visible.tolist()  # causal: no prefix


def test_the_mask_goes_by_index_never_by_id():
    for ids in ((2, 1, 0), (5, 5, 5), (0, 9, 3)):
        assert torch.equal(row(*ids).visible, row(0, 1, 2).visible)


def test_the_head_width_is_an_equal_share():
    assert shape(width=24, heads=3).head_width == 8


def test_what_is_left_unsaid_is_what_counted_tokens_show_under_a_causal_mask():
    """Of 10 tokens 9 are fed, so the farthest distance is 8."""
    assert (shape().tokens, shape().spreads, shape().least, shape().greatest) == (10, False, 0, 8)
    assert shape(trained=1).greatest == 0
    said = shape(tokens=7, least=-3, greatest=5)
    assert (said.trained, said.tokens, said.least, said.greatest) == (10, 7, -3, 5)
    assert replace(said, layers=9).tokens == 7


def test_the_contract_itself_is_no_position():
    method = PositionMethod(shape())
    x, at = torch.randn(1, 3, 8), row(0, 1, 2)
    q, k = torch.randn(2, 1, 2, 3, 4)
    assert injection_points(PositionMethod) == injection_points(method) == injection_points(NoPE) == ()
    assert method.prepare(at) is None
    assert method.at_embedding(x, at, None) is x
    assert method.at_qk(q, k, at, None, 0) == (q, k)
    assert method.at_scores(q, k, at, None, 0) is None
    assert method.reach(row(10**9)) is Reach.OK
    assert not list(method.parameters())


def test_the_words_of_a_curve_rows_status():
    assert [reach.value for reach in Reach] == ["ok", "untrained rows", "cannot represent"]
