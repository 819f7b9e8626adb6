"""The look at the validation stream."""

import pytest
import torch

from posemb.eval.validation import ROWS, validate
from posemb.seeds import stream
from tests.eval.example import IDS, SIZE, TASK, trained


def test_figures_are_those_of_decoding_the_validation_rows():
    found = validate(trained(100), TASK, IDS, SIZE)
    assert found.keys() == {"exact_match", "token_accuracy", "loss"}
    assert (found["exact_match"] * ROWS).is_integer()
    assert found["exact_match"] <= found["token_accuracy"]
    assert found == validate(trained(100), TASK, IDS, SIZE)


def test_the_rows_come_from_the_validation_split(monkeypatch: pytest.MonkeyPatch):
    asked = []

    def watched(size, count, rng, split):
        asked.append((size, count, split, rng.initial_seed()))
        return sample(size, count, rng, split)

    sample = TASK.sample
    monkeypatch.setattr(TASK, "sample", watched)
    validate(trained(100), TASK, IDS, SIZE)
    [(size, count, split, seed)] = asked
    assert (size, count, split) == (SIZE, ROWS, "validation")
    assert seed != stream(0, "evaluation", SIZE).initial_seed()
    assert torch.is_grad_enabled()
