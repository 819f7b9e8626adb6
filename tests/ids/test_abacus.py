"""The places of digits, moved by a random offset in training."""

import pytest
import torch

from posemb.errors import CannotRepresent, UsageError
from posemb.ids.abacus import Abacus
from posemb.layout import Layout
from posemb.seeds import stream
from posemb.task.addition import Addition

ROW = Addition().layout("123+456=")
PLACES = [0, 3, 2, 1, 0, 3, 2, 1, 0, 0, 1, 2, 3, 4, 0]  # ⟨123+456=→9750⟩


def rows(layout: Layout, count: int) -> Layout:
    return Layout(count, layout.length, layout.prompt, layout.roles, layout.digits)


def test_evaluation_counts_the_digits_of_each_number_from_one():
    assert Abacus(4).assign(ROW, False, stream(0)).tolist() == [PLACES]
    assert Abacus.span(ROW) == 4


def test_training_moves_all_digits_of_a_row_by_one_offset_and_nothing_else():
    ids = Abacus(4, offset=6).assign(rows(ROW, 500), True, stream(0))
    places = torch.tensor(PLACES)
    offsets = (ids - places)[:, places > 0]
    assert (ids[:, places == 0] == 0).all()
    assert (offsets == offsets[:, :1]).all()
    counts = offsets[:, 0].bincount()
    assert len(counts) == 7 and counts.min() > 40  # 0..6, each as likely: 71 expected


def test_the_reach_is_the_trained_digits_and_the_offset():
    scheme = Abacus(4, offset=2)
    assert scheme.spreads and scheme.id_limit == 7
    six, seven = (Addition().layout("0" * n + "+" + "0" * n + "=") for n in (5, 6))  # sums of one digit more
    assert scheme.assign(six, False, stream(0)).max() == 6
    with pytest.raises(CannotRepresent, match="7 digits in a number, and the last trained id is 6"):
        scheme.assign(seven, False, stream(0))


def test_the_offset_is_four_times_the_trained_digits_unless_told_otherwise():
    assert Abacus(9).id_limit == 46
    assert Abacus(9, offset=0).id_limit == 10


def test_no_draw_puts_tokens_farther_apart_than_no_offset_or_the_largest():
    places = torch.tensor(PLACES)
    right = [PLACES, torch.where(places > 0, places + 6, 0).tolist()]
    assert Abacus(4, offset=6).extremes(ROW).tolist() == right


def test_a_task_without_numbers_is_a_usage_error():
    with pytest.raises(UsageError, match="digits of numbers, and the task has none"):
        Abacus.span(Layout(1, 5, 3))
