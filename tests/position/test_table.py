"""Rows of tables: which there are, and which of them training set."""

from dataclasses import replace

import pytest
import torch

from posemb.position.base import Reach
from posemb.position.table import distinct, taught
from tests.position.example import row, shape


@pytest.mark.parametrize("ids", [(0, 1, 2), (5, 5, 5), (0, 700_000, 3), (9, 1, 900_000)])
def test_distances_are_given_back_and_are_never_more_than_the_pairs(ids: tuple[int, ...]):
    gap = row(*ids).gap
    found, index = distinct(gap)
    assert torch.equal(found[index], gap)
    assert len(found) <= gap.numel() and (found.diff() > 0).all()


def test_near_ids_take_every_distance_and_far_ones_those_that_occur():
    assert distinct(row(0, 2, 4).gap)[0].tolist() == [*range(-4, 5)]
    assert distinct(row(0, 90, 180).gap)[0].tolist() == [-180, -90, 0, 90, 180]


@pytest.mark.parametrize(
    ("ids", "right"),
    [
        ((0, 3, 99), Reach.OK),  # the last is not fed
        ((0, 4, 99), Reach.UNTRAINED),
        ((2, 0, 99), Reach.OK),
        ((3, 0, 99), Reach.UNTRAINED),  # 3 ahead, though 3 back are known
        ((0, 3, 1, 99), Reach.OK),
    ],
)
def test_each_sign_is_judged_by_itself(ids: tuple[int, ...], right: Reach):
    shown = replace(shape(), least=-2, greatest=3)
    assert taught(shown, row(*ids), lambda gap: gap) is right
    assert taught(shown, row(*ids), lambda gap: gap.clamp(-2, 3)) is Reach.OK
