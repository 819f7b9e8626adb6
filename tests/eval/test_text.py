"""Bits per character, blocked and sliding."""

from math import log
from pathlib import Path

import pytest
import torch

from posemb.eval.evaluate import curve, rows_of
from posemb.eval.validation import validate
from posemb.ids.randomized import Randomized
from posemb.ids.sequential import Sequential
from posemb.position.ape import APE
from posemb.position.rope import RoPE
from posemb.task.text import Text
from tests.eval.example import LENGTH, TASK, build

KEYS = ["size", "length", "mode", "bits_per_character", "scored_tokens", "loss", "entropy", "count", "status"]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Text:
    file: Path = tmp_path_factory.mktemp("text") / "sea.txt"
    file.write_text("the sea was calm and the boat lay still; then a wind came up from the west. " * 20, "utf-8")
    return Text(str(file))


def test_a_model_that_knows_nothing_needs_the_logarithm_of_the_alphabet(text: Text):
    model = build(RoPE, width=16, task=text)
    torch.nn.init.zeros_(model.head.weight)
    for row in curve(model, text, Sequential(LENGTH), [LENGTH, 3 * LENGTH], 4):
        assert list(row) == KEYS
        assert row["bits_per_character"] == pytest.approx(log(len(text.alphabet)) / log(2), rel=1e-5)
        assert [row["loss"], row["entropy"]] == pytest.approx([log(len(text.alphabet))] * 2, rel=1e-5)


def test_both_modes_score_the_same_stretch(text: Text):
    rows = list(curve(build(RoPE, width=16, task=text), text, Sequential(LENGTH), [LENGTH, 3 * LENGTH], 4))
    assert [(row["size"], row["mode"]) for row in rows] == [
        (size, mode) for size in (LENGTH, 3 * LENGTH) for mode in ("blocked", "sliding")
    ]
    assert len({row["scored_tokens"] for row in rows}) == 1
    assert rows[1]["count"] > rows[0]["count"]  # windows that overlap are more windows
    assert rows[0]["bits_per_character"] == pytest.approx(rows[0]["loss"] / log(2))


def test_statuses(text: Text):
    sizes = [LENGTH, LENGTH + 1, LENGTH + 2]
    for method, ids, right in (
        (build(APE, width=16, task=text, rows=LENGTH + 1), Sequential(LENGTH), ["ok", "untrained rows"]),
        (build(RoPE, width=16, task=text), Randomized(LENGTH, limit=LENGTH + 1), ["ok", "ok"]),
    ):
        rows = list(curve(method, text, ids, sizes, 2))
        assert [row["status"] for row in rows[::2]] == [row["status"] for row in rows[1::2]]
        assert [row["status"] for row in rows[::2]] == [*right, "cannot represent"]
        assert all((row["loss"] is None) == (row["status"] == "cannot represent") for row in rows)
        assert all((row["bits_per_character"] is None) == (row["loss"] is None) for row in rows)


def test_figures_that_are_no_numbers_are_null(text: Text):
    model = build(RoPE, width=16, task=text)
    model.head.weight.data[0, 0] = float("nan")
    for row in curve(model, text, Sequential(LENGTH), [LENGTH], 2):
        assert list(row) == KEYS
        assert row["loss"] is row["entropy"] is row["bits_per_character"] is None


def test_the_number_of_rows_is_known_before_they_are_measured(text: Text):
    for task in (text, TASK):
        model, sizes = build(RoPE, width=16, task=task), [2, 3, 4]
        assert rows_of(task, sizes) == len(list(curve(model, task, Sequential(LENGTH), sizes, 2)))


def test_validation_of_a_text_has_no_exact_match(text: Text):
    found = validate(build(RoPE, width=16, task=text), text, Sequential(LENGTH), LENGTH)
    assert found.keys() == {"token_accuracy", "loss"}
