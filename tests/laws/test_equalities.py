"""Methods that must be another one at some value of their parameters, on the same backbone weights."""

from itertools import product

import pytest
import torch

from posemb.ids.randomized import Randomized
from posemb.model.transformer import Transformer
from posemb.position import alibi
from posemb.position.alibi import ALiBi
from posemb.position.ape import APE
from posemb.position.cope import CoPE
from posemb.position.fire import FIRE
from posemb.position.kerple_power import KerplePower
from posemb.position.nope import NoPE
from posemb.position.rope import RoPE
from posemb.position.rpe import RPE
from posemb.position.shaw import Shaw
from posemb.position.t5 import T5
from posemb.position.transformer_xl import TransformerXL
from tests.laws.subjects import LENGTH, SCHEMES, TRAINED, Method, Subject, over_all, over_methods, run, tokens

both_masks = pytest.mark.parametrize("attention", ["causal", "prefix"])


def same(one: Transformer, other: Transformer, ids: torch.Tensor) -> bool:
    return bool((run(one, tokens(), ids) - run(other, tokens(), ids)).abs().max() < 1e-12)


def model(cls, attention: str, scheme: str = "unordered", **params) -> Transformer:
    return Subject(Method(cls.__name__, cls, params), SCHEMES[scheme], attention).model(stirred=False)


@pytest.mark.parametrize(("cls", "attention"), [*product([RPE, T5, APE, Shaw], ["causal", "prefix"]), (CoPE, "causal")])
def test_a_zero_table_is_no_position(cls, attention: str):
    ids = Subject(Method("", cls, {}), SCHEMES["unordered"]).ids()
    found, right = model(cls, attention), model(NoPE, attention)
    found.position.table.data.zero_()
    assert same(found, right, ids)
    found.position.table.data += torch.linspace(-1, 1, found.position.table.numel()).view_as(found.position.table)
    assert not same(found, right, ids)


@both_masks
@pytest.mark.parametrize(("cls", "names"), [(TransformerXL, ["u", "v", "project"]), (FIRE, ["outer"])])
def test_zero_weights_are_no_position(cls, names: list[str], attention: str):
    ids = Subject(Method("", cls, {}), SCHEMES["unordered"]).ids()
    found, right = model(cls, attention), model(NoPE, attention)
    assert not same(found, right, ids)
    for name in names:
        getattr(found.position, name).data.zero_()
    assert same(found, right, ids)


@both_masks
def test_kerple_with_a_power_of_one_is_alibi(attention: str):
    ids = Subject(Method("", ALiBi, {}), SCHEMES["unordered"]).ids()
    found, right = model(KerplePower, attention), model(ALiBi, attention)
    assert not same(found, right, ids)
    method = found.position
    method.power.data.zero_()  # 2σ(0) = 1
    method.height.data = torch.tensor(alibi.slopes(method.shape.heads), dtype=torch.float64).expm1().log()
    assert same(found, right, ids)


@both_masks
def test_zero_slopes_are_no_position(attention: str, monkeypatch: pytest.MonkeyPatch):
    ids = torch.arange(LENGTH)[None]
    assert not same(model(ALiBi, attention), model(NoPE, attention), ids)
    monkeypatch.setattr(alibi, "slopes", lambda heads: [0.0] * heads)
    assert same(model(ALiBi, attention), model(NoPE, attention), ids)


@both_masks
def test_equal_ids_are_no_position_for_what_reads_differences(attention: str):
    ids = torch.full((1, LENGTH), 7)
    for cls in (ALiBi, RoPE):
        assert same(model(cls, attention), model(NoPE, attention), ids)


def test_both_layouts_of_rope_are_one_up_to_a_permutation_of_dimensions():
    half, interleaved = (model(RoPE, "causal", pairs=pairs) for pairs in ("half", "interleaved"))
    ids = torch.arange(LENGTH)[None]
    assert not same(half, interleaved, ids)  # the same weights mean another model
    width = half.position.shape.head_width
    order = torch.arange(width).view(2, -1).T.flatten()  # 0, 4, 1, 5, ...: partners side by side
    for block in interleaved.blocks:
        qkv = block.qkv.weight.data.unflatten(0, (3, -1, width))
        qkv[:2] = qkv[:2, :, order].clone()  # queries and keys, not values
    assert same(half, interleaved, ids)


@over_methods
def test_randomized_ids_with_no_room_are_sequential(subject: Subject):
    tight, plain = Subject(subject.method, Randomized(TRAINED, limit=TRAINED)), subject
    assert torch.equal(tight.ids(TRAINED), plain.ids(TRAINED).expand(3, -1))
    rows = tokens(TRAINED)
    gap = run(tight.model(), rows, tight.ids(TRAINED)) - run(plain.model(), rows, plain.ids(TRAINED))
    assert gap.abs().max() < 1e-12


@over_all
def test_one_id_row_for_all_equals_the_same_ids_row_by_row(subject: Subject):
    found, ids = subject.model(), subject.ids()[:1]
    gap = run(found, tokens(), ids) - run(found, tokens(), ids.expand(3, -1))
    assert gap.abs().max() < 1e-12
