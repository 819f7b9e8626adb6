"""Without position, and without a causal mask, order is invisible. With a position method it is not."""

from itertools import permutations

import torch

from posemb.laws.law import Exempt, Finding, law_of_a_method
from posemb.laws.subject import HEADS, WIDTH, Subject
from posemb.model.transformer import Transformer
from posemb.position.base import Positions, injection_points

DOG, BITES, MAN = range(3)
SENTENCE = (DOG, BITES, MAN)


@law_of_a_method
def order(subject: Subject, found: Finding) -> None:
    """Where all words see each other, "dog bites man" is another input than "bites dog man".

    To what tells ahead from behind it is also another than "man bites dog"; without a method all are the same set.
    """
    if subject.method.causal_only:
        raise Exempt("defined for causal attention only")
    model = Subject(subject.method, subject.scheme, "prefix").model()
    blind = not injection_points(model.position)
    right = represent(model, *SENTENCE)
    for places in permutations(range(3)):
        words = represent(model, *(SENTENCE[place] for place in places))
        if blind:
            found.near(words, right[list(places)], 1e-10, "the order of words")
    rotated = same(right.mean(dim=0), represent(model, BITES, DOG, MAN).mean(dim=0))
    found.holds(rotated == blind, f"dog bites man and bites dog man {'come to the same' if rotated else 'differ'}")
    # Word by word the second sentence is the first one reversed, and distance is not direction.
    reversal = same(right.mean(dim=0), represent(model, MAN, BITES, DOG).mean(dim=0))
    expected = blind or sees_distance_but_no_direction(model)
    found.holds(reversal == expected, f"dog bites man and man bites dog {'come to the same' if reversal else 'differ'}")


@torch.no_grad()
def represent(model: Transformer, *words: int) -> torch.Tensor:
    """(T, V): what the model makes of each word when all words see each other."""
    ids = torch.arange(len(words))[None]
    return model(torch.tensor([words]), model.positions(ids, 0, len(words), prompt=len(words)))[0]


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two outputs are one, but for rounding."""
    return bool((one - other).abs().max() < 1e-10)


@torch.no_grad()
def sees_distance_but_no_direction(model: Transformer) -> bool:
    """Measured at the method: is it a bias alone, and the same for a distance ahead and behind?"""
    if injection_points(model.position) != ("at_scores",):
        return False
    ids = torch.arange(len(SENTENCE))[None]
    q = k = torch.ones(1, HEADS, len(SENTENCE), WIDTH // HEADS, dtype=torch.float64)

    def bias(row: torch.Tensor) -> torch.Tensor | None:
        at = Positions.span(row, 0, len(SENTENCE), causal=False, prefix=len(SENTENCE))
        return model.position.at_scores(q, k, at, model.position.prepare(at), 0)

    forwards, backwards = bias(ids), bias(ids.flip(1))
    return forwards is not None and backwards is not None and torch.equal(forwards, backwards)
