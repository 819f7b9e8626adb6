"""The learning rate, by hand."""

import pytest

from posemb.train.recipe import Recipe
from posemb.train.schedule import learning_rate


def recipe(steps: int, warmup: int, floor: float = 0.1) -> Recipe:
    return Recipe(3, steps=steps, batch=4, lr=2.0, warmup=warmup, floor=floor, weight_decay=0, beta2=0.98, clip=1)


@pytest.mark.parametrize(
    ("step", "rate"),
    [
        (1, 0.5),
        (3, 1.5),
        (4, 2.0),
        (6, 2 * (0.1 + 0.9 * 0.75)),  # a third of the way down: (1 + cos 60°)/2
        (7, 2 * (0.1 + 0.9 * 0.5)),
        (10, 0.2),
    ],
)
def test_warm_up_and_half_a_cosine(step: int, rate: float):
    assert learning_rate(recipe(steps=10, warmup=4), step) == pytest.approx(rate)


def test_without_warm_up_it_falls_from_the_first_step():
    rates = [learning_rate(recipe(steps=4, warmup=0, floor=0), step) for step in range(1, 5)]
    assert rates == pytest.approx([2 * 0.8535534, 1.0, 2 * 0.1464466, 0], abs=1e-6)


def test_a_run_may_be_shorter_than_its_warm_up():
    assert [learning_rate(recipe(steps=2, warmup=4), step) for step in (1, 2)] == [0.5, 1.0]
    assert learning_rate(recipe(steps=4, warmup=4), 4) == 2.0
