"""Transformer-XL's relative attention, by hand and against its own shift."""

from math import cos, sin

import pytest
import torch

from posemb.errors import UsageError
from posemb.position.base import Positions
from posemb.position.transformer_xl import TransformerXL
from posemb.seeds import stream
from tests.position.example import row, shape

HEADS, WIDTH = 2, 8


def drawn(layers: int = 1) -> TransformerXL:
    method = TransformerXL(shape(layers=layers)).double()
    for name, parameter in method.named_parameters():
        parameter.data.normal_(generator=stream(0, name))
    return method


def vectors(name: str, length: int) -> torch.Tensor:
    return torch.randn(1, HEADS, length, WIDTH // HEADS, generator=stream(0, name), dtype=torch.float64)


def found(method: TransformerXL, q: torch.Tensor, k: torch.Tensor, at: Positions, layer: int = 0) -> torch.Tensor:
    return method.at_scores(q, k, at, method.prepare(at), layer)


def sinusoid(distance: int) -> torch.Tensor:
    angles = [distance / 10000 ** (2 * pair / WIDTH) for pair in range(WIDTH // 2)]
    return torch.tensor([*map(sin, angles), *map(cos, angles)], dtype=torch.float64)


# Ids may repeat and run backwards, for the sine has a sign; of the last no two pairs share a distance.
@pytest.mark.parametrize("ids", [(4, 4, 0, 9, 2), (4, 4, 0, 90, 2), (0, 10, 90_000, 300, 7000)], ids=str)
def test_it_is_the_papers_four_terms_pair_by_pair(ids: tuple[int, ...]):
    method = drawn(layers=2)
    q, k = vectors("q", 5), vectors("k", 5)
    for layer in range(2):
        scores = found(method, q, k, row(*ids), layer)
        for i in range(5):
            for j in range(5):
                key = (method.project[layer] @ sinusoid(ids[i] - ids[j])).view(HEADS, -1)
                whole = ((q[0, :, i] + method.u) * k[0, :, j] + (q[0, :, i] + method.v) * key).sum(-1)
                right = (whole - (q[0, :, i] * k[0, :, j]).sum(-1)) / 2  # √Dh
                torch.testing.assert_close(scores[0, :, i, j], right, rtol=0, atol=1e-12)


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_with_ids_in_steps_of_one_it_is_the_papers_shift(length: int):
    """Appendix B: scores against the distances T-1..0, then row i moved left by T-1-i."""
    method, q = drawn(), vectors("q", length)
    far_first = torch.stack([sinusoid(distance) for distance in reversed(range(length))])
    keys = (far_first @ method.project[0].T).view(length, HEADS, -1).transpose(0, 1)
    raw = (q + method.v[:, None]) @ keys.transpose(1, 2) / 2  # (1, H, T, T)
    padded = torch.cat([raw.new_zeros(1, HEADS, length, 1), raw], dim=-1)
    shifted = padded.view(1, HEADS, length + 1, length)[:, :, 1:].reshape(1, HEADS, length, length)
    scores = found(method, q, torch.zeros_like(q), row(*range(length)))
    torch.testing.assert_close(scores.tril(), shifted.tril(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("ids", [(0, 3, 4, 8, 9), (0, 10, 300, 7000, 90_000)], ids=str)
def test_a_query_alone_scores_as_it_does_among_the_others(ids: tuple[int, ...]):
    method, q, k = drawn(), vectors("q", 5), vectors("k", 5)
    whole = found(method, q, k, row(*ids))
    last = found(method, q[:, :, 4:], k, row(*ids, start=4))
    torch.testing.assert_close(last, whole[:, :, 4:], rtol=0, atol=1e-12)


def test_memory_grows_with_the_pairs_and_not_with_how_far_apart_ids_lie():
    waves, index = drawn().prepare(row(0, 5, 10**12))
    assert len(waves) == 7 and index.shape == (1, 3, 3)


def test_with_u_v_and_w_at_zero_it_is_no_position():
    method = TransformerXL(shape()).double()
    assert not found(method, vectors("q", 3), vectors("k", 3), row(0, 1, 5)).any()
    method.initialise(stream(0, "start"))
    assert not method.u.any() and not method.v.any()
    assert found(method, vectors("q", 3), vectors("k", 3), row(0, 1, 5)).all()


def test_parameters():
    shapes = {name: tuple(parameter.shape) for name, parameter in drawn(layers=3).named_parameters()}
    assert shapes == {"u": (2, 4), "v": (2, 4), "project": (3, 8, 8)}


def test_an_odd_width_is_a_usage_error():
    with pytest.raises(UsageError, match=r"even width.*model\.width=5"):
        TransformerXL(shape(width=5, heads=1))
