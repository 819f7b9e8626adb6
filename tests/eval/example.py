"""A tiny copying model for what evaluation is held against."""

from functools import cache

from posemb.ids.sequential import Sequential
from posemb.model.backbone import Backbone
from posemb.model.transformer import Transformer
from posemb.position.base import PositionMethod, Shape
from posemb.position.rope import RoPE
from posemb.task.base import Task
from posemb.task.copy import Copy
from posemb.train.loop import make_optimizer, train
from posemb.train.recipe import Recipe

SIZE = 4
TASK = Copy()
TASK.alphabet = "abcd"  # few letters are soon learned
LENGTH = TASK.length(SIZE)
IDS = Sequential(LENGTH)


def build(
    cls: type[PositionMethod], attention: str = "causal", asked: int = 50, width: int = 32, task: Task = TASK, **params
) -> Transformer:
    shape = Shape(width=width, heads=2, layers=2, trained=LENGTH, id_limit=LENGTH, asked=asked)
    model = Transformer(task.vocabulary, Backbone(width, 2, 2, 2, attention), cls(shape, **params))
    model.initialise(0)
    return model.eval()


@cache
def trained(steps: int) -> Transformer:
    """A rotary copier after so many steps, in float64. Shared by tests: none may change it."""
    recipe = Recipe(SIZE, steps=250, batch=32, lr=5e-3, warmup=10, floor=0.05, weight_decay=0.01, beta2=0.98, clip=1.0)
    model = build(RoPE)
    for step in train(model, make_optimizer(model, recipe), TASK, IDS, recipe, seed=0, done=0):
        if step.step == steps:
            break
    return model.double().eval()
