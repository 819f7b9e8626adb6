"""What the laws are held against: every position method in every variant, under every id scheme and both masks.

All of it is read from the config groups, so a new YAML file joins the laws with no edit here.
"""

import pytest

from posemb.laws.bench import methods
from posemb.laws.subject import Subject
from posemb.laws.subjects import Place, places, schemes
from posemb.run.compose import options

SCHEMES = schemes()
PLACES = [place for name in options("position") for method in methods(name) for place in places(name, method, SCHEMES)]
METHODS = [method for name in options("position") for method in methods(name)]


def built(place: Place) -> bool:
    """Whether there is such a model: a method may be defined for causal attention alone."""
    return place.subject.attention == "causal" or not place.subject.method.causal_only


def called(place: Place) -> str:
    return f"{place.subject.method.name}-{place.ids}-{place.subject.attention}"


over_methods = pytest.mark.parametrize(
    "subject", [Subject(method, SCHEMES["sequential"]) for method in METHODS], ids=[method.name for method in METHODS]
)
over_all = pytest.mark.parametrize(
    "subject", [place.subject for place in PLACES if built(place)], ids=map(called, filter(built, PLACES))
)
