"""Distinct ordered ids from a long range."""

import pytest
import torch

from posemb.errors import CannotRepresent, UsageError
from posemb.ids.randomized import Randomized
from posemb.layout import Layout
from posemb.seeds import stream

over_phases = pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])


@over_phases
def test_ids_are_distinct_and_sorted_within_the_range(training: bool):
    ids = Randomized(8, limit=40).assign(Layout(200, 8, 4), training, stream(0))
    assert ids.shape == (200, 8)
    assert ids.diff(dim=1).min() >= 1
    assert (ids.min().item(), ids.max().item()) == (0, 39)


@over_phases
def test_every_row_has_its_own(training: bool):
    ids = Randomized(8, limit=40).assign(Layout(50, 8, 4), training, stream(0))
    assert len(ids.unique(dim=0)) == 50


def test_every_subset_is_as_likely():
    ids = Randomized(2, limit=4).assign(Layout(6000, 2, 1), True, stream(0))
    counts = ids.unique(dim=0, return_counts=True)[1]
    assert len(counts) == 6  # pairs out of four
    assert ((counts - 1000).abs() < 150).all()  # five standard deviations


@over_phases
def test_a_range_with_no_room_is_the_sequence(training: bool):
    ids = Randomized(7, limit=7).assign(Layout(5, 7, 3), training, stream(0))
    assert ids.tolist() == [list(range(7))] * 5


def test_ids_are_never_new_up_to_the_range_and_end_there():
    scheme = Randomized(8, limit=12)
    assert scheme.spreads and scheme.id_limit == 12
    assert scheme.assign(Layout(1, 12, 4), False, stream(0)).tolist() == [list(range(12))]
    with pytest.raises(CannotRepresent, match=r"13 tokens .* ids\.limit is 12"):
        scheme.assign(Layout(1, 13, 4), False, stream(0))


def test_the_range_is_five_times_the_trained_length_unless_told_otherwise():
    assert Randomized(8).id_limit == 40


def test_a_range_too_short_for_training_is_a_usage_error():
    assert Randomized(8, limit=8).id_limit == 8
    with pytest.raises(UsageError, match=r"ids\.limit=7 .* rows of 8 tokens"):
        Randomized(8, limit=7)


def test_no_draw_puts_tokens_farther_apart_than_the_first_id_and_the_last_ones():
    assert Randomized(4, limit=20).extremes(Layout(1, 4, 2)).tolist() == [[0, 17, 18, 19]]
    assert Randomized(4, limit=4).extremes(Layout(1, 4, 2)).tolist() == [[0, 1, 2, 3]]


def test_the_draw_depends_on_the_generator():
    scheme, layout = Randomized(8), Layout(4, 8, 4)
    assert torch.equal(scheme.assign(layout, True, stream(0, "a")), scheme.assign(layout, True, stream(0, "a")))
    assert not torch.equal(scheme.assign(layout, True, stream(0, "a")), scheme.assign(layout, True, stream(0, "b")))
