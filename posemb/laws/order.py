"""Without position, and without a causal mask, order is invisible. With a position method it is not."""

from itertools import permutations

import torch

from posemb.laws.law import Exempt, Finding, law_of_a_method
from posemb.laws.subject import TRAINED, Subject
from posemb.model.transformer import Transformer
from posemb.position.base import injection_points

DOG, BITES, MAN = range(3)
SENTENCE = (DOG, BITES, MAN)


@law_of_a_method
def order(subject: Subject, found: Finding) -> None:
    """Where all words see each other, "dog bites man" is another input than "bites dog man".

    To a method that is directed it is another than "man bites dog", too; without a method all are the same set.
    """
    if subject.method.causal_only:
        raise Exempt("defined for causal attention only")
    model = Subject(subject.method, subject.scheme, "prefix").model()
    blind = not injection_points(model.position)
    if not blind and not model.position.reads_ids:
        raise Exempt("it reads no ids")
    right = represent(model, *SENTENCE)
    for places in permutations(range(3)):
        words = represent(model, *(SENTENCE[place] for place in places))
        if blind:
            found.near(words, right[list(places)], 1e-10, "the order of words")
    rotated = same(right.mean(dim=0), represent(model, BITES, DOG, MAN).mean(dim=0))
    found.holds(rotated == blind, f"dog bites man and bites dog man {'come to the same' if rotated else 'differ'}")
    # Word by word the second sentence is the first one reversed, and distance is not direction.
    reversal = same(right.mean(dim=0), represent(model, MAN, BITES, DOG).mean(dim=0))
    says = f"`directed` is {model.position.directed}"
    what = f"{says}, and dog bites man and man bites dog {'come to the same' if reversal else 'differ'}"
    found.holds(reversal == (blind or not model.position.directed), what)


@torch.no_grad()
def represent(model: Transformer, *words: int) -> torch.Tensor:
    """(T, V): what the model makes of each word when all words see each other."""
    ids = TRAINED + torch.arange(len(words))[None]  # where a threshold near the start has no say any more
    return model(torch.tensor([words]), model.positions(ids, 0, len(words), prompt=len(words)))[0]


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two outputs are one, but for rounding."""
    return bool((one - other).abs().max() < 1e-10)
