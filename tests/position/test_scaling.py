"""Scalings of the rotary ladder, by hand, and what they do to every method that takes one."""

from itertools import pairwise
from math import tau
from typing import get_args, get_type_hints

import pytest
import torch

from posemb.errors import UsageError
from posemb.ids.abacus import Abacus
from posemb.ids.base import IdScheme
from posemb.ids.coupled import Coupled
from posemb.laws.subject import TRAINED, Method, Subject, run, tokens
from posemb.model.attention import Cache
from posemb.model.transformer import Transformer
from posemb.position.angle import frequencies
from posemb.position.nope import NoPE
from posemb.position.p_rope import PRoPE
from posemb.position.rope import RoPE
from posemb.position.rope_partial import PartialRoPE
from posemb.position.scaling import SCALINGS, Scaling, by_parts, llama3, none, ntk, pi, yarn
from posemb.seeds import stream
from tests.conftest import options
from tests.laws.subjects import SCHEMES
from tests.position.example import row, shape

CPU = torch.device("cpu")
NAMES = get_args(Scaling)
LONG = 30  # tokens, 2.5 times the trained length of the laws
SCALED = [option.target for option in options("position") if "scaling" in option.params]

over_methods = pytest.mark.parametrize("cls", SCALED)
over_scalings = pytest.mark.parametrize("name", NAMES)
both_layouts = pytest.mark.parametrize("pairs", ["half", "interleaved"])


def ladder(dims: int, base: float = 10000.0) -> torch.Tensor:
    return frequencies(base, dims, CPU)


def model(cls, scheme: str = "sequential", **params) -> Transformer:
    return Subject(Method(cls.__name__, cls, params), SCHEMES[scheme]).model()


def apart(one: Transformer, other: Transformer, length: int = LONG) -> float:
    ids = torch.arange(length)[None]
    return (run(one, tokens(length), ids) - run(other, tokens(length), ids)).abs().max().item()


def test_the_choices_are_the_functions():
    assert tuple(SCALINGS) == NAMES
    assert set(SCALED) == {RoPE, PRoPE, PartialRoPE}
    assert all(get_type_hints(cls.__init__)["scaling"] == Scaling for cls in SCALED)


def test_interpolation_divides_all_frequencies():
    theta = torch.tensor([1, 0.5, 0.01], dtype=torch.float64)
    assert pi(theta, 10, 40).theta.tolist() == [0.25, 0.125, 0.0025]


@pytest.mark.parametrize(("dims", "base"), [(64, 41829.37), (16, 48760.55)])
def test_ntk_is_another_base(dims: int, base: float):
    theta = ntk(ladder(dims), 100, 400).theta
    assert (theta[1] ** (-dims / 2)).item() == pytest.approx(base, abs=0.005)
    torch.testing.assert_close(theta, ladder(dims, base), rtol=1e-6, atol=0)


@pytest.mark.parametrize("dims", [4, 16, 64])
def test_ntk_keeps_the_fastest_pair_and_slows_the_slowest_exactly(dims: int):
    theta = ntk(ladder(dims), 12, 36).theta
    assert theta[0] == 1
    assert theta[-1] == ladder(dims)[-1] / 3
    assert (theta[1:] < ladder(dims)[1:]).all()


@over_methods
@pytest.mark.parametrize("name", ["ntk", "dynamic_ntk"])
def test_ntk_of_a_single_pair_is_a_usage_error(cls, name: str):
    with pytest.raises(UsageError, match=rf"position\.scaling={name} .* Dr = 2 dimensions"):
        cls(shape(width=4 if cls is not PartialRoPE else 8, heads=2), scaling=name)


def test_by_parts_ramps_linearly_in_turns():
    turns = torch.tensor([64, 32, 16, 1, 0.5], dtype=torch.float64)
    theta = turns / 64  # trained on 64 full turns of the fastest pair
    found = by_parts(theta, 64 * tau, 4 * 64 * tau)
    kept = torch.tensor([1, 1, 15 / 31, 0, 0], dtype=torch.float64)
    torch.testing.assert_close(found.theta, theta * (kept + (1 - kept) / 4), rtol=1e-12, atol=0)
    assert found.temperature == 1


def test_the_ramp_begins_and_ends_where_the_released_code_has_it():
    """Dr = 128, L = 2048: pairs up to 16 are kept, pairs from 41 on are slowed."""
    share = by_parts(ladder(128), 2048, 8192).theta / ladder(128)
    assert share[:17].tolist() == pytest.approx([1] * 17)
    assert ((share[17:41] > 0.25 + 1e-3) & (share[17:41] < 1 - 1e-3))[:-1].all()
    assert share[41:].tolist() == pytest.approx([0.25] * 23)


def test_at_a_few_tokens_the_fastest_pair_is_still_kept():
    for trained in (7, 24, 43, 201):
        share = by_parts(ladder(16), trained, 4 * trained).theta / ladder(16)
        assert share[0].item() == pytest.approx(1, abs=1e-12)
        assert share[-1].item() == pytest.approx(0.25)
    # 43 tokens: 6.84 turns, then 2.16 of them, on a ramp from 1 to 6.84.
    share = by_parts(ladder(16), 43, 4 * 43).theta / ladder(16)
    kept = (6.8437 / 10**0.5 - 1) / 5.8437
    assert share[1].item() == pytest.approx(kept + (1 - kept) / 4, abs=1e-4)


def test_up_to_25_tokens_llama3_is_by_parts():
    for trained, alike in ((7, True), (25, True), (26, False), (2048, False)):
        pair = [function(ladder(16), trained, 4 * trained).theta for function in (llama3, by_parts)]
        assert torch.equal(*pair) == alike


