"""Nothing uses torch's global generator, and two methods start from the same backbone."""

import random
from functools import cache

import pytest
import torch

from posemb.run.build import Experiment, build
from posemb.run.compose import compose
from posemb.train.loop import make_optimizer, train
from tests.conftest import options

TINY = [
    *("task=addition", "model.width=16", "model.heads=2"),  # it has what every id scheme asks for
    *("train.size=3", "train.batch=4", "train.steps=2", "run.threads=1", "run.device=cpu"),
]
CHOICES = [f"{group}={option.name}" for group in ("position", "ids") for option in options(group)]


composed = cache(lambda override: compose([*TINY, override]))


def tiny(override: str) -> Experiment:
    return build(composed(override))


def backbone(experiment: Experiment) -> dict[str, torch.Tensor]:
    return {name: p for name, p in experiment.model.named_parameters() if not name.startswith("position.")}


def equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.fixture(scope="module")
def plain() -> dict[str, torch.Tensor]:
    return backbone(tiny("position=nope"))


@pytest.mark.parametrize("choice", CHOICES)
def test_the_same_seed_gives_the_same_backbone_under_every_choice(choice: str, plain: dict[str, torch.Tensor]):
    torch.manual_seed(5)  # the global generator has no say
    assert equal(backbone(tiny(choice)), plain)


def test_another_seed_gives_another_backbone(plain: dict[str, torch.Tensor]):
    assert equal(backbone(tiny("seed.data=1")), plain)
    other = backbone(tiny("seed.init=1"))
    drawn = [name for name in plain if "norm" not in name and "bias" not in name]
    assert drawn and not any(torch.equal(plain[name], other[name]) for name in drawn)


@pytest.mark.parametrize("choice", CHOICES)
def test_building_and_training_leave_the_global_generators_alone(choice: str):
    before = torch.get_rng_state(), random.getstate()
    it = tiny(choice)
    steps = list(train(it.model, make_optimizer(it.model, it.recipe), it.task, it.ids, it.recipe, it.seed.data, 0))
    assert len(steps) == 2
    assert torch.equal(torch.get_rng_state(), before[0])
    assert random.getstate() == before[1]


@pytest.mark.parametrize("choice", [choice for choice in CHOICES if choice.startswith("position")])
def test_a_methods_own_weights_depend_on_the_seed_alone(choice: str):
    one, again = tiny(choice).model.position.state_dict(), tiny(choice).model.position.state_dict()
    assert equal(one, again)
