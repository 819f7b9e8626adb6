"""Rotary embeddings, by hand."""

import pytest
import torch

from posemb.errors import UsageError
from posemb.position.angle import angles, frequencies
from posemb.position.rope import RoPE, rotate
from posemb.seeds import stream
from tests.position.example import row, shape

both_layouts = pytest.mark.parametrize("pairs", ["half", "interleaved"])
CPU = torch.device("cpu")


def turned(method: RoPE, q: torch.Tensor, k: torch.Tensor, at) -> tuple[torch.Tensor, torch.Tensor]:
    return method.at_qk(q, k, at, method.prepare(at), 0)


def vectors(name: str, length: int, width: int = 8) -> torch.Tensor:
    return torch.randn(1, 2, length, width, generator=stream(0, name), dtype=torch.float64)


def test_the_missions_number():
    """[1, 0] turned by 90 degrees is [0, 1]."""
    quarter = torch.tensor([[[[1j]]]])
    for pairs in ("half", "interleaved"):  # with one pair the layouts are the same
        y = rotate(torch.tensor([[[[1.0, 0.0]]]]), quarter, pairs)
        torch.testing.assert_close(y, torch.tensor([[[[0.0, 1.0]]]]))


@pytest.mark.parametrize(("pairs", "score"), [("interleaved", 1.540252), ("half", 1.080605)])
def test_the_score_of_two_equal_vectors_one_step_apart(pairs: str, score: float):
    x = torch.tensor([1.0, 0, 1, 0], dtype=torch.float64).expand(1, 1, 2, 4)
    q, k = turned(RoPE(shape(width=4, heads=1), pairs=pairs), x, x, row(0, 1))
    assert (q[0, 0, 1] @ k[0, 0, 0]).item() == pytest.approx(score, abs=5e-7)
    assert (q[0, 0, 1] @ k[0, 0, 1]).item() == pytest.approx(2)


def test_which_dimensions_turn_together():
    turn = torch.tensor([[[[1j, 1]]]])  # the first pair by 90 degrees, the second not at all
    x = torch.tensor([[[[1.0, 2, 3, 4]]]])
    for pairs, right in (("half", [-3, 2, 1, 4]), ("interleaved", [-2, 1, 3, 4])):
        torch.testing.assert_close(rotate(x, turn, pairs)[0, 0, 0], torch.tensor(right).float())


def test_the_ladder_of_frequencies():
    ladder = frequencies(10000.0, 64, CPU)
    assert len(ladder) == 32
    assert ladder[0].item() == 1
    assert ladder[-1].item() == pytest.approx(1.3335e-4, rel=1e-4)
    assert frequencies(16.0, 4, CPU).tolist() == pytest.approx([1, 0.25])


def test_angles_are_ids_times_frequencies():
    assert angles(torch.tensor([[0, 3], [10, 2]]), 16.0, 4).tolist() == [[[0, 0], [3, 0.75]], [[10, 2.5], [2, 0.5]]]


@both_layouts
def test_the_score_depends_on_the_difference_alone(pairs: str):
    """Claim M6: (R^i q)ᵀ(R^j k) = qᵀ R^(j−i) k for any i and j, here all pairs of 0..39 at once."""
    method = RoPE(shape(width=16), pairs=pairs)
    q, k = (vectors(name, 1).expand(-1, -1, 40, -1) for name in ("q", "k"))  # one vector at forty places
    placed = turned(method, q, k, row(*range(40)))
    scores = placed[0] @ placed[1].transpose(-1, -2)
    for distance in range(-39, 40):
        same = scores.diagonal(-distance, dim1=-2, dim2=-1)
        assert (same - same[..., :1]).abs().max() < 1e-12
    at_home = (q * k).sum(-1)[..., 0]  # q and k as they are: what two tokens at one place score
    torch.testing.assert_close(scores[..., 7, 7], at_home)
    assert not torch.isclose(scores[..., 7, 8], at_home).any()
    assert not torch.isclose(scores[..., 7, 8], scores[..., 8, 7]).any()  # distance and direction


@both_layouts
def test_turning_keeps_lengths_and_the_id_zero_turns_nothing(pairs: str):
    method = RoPE(shape(width=16), pairs=pairs)
    x = vectors("x", 3)
    for y in turned(method, x, x, row(7, 400, 0)):
        torch.testing.assert_close(y.norm(dim=-1), x.norm(dim=-1), rtol=1e-14, atol=0)
        assert not torch.isclose(y[:, :, :2], x[:, :, :2]).all(dim=-1).any()
        assert torch.equal(y[:, :, 2], x[:, :, 2])


@both_layouts
def test_while_decoding_the_query_turns_by_its_own_angle(pairs: str):
    method = RoPE(shape(width=16), pairs=pairs)
    q, k = vectors("q", 5), vectors("k", 5)
    whole, last = turned(method, q, k, row(0, 3, 4, 8, 9)), turned(method, q[:, :, 4:], k, row(0, 3, 4, 8, 9, start=4))
    assert torch.equal(last[0], whole[0][:, :, 4:])
    assert torch.equal(last[1], whole[1])


@both_layouts
def test_half_precision_vectors_turn_by_exact_angles(pairs: str):
    """Ids far beyond what bfloat16 can tell apart: only the vectors are coarse, by one rounding at the end."""
    method = RoPE(shape(width=16), pairs=pairs).bfloat16()
    ids = (509, 510, 511, 4999)
    x = vectors("x", 4).bfloat16()
    found, right = (turned(method, y, y, row(*ids)) for y in (x, x.double()))
    for coarse, exact in zip(found, right, strict=True):
        assert coarse.dtype == torch.bfloat16
        assert ((coarse.double() - exact).abs() <= exact.abs() / 128 + 1e-3).all()


def test_the_ids_of_a_long_text_have_different_tables():
    method = RoPE(shape(width=16)).bfloat16()
    assert len(torch.view_as_real(method.prepare(row(*range(512)))[0, 0]).unique(dim=0)) == 512


def test_an_odd_head_width_is_a_usage_error():
    with pytest.raises(UsageError, match=r"Dr, .* must be even and not 0: it is 3\."):
        RoPE(shape(width=6, heads=2))