@pytest.mark.parametrize("function", [by_parts, yarn, llama3])
def test_where_no_pair_turns_once_all_are_slowed(function):
    torch.testing.assert_close(function(ladder(16), 6, 24).theta, ladder(16) / 4, rtol=1e-15, atol=0)


def test_llama3_blends_by_wavelength():
    theta = tau / torch.tensor([100, 2048, 4096, 8192, 20000], dtype=torch.float64)
    share = llama3(theta, 8192, 8 * 8192).theta / theta
    assert share.tolist() == pytest.approx([1, 1, 0.416667, 1 / 8, 1 / 8], abs=5e-7)


@pytest.mark.parametrize(("factor", "temperature"), [(0.5, 1), (1, 1), (2, 1.069315), (8, 1.207944)])
def test_yarns_temperature(factor: float, temperature: float):
    found = yarn(ladder(16), 100, 100 * factor)
    assert found.temperature == pytest.approx(temperature, abs=5e-7)
    assert torch.equal(found.theta, by_parts(ladder(16), 100, 100 * factor).theta)


@pytest.mark.parametrize("function", [none, pi, ntk, by_parts, llama3])
def test_no_other_has_a_temperature(function):
    assert function(ladder(16), 10, 40).temperature == 1


@over_scalings
def test_a_target_within_the_trained_length_changes_nothing(name: str):
    for target in (1, 99, 100):
        theta, temperature = SCALINGS[name](ladder(16), 100, target)
        torch.testing.assert_close(theta, ladder(16), rtol=1e-15, atol=0)
        assert temperature == 1


@over_scalings
def test_a_longer_target_slows_and_never_stops_or_reorders(name: str):
    for trained in (5, 24, 43, 2048):
        theta = SCALINGS[name](ladder(16), trained, 4 * trained).theta
        assert theta.dtype == torch.float64
        assert (theta <= ladder(16)).all() and (theta >= ladder(16) / 4).all() and (theta.diff() < 0).all()
        assert torch.equal(theta, ladder(16)) == (name == "none")


@over_methods
@over_scalings
def test_with_factor_one_every_scaling_is_the_method_without(cls, name: str):
    if name != "dynamic_ntk":
        assert apart(model(cls, scaling=name, factor=1.0), model(cls)) < 1e-12


@over_methods
def test_dynamic_ntk_up_to_the_trained_length_is_the_method_without(cls):
    for length in (1, TRAINED - 1, TRAINED):
        assert apart(model(cls, scaling="dynamic_ntk"), model(cls), length) == 0
    assert apart(model(cls, scaling="dynamic_ntk"), model(cls), TRAINED + 1) > 1e-4


@over_methods
def test_dynamic_ntk_past_it_is_ntk_at_the_rows_final_length(cls):
    dynamic, fixed = model(cls, scaling="dynamic_ntk"), model(cls, scaling="ntk", factor=LONG / TRAINED)
    assert apart(dynamic, fixed) < 1e-12


SPREADING = {name: scheme for name, scheme in SCHEMES.items() if scheme.spreads} | {
    "abacus without offset": Abacus(3, offset=0),
    "as many ids as tokens": Coupled(6, offset=TRAINED - 7),
}


@over_methods
@pytest.mark.parametrize("scheme", SPREADING.values(), ids=SPREADING.keys())
def test_dynamic_ntk_with_ids_that_spread_is_the_method_without(cls, scheme: IdScheme):
    """However many tokens a row has and however few ids there are: training itself may have more of the former."""
    subjects = [Subject(Method("", cls, {"scaling": name}), scheme) for name in ("dynamic_ntk", "none")]
    for length in (TRAINED, LONG):
        rows = torch.arange(length)[None] % scheme.id_limit
        found, right = (run(subject.model(), tokens(length), rows) for subject in subjects)
        assert torch.equal(found, right)


@over_methods
@over_scalings
@torch.no_grad()
def test_cached_decoding_past_the_trained_length_equals_the_full_pass(cls, name: str):
    """The ladder belongs to the row, not to how much of it is there."""
    subject, ids, rows = model(cls, scaling=name), torch.arange(LONG)[None], tokens(LONG)
    full = run(subject, rows, ids)
    for size in (1, 7):
        cache = Cache()
        parts = [
            subject(rows[:, start:stop], subject.positions(ids, start, stop, 0), cache)
            for start, stop in pairwise([*range(0, LONG, size), LONG])
        ]
        torch.testing.assert_close(torch.cat(parts, dim=1), full, rtol=0, atol=1e-10)
    torch.testing.assert_close(run(subject, rows, ids, stop=5), full[:, :5], rtol=0, atol=1e-10)


@over_methods
@both_layouts
def test_the_temperature_is_on_query_and_key_once_each_and_on_every_dimension(cls, pairs: str):
    q, k = (torch.randn(1, 2, 5, 8, generator=stream(0, name), dtype=torch.float64) for name in ("q", "k"))
    at, here = row(0, 3, 4, 8, 9), shape(width=16)
    scores = {}
    for name in ("ntk_by_parts", "yarn"):
        method = cls(here, pairs=pairs, scaling=name, factor=8.0)
        placed = method.at_qk(q, k, at, method.prepare(at), 0)
        scores[name] = placed.q @ placed.k.transpose(-1, -2)
        assert method.at_scores(q, k, at, method.prepare(at), 0) is None
    torch.testing.assert_close(scores["yarn"], scores["ntk_by_parts"] * 1.2079442**2, rtol=1e-6, atol=0)


@over_methods
def test_a_factor_without_a_scaling_is_not_read(cls):
    assert apart(model(cls, factor=7.0), model(cls)) == 0


def test_a_model_with_a_scaling_is_not_one_without_position():
    for name in NAMES:
        assert apart(model(RoPE, scaling=name), model(NoPE)) > 1e-4
