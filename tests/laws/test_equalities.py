"""What must not be equal, so that the equalities say something."""

import pytest
import torch

from posemb.laws.subject import LENGTH, Method, Subject, run, tokens
from posemb.model.transformer import Transformer
from posemb.position.alibi import ALiBi
from posemb.position.ape import APE
from posemb.position.cope import CoPE
from posemb.position.kerple_power import KerplePower
from posemb.position.nope import NoPE
from posemb.position.rope import RoPE
from posemb.position.rpe import RPE
from posemb.position.shaw import Shaw
from posemb.position.t5 import T5
from tests.laws.subjects import SCHEMES

both_masks = pytest.mark.parametrize("attention", ["causal", "prefix"])


def same(one: Transformer, other: Transformer, ids: torch.Tensor) -> bool:
    return bool((run(one, tokens(), ids) - run(other, tokens(), ids)).abs().max() < 1e-12)


def model(cls, attention: str = "causal", **params) -> Transformer:
    return Subject(Method(cls.__name__, cls, params), SCHEMES["unordered"], attention).model(stirred=False)


@pytest.mark.parametrize("cls", [RPE, T5, Shaw, CoPE])
def test_a_table_starts_as_no_position_and_does_not_stay_so(cls):
    ids = Subject(Method("", cls, {}), SCHEMES["unordered"]).ids()
    found = model(cls)
    assert same(found, model(NoPE), ids)
    found.position.table.data += torch.linspace(-1, 1, found.position.table.numel()).view_as(found.position.table)
    assert not same(found, model(NoPE), ids)


@both_masks
def test_equal_ids_are_no_position_for_what_reads_differences(attention: str):
    ids = torch.full((1, LENGTH), 7)
    for cls in (ALiBi, RoPE):
        assert same(model(cls, attention), model(NoPE, attention), ids)


def test_methods_differ_where_no_equality_says_otherwise():
    ids = torch.arange(LENGTH)[None]
    for one, other in ((ALiBi, NoPE), (APE, NoPE), (KerplePower, ALiBi), (RoPE, ALiBi)):
        assert not same(model(one), model(other), ids)
    assert not same(model(RoPE, pairs="half"), model(RoPE, pairs="interleaved"), ids)  # the same weights, another model
