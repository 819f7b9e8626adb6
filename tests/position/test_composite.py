"""Methods made of methods."""

from functools import partial

import pytest
import torch

from posemb.errors import UsageError
from posemb.position.alibi import ALiBi
from posemb.position.ape import APE
from posemb.position.base import PositionMethod, Reach, injection_points
from posemb.position.composite import Composite
from posemb.position.nope import NoPE
from posemb.position.rope import RoPE
from posemb.position.rpe import RPE
from posemb.position.t5 import T5
from posemb.seeds import stream
from tests.position.example import bias, row, shape

SHAPE = shape(layers=4)


class Bare(PositionMethod):
    """A method that only says what it is."""

    reads_ids = False
    causal_only = True

    def at_qk(self, q, k, at, tables, layer):
        return super().at_qk(q, k, at, tables, layer)


def heads(name: str) -> torch.Tensor:
    return torch.randn(1, 2, 4, 4, generator=stream(0, name))


def placed(method: PositionMethod, layer: int) -> list[torch.Tensor]:
    at = row(0, 1, 2, 3)
    return [*method.at_qk(heads("q"), heads("k"), at, method.prepare(at), layer)]


def equal(one: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    return all(map(torch.equal, one, other))


def test_one_part_is_the_part():
    one, plain = Composite(SHAPE, {"rope": RoPE}), RoPE(SHAPE)
    assert equal(placed(one, 3), placed(plain, 3))
    at = row(4, 2, 0)
    assert torch.equal(bias(Composite(SHAPE, {"alibi": ALiBi}), at), bias(ALiBi(SHAPE), at))
    assert bias(one, at) is None


def test_every_hook_is_the_parts_in_order():
    slow, at = partial(RoPE, base=2.0), row(0, 1, 2, 3)
    both = Composite(SHAPE, {"ape": APE, "rope": RoPE, "slow": slow, "alibi": ALiBi, "again": ALiBi})
    both.initialise(stream(0))
    q, k = placed(RoPE(SHAPE), 0)
    twice = slow(SHAPE).at_qk(q, k, at, slow(SHAPE).prepare(at), 0)
    assert equal(placed(both, 0), [*twice])
    assert torch.equal(bias(both, at), 2 * bias(ALiBi(SHAPE), at))
    x = torch.zeros(1, 4, 8)
    assert torch.equal(both.at_embedding(x, at, both.prepare(at)), both.made_of[0].at_embedding(x, at, None))
    assert injection_points(both) == ("at_embedding", "at_qk", "at_scores")


def test_a_part_acts_on_its_layers_alone():
    mixed = Composite(
        SHAPE, {"rope": RoPE, "alibi": ALiBi, "rpe": RPE}, {"rope": "even", "alibi": "odd", "rpe": [3, 1]}
    )
    at, raw = row(0, 1, 2, 3), [heads("q"), heads("k")]
    for layer in (0, 2):
        assert equal(placed(mixed, layer), placed(RoPE(SHAPE), layer))
        assert bias(mixed, at, layer) is None
    for layer in (1, 3):
        assert equal(placed(mixed, layer), raw)
        assert torch.equal(bias(mixed, at, layer), bias(ALiBi(SHAPE), at))  # rpe's tables are zero


def test_a_part_knows_only_its_own_layers():
    method = Composite(SHAPE, {"rpe": RPE}, {"rpe": [1, 3]})
    table = method.made_of[0].table
    assert len(table) == 2
    table.data[1] = 5.0
    found = [bias(method, row(0, 1), layer) for layer in range(4)]
    assert found[0] is found[2] is None
    assert (found[1] == 0).all() and (found[3] == 5.0 * 32 / 2).all()  # gain / √Dh


def test_parameters_are_kept_apart_and_drawn_from_one_stream():
    method = Composite(SHAPE, {"one": APE, "other": APE})
    method.initialise(stream(0))
    assert [name for name, _ in method.named_parameters()] == ["parts.one.table", "parts.other.table"]
    assert not torch.equal(*method.parameters())


def test_what_a_method_says_of_itself_follows_from_its_parts():
    plain, absolute = Composite(SHAPE, {"rope": RoPE, "none": NoPE}), Composite(SHAPE, {"rope": RoPE, "ape": APE})
    assert (plain.absolute, plain.reads_ids, plain.causal_only) == (False, True, False)
    assert (absolute.absolute, absolute.reads_ids, absolute.causal_only) == (True, True, False)
    bare = Composite(SHAPE, {"bare": Bare, "none": NoPE})
    assert (bare.reads_ids, bare.causal_only) == (False, True)
    inner = partial(Composite, parts={"bare": Bare})
    assert injection_points(Composite(SHAPE, {"inner": inner})) == ("at_qk",)
    assert injection_points(Composite(SHAPE, {"none": NoPE})) == ()


@pytest.mark.parametrize(
    ("highest", "reach"), [(9, Reach.OK), (11, Reach.UNTRAINED), (12, Reach.CANNOT), (60, Reach.CANNOT)]
)
def test_reach_is_that_of_the_part_that_reaches_least_far(highest: int, reach: Reach):
    method = Composite(SHAPE, {"rope": RoPE, "t5": T5, "ape": partial(APE, rows=12)})
    assert method.reach(row(0, highest)) is reach


@pytest.mark.parametrize(
    ("parts", "layers", "message"),
    [
        ({}, None, r"position\.parts is empty"),
        ({"rope": RoPE}, {"rop": "even"}, r"position\.layers\.rop: there is no such part\. Parts: rope\."),
        ({"rope": RoPE}, {"rope": [4]}, r"position\.layers\.rope=\[4\]: the model's layers are 0\.\.3"),
        ({"rope": RoPE}, {"rope": []}, r"position\.layers\.rope=\[\]: no layer"),
        ({"rope": RoPE, "ape": APE}, {"ape": "even"}, r"position\.layers\.ape: ape acts once"),
        ({"ape": partial(APE, rows=3)}, None, r"set position\.parts\.ape\.rows to 10"),
    ],
)
def test_what_does_not_fit(parts, layers, message: str):
    with pytest.raises(UsageError, match=message):
        Composite(SHAPE, parts, layers)


def test_a_part_for_odd_layers_needs_a_second_layer():
    with pytest.raises(UsageError, match=r"position\.layers\.rope=odd: no layer .*model\.layers=1"):
        Composite(shape(layers=1), {"rope": RoPE}, {"rope": "odd"})
