"""The rotary family, held against transformers and x-transformers (`pip install '.[judges]'`).

Where posemb differs on purpose, a test says where, by how much, and why.
"""

from math import sqrt
from typing import Any

import pytest
import torch

from posemb.position.angle import frequencies
from posemb.position.base import PositionMethod, Positions, Shape
from posemb.position.p_rope import PRoPE
from posemb.position.rope import RoPE
from posemb.position.rope_partial import PartialRoPE
from posemb.position.scaling import SCALINGS, Scaling, by_parts
from posemb.position.xpos import XPos
from posemb.seeds import stream

utils = pytest.importorskip("transformers.modeling_rope_utils")

CPU, BASE = torch.device("cpu"), 10000.0
FLOAT32 = {"rtol": 3e-6, "atol": 0}  # the judges compute in float32
over_widths = pytest.mark.parametrize("dims", [16, 64, 128])
over_lengths = pytest.mark.parametrize("trained", [43, 2048, 8192])
over_factors = pytest.mark.parametrize("factor", [1.0, 2.0, 8.0])


def judge(kind: str, dims: int, trained: int, length: int | None = None, **keys: Any) -> tuple[torch.Tensor, float]:
    """Inverse frequencies and attention factor as transformers computes them."""
    from transformers import LlamaConfig

    parameters = {"rope_type": kind, "rope_theta": BASE, "original_max_position_embeddings": trained, **keys}
    config = LlamaConfig(
        hidden_size=2 * dims, num_attention_heads=2, max_position_embeddings=trained, rope_parameters=parameters
    )
    theta, temperature = utils.ROPE_INIT_FUNCTIONS[kind](config, CPU, seq_len=length)
    return theta.double(), temperature


def ours(name: Scaling, dims: int, trained: int, target: float) -> tuple[torch.Tensor, float]:
    return SCALINGS[name](frequencies(BASE, dims, CPU), trained, target)


def same(one: tuple[torch.Tensor, float], other: tuple[torch.Tensor, float]) -> None:
    torch.testing.assert_close(one[0], other[0], **FLOAT32)
    assert one[1] == pytest.approx(other[1], rel=1e-12)


@over_widths
@over_factors
def test_linear_is_pi(dims: int, factor: float):
    same(ours("pi", dims, 100, 100 * factor), judge("linear", dims, 100, factor=factor))


@over_widths
@over_lengths
@pytest.mark.parametrize("times", [0.5, 1, 1.5, 5])
def test_dynamic_with_factor_one_is_dynamic_ntk(dims: int, trained: int, times: float):
    length = int(trained * times)
    same(ours("dynamic_ntk", dims, trained, length), judge("dynamic", dims, trained, length, factor=1.0))


def test_a_factor_in_dynamic_stretches_further_than_the_row_is_long():
    """s = factor·T/L − (factor − 1) there; here s = T/L, so that the slowest pair just spans the row."""
    theirs, _ = judge("dynamic", 64, 100, 300, factor=2.0)
    torch.testing.assert_close(theirs, ours("ntk", 64, 100, 100 * (2 * 3 - 1))[0], **FLOAT32)
    assert not torch.allclose(theirs, ours("dynamic_ntk", 64, 100, 300)[0], rtol=1e-3, atol=0)


@over_widths
@over_factors
@pytest.mark.parametrize("trained", [24, 43, 2048, 8192])
def test_yarn_agrees_outside_the_ramp_and_in_its_temperature(dims: int, factor: float, trained: int):
    """There the ramp is linear in the dimension's index, here, as in the paper, in the number of turns."""
    theirs, temperature = judge("yarn", dims, trained, factor=factor, truncate=False)
    found = ours("yarn", dims, trained, factor * trained)
    assert found[1] == pytest.approx(temperature, rel=1e-12)
    turns = trained * frequencies(BASE, dims, CPU) / (2 * torch.pi)
    # At a few tokens no pair makes 32 turns. Both then begin the ramp at the fastest pair and keep that one.
    outside = (turns <= 1) | (turns >= min(32, turns[0]))
    assert outside[0] and outside[-1]
    torch.testing.assert_close(found[0][outside], theirs[outside], **FLOAT32)
    # Inside, a pair that turns twice is halfway down a ladder of indices, and hardly up a ramp of turns.
    assert (found[0][~outside] <= theirs[~outside] * (1 + 3e-6)).all()
    assert torch.allclose(found[0], theirs, rtol=1e-3, atol=0) == (factor == 1)


