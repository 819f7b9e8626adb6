"""The training loop: what is decayed, what a step reports, how it fails."""

from dataclasses import replace
from itertools import islice

import pytest
import torch

from posemb.errors import Diverged
from posemb.ids.sequential import Sequential
from posemb.model.backbone import Backbone
from posemb.model.transformer import Transformer
from posemb.position.ape import APE
from posemb.position.base import Shape
from posemb.task.last import Last
from posemb.train.batches import training_batch
from posemb.train.loop import make_optimizer, predict, train
from posemb.train.recipe import Recipe

TASK = Last()
IDS = Sequential(TASK.length(3))
RECIPE = Recipe(3, steps=6, batch=8, lr=1e-2, warmup=2, floor=0.1, weight_decay=0.01, beta2=0.98, clip=1.0)


def build() -> Transformer:
    length = IDS.trained
    shape = Shape(width=16, heads=2, layers=1, trained=length, id_limit=length, asked=length)
    model = Transformer(TASK.vocabulary, Backbone(16, 1, 2, 2, "causal"), APE(shape))
    model.initialise(0)
    return model


def weights(model: Transformer) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in model.state_dict().items()}


def unchanged(model: Transformer, before: dict[str, torch.Tensor]) -> bool:
    now = model.state_dict()
    return all(torch.equal(now[name].nan_to_num(7), value.nan_to_num(7)) for name, value in before.items())


def run(model: Transformer, recipe: Recipe = RECIPE):
    return train(model, make_optimizer(model, recipe), TASK, IDS, recipe, seed=0, done=0)


def test_only_the_backbones_matrices_decay():
    model = build()
    names = {parameter: name for name, parameter in model.named_parameters()}
    decayed, spared = (
        ({names[parameter] for parameter in group["params"]}, group["weight_decay"])
        for group in make_optimizer(model, RECIPE).param_groups
    )
    assert decayed[1] == 0.01 and spared[1] == 0
    assert decayed[0] | spared[0] == set(names.values()) and not decayed[0] & spared[0]
    assert "position.table" in spared[0]  # though it is a matrix
    assert {"embedding.weight", "head.weight", "blocks.0.qkv.weight", "blocks.0.down.weight"} <= decayed[0]
    assert all(name in spared[0] for name in names.values() if "norm" in name or "bias" in name)


def test_what_a_step_reports():
    model = build()
    steps = list(run(model))
    assert [step.step for step in steps] == [1, 2, 3, 4, 5, 6]
    assert [step.lr for step in steps[:2]] == [0.005, 0.01] and steps[-1].lr == pytest.approx(0.001)
    batch, ids = training_batch(TASK, IDS, 3, 8, 0, step=1)
    fresh = build()
    logits, targets = predict(fresh, batch, ids, torch.device("cpu"))
    assert steps[0].tokens == batch.tokens.numel()
    assert steps[0].loss == pytest.approx((-logits.log_softmax(-1).gather(1, targets[:, None])).mean().item())
    assert steps[0].accuracy == pytest.approx((logits.argmax(-1) == targets).double().mean().item())
    assert all(step.compute > 0 for step in steps)


def test_the_loss_is_on_the_answer_and_the_end_mark_only():
    batch, ids = training_batch(TASK, IDS, 3, 8, 0, step=1)
    logits, targets = predict(build(), batch, ids, torch.device("cpu"))
    answers = batch.tokens[:, -2:]  # the letter and the end mark
    assert torch.equal(targets, answers.flatten())
    assert logits.shape == (16, TASK.vocabulary)


def test_the_caller_may_stop_at_any_step():
    model = build()
    steps = list(islice(run(model), 2))
    after = weights(model)
    assert len(steps) == 2 and unchanged(model, after)
    other = build()
    assert [step.loss for step in islice(run(other), 2)] == [step.loss for step in steps]
    assert unchanged(other, after)


def test_gradients_are_clipped():
    """With a tiny bound and no adaptive scale left in it, a step would not move; with Adam the norm is what shows."""
    model = build()
    next(run(model, replace(RECIPE, clip=1e-3)))
    norm = torch.stack([parameter.grad.norm() for parameter in model.parameters()]).norm().item()
    assert norm == pytest.approx(1e-3, rel=1e-3)


@pytest.mark.parametrize("poison", [float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["blocks.0.up.weight", "position.table"])
def test_a_loss_that_is_no_number_stops_before_the_weights_move(name: str, poison: float):
    model = build()
    dict(model.named_parameters())[name].data[0, 0] = poison
    before = weights(model)
    with pytest.raises(Diverged, match=r"loss became nan at step 1 .*train\.lr"):
        list(run(model))
    assert unchanged(model, before)


def test_a_learning_rate_beyond_all_reason_diverges_with_the_last_weights_that_were_numbers():
    model = build()
    recipe = replace(RECIPE, lr=1e30, warmup=0)
    training, last = run(model, recipe), weights(model)
    with pytest.raises(Diverged):
        for _ in training:
            last = weights(model)
    assert unchanged(model, last)
    assert all(torch.isfinite(value).all() for value in last.values())


def test_an_infinite_gradient_under_a_finite_loss_diverges_too():
    model = build()
    model.norm.weight.register_hook(lambda gradient: gradient * float("inf"))
    before = weights(model)
    with pytest.raises(Diverged, match=r"gradient norm became (inf|nan) \(loss \d\.\d+\) at step 1 "):
        list(run(model))
    assert unchanged(model, before)
