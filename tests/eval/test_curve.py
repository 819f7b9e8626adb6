"""One row of a curve: its interval, its figures, its status."""

import json

import pytest

from posemb.eval.curve import measure, wilson
from posemb.eval.evaluate import curve
from posemb.ids.randomized import Randomized
from posemb.position.ape import APE
from posemb.position.base import PositionMethod
from posemb.position.rope import RoPE
from posemb.position.t5 import T5
from posemb.task.last import Last
from tests.eval.example import IDS, LENGTH, SIZE, TASK, build, trained

FIGURES = ("exact_match", "token_accuracy", "loss", "entropy", "low", "high")
KEYS = ["size", "length", *FIGURES[:4], "count", *FIGURES[4:], "chance", "status"]
LAST = Last()
LAST_SIZE = LENGTH - 4  # rows of `last` as long as the longest that this model was trained on


@pytest.mark.parametrize(
    ("hits", "count", "interval"),
    [(0, 100, (0, 0.0370)), (95, 100, (0.8882, 0.9785)), (100, 100, (0.9630, 1)), (0, 512, (0, 0.00745))],
)
def test_wilson_intervals(hits: int, count: int, interval: tuple[float, float]):
    assert wilson(hits, count) == pytest.approx(interval, abs=5e-5)


def test_a_row():
    model = trained(100)
    for size in range(1, SIZE + 3):
        row = measure(model, TASK, IDS, size, 200)
        assert list(row) == KEYS
        assert (row["size"], row["length"], row["count"]) == (size, TASK.length(size), 200)
        assert (row["status"], row["chance"]) == ("ok", TASK.chance(size))
        assert (row["low"], row["high"]) == wilson(round(200 * row["exact_match"]), 200)
        assert 0 <= row["low"] <= row["exact_match"] <= row["high"] <= 1
        assert row["exact_match"] <= row["token_accuracy"]  # a right row has only right tokens
        assert row["loss"] > 0 and row["entropy"] > 0


def test_rows_are_those_of_the_size_alone():
    """The same examples at every look, whatever was looked at before."""
    model = trained(100)
    assert measure(model, TASK, IDS, 3, 20) == measure(model, TASK, IDS, 3, 20)
    up, down = (list(curve(model, TASK, IDS, sizes, 20)) for sizes in ((1, 4, 9), (9, 4, 1)))
    assert up == down[::-1]
    assert [row["size"] for row in up] == [1, 4, 9]


def statuses(method: type[PositionMethod], sizes: list[int], ids=IDS, task=LAST, **params) -> list[str]:
    rows = list(curve(build(method, width=16, task=task, **params), task, ids, sizes, 4))
    for row in rows:
        assert list(row) == KEYS
        assert all((row[key] is None) == (row["status"] == "cannot represent") for key in FIGURES)
        json.dumps(row, allow_nan=False)
    return [row["status"] for row in rows]


def test_rows_of_a_table_are_trained_up_to_the_trained_length_and_not_one_token_further():
    sizes = [1, LAST_SIZE, LAST_SIZE + 1, LAST_SIZE + 20]
    assert statuses(APE, sizes) == ["ok", "ok", "untrained rows", "untrained rows"]


def test_a_table_that_ends_is_cannot_represent_and_the_curve_goes_on():
    sizes = [LAST_SIZE, LAST_SIZE + 1, LAST_SIZE + 2, 1]
    found = statuses(APE, sizes, rows=LENGTH + 1)
    assert found == ["ok", "untrained rows", "cannot represent", "ok"]


def test_a_random_range_that_is_too_short_is_cannot_represent():
    ids = Randomized(LENGTH, limit=LENGTH + 3)
    assert statuses(RoPE, [LAST_SIZE, LAST_SIZE + 3, LAST_SIZE + 4, 2], ids) == ["ok", "ok", "cannot represent", "ok"]


def test_buckets_that_never_learned_are_untrained_rows():
    sizes = [LAST_SIZE, LAST_SIZE + 1, 60]
    assert statuses(T5, sizes) == ["ok", "untrained rows", "untrained rows"]
    # All distances from three on share a bucket, and that one was trained.
    assert statuses(T5, sizes, buckets=4, farthest=3) == ["ok", "ok", "ok"]


def test_a_method_without_tables_is_ok_at_any_length():
    assert statuses(RoPE, [1, 60]) == ["ok", "ok"]


def test_figures_that_are_no_numbers_are_null():
    model = build(RoPE)
    model.head.weight.data[0, 0] = float("nan")
    row = measure(model, TASK, IDS, 2, 4)
    assert list(row) == KEYS
    assert all(row[key] is None for key in FIGURES)  # what is likeliest among such numbers means nothing
    assert row["status"] == "ok"  # said of the positions
    json.dumps(row, allow_nan=False)
