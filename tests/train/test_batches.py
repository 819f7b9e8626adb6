"""Which rows a step sees."""

from collections import Counter

import torch

from posemb.ids.randomized import Randomized
from posemb.task.copy import Copy
from posemb.train.batches import training_batch

TASK, IDS = Copy(), Randomized(Copy().length(4))


def batch(seed: int, step: int):
    return training_batch(TASK, IDS, 4, 16, seed, step)


def test_a_batch_is_a_function_of_the_seed_and_the_step():
    """Asked for in any order, with the global generator in any state."""
    first = [batch(0, step) for step in (1, 2, 3)]
    torch.rand(3)
    for step, (rows, ids) in reversed(list(enumerate(first, 1))):
        again, again_ids = batch(0, step)
        assert torch.equal(rows.tokens, again.tokens) and torch.equal(ids, again_ids)


def test_another_seed_or_step_is_another_batch():
    seen = [batch(seed, step) for seed in (0, 1) for step in range(1, 30)]
    rows = {(rows.tokens.shape, tuple(rows.tokens.flatten().tolist())) for rows, _ in seen}
    ids = {tuple(ids.flatten().tolist()) for _, ids in seen}
    assert len(rows) == len(ids) == len(seen)


def test_all_rows_have_one_size_and_every_size_is_drawn_alike():
    lengths = Counter()
    for step in range(400):
        rows, ids = batch(0, step)
        assert rows.tokens.shape == ids.shape == (16, rows.layout.length)
        lengths[rows.layout.length] += 1
    assert sorted(lengths) == [TASK.length(size) for size in (1, 2, 3, 4)]
    assert all(abs(count - 100) < 45 for count in lengths.values())  # five standard deviations
