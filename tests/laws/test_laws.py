"""Every law, held against every subject: the same code as `posemb check`."""

import inspect
from importlib import import_module
from pkgutil import iter_modules

import pytest

import posemb.position
from posemb.errors import UsageError
from posemb.laws.bench import LAWS, judge
from posemb.laws.examples import files_of
from posemb.laws.law import Law
from posemb.laws.subject import Method
from posemb.laws.subjects import Place
from posemb.position.base import PositionMethod, Shape
from tests.laws.subjects import PLACES, built, called

# Why a law may have nothing to say. A new reason is thought about here first.
REASONS = {
    "defined for causal attention only",
    "its file works no value out",
    "no equality is known",
}
ASKED = [(law, place) for place in filter(built, PLACES) for law in LAWS if law.asks(place)]


@pytest.mark.parametrize(("law", "place"), ASKED, ids=[f"{law.name}-{called(place)}" for law, place in ASKED])
def test_a_law_holds(law: Law, place: Place):
    record = judge(law, place)
    assert record.state != "fail", record.reason
    assert record.state == "pass" or record.reason in REASONS


def test_every_method_has_worked_values_and_none_is_left_out():
    law = next(law for law in LAWS if law.name == "examples")
    plain = [place for place in PLACES if law.asks(place)]
    assert {place.option for place in plain if judge(law, place).state == "exempt"} == {"nope"}
    ran = {module for place in plain for module in files_of(import_module(place.subject.method.cls.__module__))}
    folder = [import_module(one.name) for one in iter_modules(posemb.position.__path__, "posemb.position.")]
    assert {one for one in folder if ">>> " in inspect.getsource(one)} <= ran


class Wide(PositionMethod):
    """No position, for heads of 16 dimensions or a multiple."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        if shape.head_width % 16:
            raise UsageError("heads of 16 dimensions, or of a multiple")


def test_a_method_that_refuses_the_laws_first_size_is_checked_at_another():
    assert Method("wide", Wide, {}).fit() == (128, 4)