@over_widths
@over_factors
@pytest.mark.parametrize("trained", [26, 43, 2048, 8192])
def test_llama3(dims: int, factor: float, trained: int):
    keys = {"factor": factor, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    same(ours("llama3", dims, trained, factor * trained), judge("llama3", dims, trained, **keys))


def test_llama3_at_fewer_tokens_keeps_the_fastest_pair():
    theirs, _ = judge("llama3", 16, 20, factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0)
    assert theirs[0] < 0.8
    assert ours("llama3", 16, 20, 80)[0][0].item() == pytest.approx(1)
    uncapped = by_parts(frequencies(BASE, 16, CPU), 26, 104, fast=4.0).theta
    torch.testing.assert_close(uncapped, ours("llama3", 16, 26, 104)[0], rtol=0, atol=0)


def test_longrope_needs_factors_that_a_search_found_and_posemb_has_none():
    """With one factor for all pairs it is pi; its temperature is another one than yarn's."""
    factors = {"long_factor": [4.0] * 8, "short_factor": [1.0] * 8, "factor": 4.0}
    theirs, temperature = judge("longrope", 16, 100, 101, **factors)
    torch.testing.assert_close(theirs, ours("pi", 16, 100, 400)[0], **FLOAT32)
    assert temperature == pytest.approx(sqrt(1 + torch.tensor(4.0).log().item() / torch.tensor(100.0).log().item()))
    torch.testing.assert_close(judge("longrope", 16, 100, 100, **factors)[0], frequencies(BASE, 16, CPU), **FLOAT32)


@over_widths
@pytest.mark.parametrize("p", [0.0, 0.3, 0.75, 1.0])
@over_factors
def test_proportional_is_p_rope_with_pi(dims: int, p: float, factor: float):
    theirs, _ = judge("proportional", dims, 100, partial_rotary_factor=p, factor=factor)
    method = PRoPE(shape(dims), p=p, scaling="pi", factor=factor)
    torch.testing.assert_close(method.prepare(row(1))[0, 0, -1].angle(), theirs, rtol=3e-6, atol=1e-12)


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
def test_a_partial_ladder_is_rebuilt_on_what_turns(share: float):
    theirs, _ = judge("linear", 64, 100, partial_rotary_factor=share, factor=1.0)
    method = PartialRoPE(shape(64), share=share)
    torch.testing.assert_close(method.prepare(row(1)).factors[0, 0, -1].angle(), theirs, **FLOAT32)


def shape(head_width: int) -> Shape:
    return Shape(width=2 * head_width, heads=2, layers=1, trained=100, id_limit=100, asked=100)


def row(last: int) -> Positions:
    return Positions.span(torch.arange(last + 1)[None], 0, last + 1)


def vectors() -> list[torch.Tensor]:
    return [torch.randn(1, 2, 40, 16, generator=stream(0, name)) for name in ("q", "k")]


def scores(method: PositionMethod) -> torch.Tensor:
    q, k = vectors()
    placed = method.at_qk(q, k, row(39), method.prepare(row(39)), 0)
    return placed.q @ placed.k.transpose(-1, -2)


def test_the_half_layout_is_transformers_rotation():
    llama = pytest.importorskip("transformers.models.llama.modeling_llama")
    angle = torch.arange(40)[:, None] * frequencies(BASE, 16, CPU).repeat(2)
    q, k = llama.apply_rotary_pos_emb(*vectors(), angle.cos().float()[None], angle.sin().float()[None])
    torch.testing.assert_close(scores(RoPE(shape(16), pairs="half")), q @ k.transpose(-1, -2), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_the_interleaved_layout_is_x_transformers_rotation(share: float):
    judges = pytest.importorskip("x_transformers.x_transformers")
    freqs, _ = judges.RotaryEmbedding(int(16 * share)).forward_from_seq_len(40)
    q, k = (judges.apply_rotary_pos_emb(x, freqs) for x in vectors())
    torch.testing.assert_close(
        scores(PartialRoPE(shape(16), share=share)), q @ k.transpose(-1, -2), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("span", [40, 512])
def test_xpos_scores_are_those_of_x_transformers(span: int):
    """There the factor 1 lies in the middle of the row at hand, here at id 0: vectors differ, scores do not."""
    judges = pytest.importorskip("x_transformers.x_transformers")
    freqs, scale = judges.RotaryEmbedding(16, use_xpos=True, scale_base=span).forward_from_seq_len(40)
    q, k = vectors()
    q, k = judges.apply_rotary_pos_emb(q, freqs, scale), judges.apply_rotary_pos_emb(k, freqs, 1 / scale)
    found = scores(XPos(shape(16), span=float(span)))
    torch.testing.assert_close(found.tril(), (q @ k.transpose(-1, -2)).tril(), rtol=1e-4, atol=1e-5)
    shorter = judges.RotaryEmbedding(16, use_xpos=True, scale_base=span).forward_from_seq_len(20)[1]
    assert not torch.allclose(shorter, scale[:, :20])  # what drifts where keys are cached after placing


def test_ntk_is_the_rescaled_base_of_x_transformers():
    judges = pytest.importorskip("x_transformers.x_transformers")
    theirs = judges.RotaryEmbedding(64, base_rescale_factor=4.0).inv_freq.double()
    torch.testing.assert_close(ours("ntk", 64, 100, 400)[0], theirs, **FLOAT32)
