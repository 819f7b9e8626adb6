"""Every law, held against every subject: the same code as `posemb check`."""

import pytest

from posemb.laws.bench import LAWS, judge
from posemb.laws.law import Law
from posemb.laws.subjects import Place
from tests.laws.subjects import PLACES, built, called

# Why a law may have nothing to say. A new reason is thought about here first.
REASONS = {
    "defined for causal attention only",
    "its file works no value out",
    "no equality with another method is known",
}
ASKED = [(law, place) for place in filter(built, PLACES) for law in LAWS if law.asks(place)]


@pytest.mark.parametrize(("law", "place"), ASKED, ids=[f"{law.name}-{called(place)}" for law, place in ASKED])
def test_a_law_holds(law: Law, place: Place):
    record = judge(law, place)
    assert record.state != "fail", record.reason
    assert record.state == "pass" or record.reason in REASONS


def test_every_method_but_those_made_of_others_has_worked_values():
    laws = {law.name: law for law in LAWS}
    plain = [place for place in PLACES if laws["examples"].asks(place) and not place.subject.method.params.get("parts")]
    without = {place.option for place in plain if judge(laws["examples"], place).state == "exempt"}
    assert without == {"nope"}
