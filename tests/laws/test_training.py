"""Training and evaluation, for every method: stopping and going on, decoding, lengths in any order."""

import io
from copy import deepcopy
from dataclasses import replace
from itertools import islice
from typing import ClassVar

import pytest
import torch

from posemb.eval.curve import measure
from posemb.eval.decode import decode
from posemb.eval.score import score
from posemb.ids.base import IdScheme
from posemb.laws.subject import Method
from posemb.model.backbone import Backbone
from posemb.model.transformer import Transformer
from posemb.run.shape import shape_of
from posemb.seeds import stream
from posemb.task.last import Last
from posemb.train.loop import Step, make_optimizer, train
from posemb.train.recipe import Recipe
from tests.conftest import options
from tests.laws.subjects import METHODS

SIZE, LAYERS = 3, 2
RECIPE = Recipe(SIZE, steps=20, batch=16, lr=1e-2, warmup=2, floor=0.1, weight_decay=0.01, beta2=0.98, clip=1.0)
SCHEMES = {option.name: option for option in options("ids")}
PLAIN = {option.name for option in options("position")}

# Few letters: a model that has learned hardly anything gets some rows right and others wrong.
TASK = Last()
TASK.alphabet = "abcdef"
# Every id scheme needs something to count. The task states no roles and no digits, so here each place is both.
TASK.roles = TASK.digits = lambda prompts, answers: torch.arange(prompts.shape[1] + answers.shape[1] + 3)[None]

over_methods = pytest.mark.parametrize("method", METHODS, ids=[method.name for method in METHODS])
# What else an option may be set to is trained under plain ids alone.
PAIRS = [(one, scheme) for one in METHODS for scheme in SCHEMES if one.name in PLAIN or scheme == "sequential"]
over_pairs = pytest.mark.parametrize(("method", "scheme"), PAIRS, ids=[f"{one.name}-{scheme}" for one, scheme in PAIRS])
over_masks = pytest.mark.parametrize("attention", ["causal", "prefix"])


def build(method: Method, scheme: str, attention: str = "causal") -> tuple[Transformer, IdScheme]:
    length = TASK.length(SIZE)
    ids = SCHEMES[scheme].build(length)
    backbone = Backbone(16, LAYERS, 2, 2, attention)
    rows = [TASK.sample(size, 1, stream(0, "build"), "train").layout for size in (1, SIZE)]
    shape = shape_of(backbone, ids, rows, max(ids.id_limit, 4 * length))
    model = Transformer(TASK.vocabulary, backbone, method.build(shape))
    model.initialise(0)
    return model, ids


class Trained:
    """A barely trained model, and the steps that made it. Shared by the laws: none may change it."""

    made: ClassVar[dict[tuple[str, str, str], "Trained"]] = {}

    def __init__(self, method: Method, scheme: str, attention: str) -> None:
        self.model, self.ids = build(method, scheme, attention)
        self.steps = list(train(self.model, make_optimizer(self.model, RECIPE), TASK, self.ids, RECIPE, 0, done=0))
        self.model.eval()

    @classmethod
    def of(cls, method: Method, scheme: str, attention: str = "causal") -> "Trained":
        key = (method.name, scheme, attention)
        if key not in cls.made:
            cls.made[key] = cls(method, scheme, attention)
        return cls.made[key]


@over_pairs
@over_masks
def test_greedy_cached_decoding_is_right_where_teacher_forcing_is(method: Method, scheme: str, attention: str):
    if attention == "prefix" and method.causal_only:
        pytest.skip("defined for causal attention only")
    subject = Trained.of(method, scheme, attention)
    model = deepcopy(subject.model).double()  # so that no tie is broken by rounding
    batch = TASK.sample(SIZE, 64, stream(0, "law"), "evaluation")
    row_ids = subject.ids.assign(batch.layout, False, stream(0, "law", "ids"))
    answers = decode(model, batch.tokens[:, : batch.layout.prompt], row_ids)
    greedy = (answers == batch.tokens[:, batch.layout.prompt :]).all(dim=1)
    forced = score(model, batch, row_ids).rows_right
    assert torch.equal(greedy, forced)
    assert 0 < forced.sum() < len(forced), "every row the same: the law saw nothing"


@over_pairs
def test_lengths_evaluated_in_another_order_give_the_same_rows(method: Method, scheme: str):
    subject, sizes = Trained.of(method, scheme), [1, 2, SIZE, 5, 9, 14]
    up = [measure(subject.model, TASK, subject.ids, size, 16) for size in sizes]
    down = [measure(subject.model, TASK, subject.ids, size, 16) for size in reversed(sizes)]
    assert up == down[::-1]


@over_pairs
def test_stopping_and_going_on_is_the_same_to_the_last_bit(method: Method, scheme: str):
    straight = Trained.of(method, scheme)
    model, ids = build(method, scheme)
    optimizer = make_optimizer(model, RECIPE)
    first = list(islice(train(model, optimizer, TASK, ids, RECIPE, 0, done=0), 10))
    saved = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, saved)
    saved.seek(0)

    state = torch.load(saved, weights_only=True)
    resumed, ids = build(method, scheme)
    resumed.load_state_dict(state["model"])
    optimizer = make_optimizer(resumed, RECIPE)
    optimizer.load_state_dict(state["optimizer"])
    rest = list(train(resumed, optimizer, TASK, ids, RECIPE, 0, done=10))

    def seen(step: Step) -> Step:
        return replace(step, compute=0.0)  # the clock is no part of it

    assert [*map(seen, first), *map(seen, rest)] == [*map(seen, straight.steps)]
    weights = resumed.state_dict()
    assert all(torch.equal(value, weights[name]) for name, value in straight.model.state_dict().items())


@over_methods
def test_training_moves_every_parameter(method: Method):
    before = dict(build(method, "sequential")[0].named_parameters())
    after = Trained.of(method, "sequential").model.named_parameters()
    assert all(not torch.equal(value, before[name]) for name, value in after)
