"""Claim M1: without position, and without a causal mask, order is invisible. With a position method it is not."""

from itertools import permutations

import pytest
import torch

from posemb.model.transformer import Transformer
from posemb.position.base import Positions, injection_points
from tests.laws.subjects import HEADS, SCHEMES, WIDTH, Subject, over_methods

DOG, BITES, MAN = range(3)
SENTENCE = (DOG, BITES, MAN)


def bidirectional(subject: Subject) -> Transformer:
    if subject.method.causal_only:
        pytest.skip("defined for causal attention only")
    return Subject(subject.method, SCHEMES["sequential"], "prefix").model()


@torch.no_grad()
def represent(model: Transformer, *words: int) -> torch.Tensor:
    """(T, V): what the model makes of each word when all words see each other."""
    ids = torch.arange(len(words))[None]
    return model(torch.tensor([words]), model.positions(ids, 0, len(words), prompt=len(words)))[0]


def pooled(model: Transformer, *words: int) -> torch.Tensor:
    return represent(model, *words).mean(dim=0)


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return bool((one - other).abs().max() < 1e-10)


@torch.no_grad()
def sees_distance_but_no_direction(model: Transformer) -> bool:
    """Measured at the method: is it a bias alone, and the same for a distance ahead and behind?"""
    if injection_points(model.position) != ("at_scores",):
        return False
    ids = torch.arange(len(SENTENCE))[None]
    q = k = torch.ones(1, HEADS, len(SENTENCE), WIDTH // HEADS, dtype=torch.float64)

    def bias(row: torch.Tensor) -> torch.Tensor:
        at = Positions.span(row, 0, len(SENTENCE), causal=False, prefix=len(SENTENCE))
        return model.position.at_scores(q, k, at, model.position.prepare(at), 0)

    return torch.equal(bias(ids), bias(ids.flip(1)))


@over_methods
def test_a_model_without_position_is_permutation_equivariant(subject: Subject):
    model = bidirectional(subject)
    right = represent(model, *SENTENCE)
    for order in permutations(range(3)):
        equivariant = same(represent(model, *(SENTENCE[place] for place in order)), right[list(order)])
        assert equivariant or injection_points(model.position)


@over_methods
def test_dog_bites_man_is_not_man_bites_dog(subject: Subject):
    model = bidirectional(subject)
    blind = same(pooled(model, DOG, BITES, MAN), pooled(model, MAN, BITES, DOG))
    # Word by word the second sentence is the first one reversed, and distance is not direction.
    assert blind == (not injection_points(model.position) or sees_distance_but_no_direction(model))


@over_methods
def test_every_method_sees_an_order_that_is_no_reversal(subject: Subject):
    model = bidirectional(subject)
    blind = same(pooled(model, DOG, BITES, MAN), pooled(model, BITES, DOG, MAN))
    assert blind == (not injection_points(model.position))


@over_methods
def test_with_a_causal_mask_and_two_layers_even_no_method_sees_order(subject: Subject):
    model = subject.model()
    assert not same(pooled(model, DOG, BITES, MAN), pooled(model, MAN, BITES, DOG))


@over_methods
def test_the_last_token_of_one_causal_layer_sees_order_only_through_a_method(subject: Subject):
    """It attends to a bag of tokens. In a second layer it attends to what each made of the tokens before it."""
    for layers in (1, 2):
        model = subject.model(layers=layers)
        last = [represent(model, *order, 5)[-1] for order in permutations((2, 3, 4))]
        blind = all(same(last[0], other) for other in last[1:])
        assert blind == (layers == 1 and not injection_points(model.position))
