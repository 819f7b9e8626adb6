"""Attention against the formula written out, on every path that it may take."""

from math import sqrt

import pytest
import torch
from torch import Tensor

from posemb.model.attention import Cache, attend, tempered
from posemb.position.base import Positions
from posemb.seeds import stream

LENGTH, PREFIX, HEAD = 6, 3, 4


def tensors(*names: str) -> list[Tensor]:
    return [
        torch.randn(2, 2, LENGTH, HEAD, generator=stream(0, "attention", name), dtype=torch.float64) for name in names
    ]


def written_out(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, start: int, prefix: int) -> Tensor:
    """softmax(q·k/√Dh + bias) v over the keys that each query may see, one query at a time."""
    answers = []
    for i in range(q.shape[2]):
        seen = max(start + i + 1, prefix if start + i < prefix else 0)
        scores = q[:, :, i : i + 1] @ k[:, :, :seen].transpose(-1, -2) / sqrt(HEAD)
        if bias is not None:
            scores = scores + bias[:, :, i : i + 1, :seen]
        answers.append(scores.softmax(dim=-1) @ v[:, :, :seen])
    return torch.cat(answers, dim=2)


@pytest.mark.parametrize("biased", [False, True], ids=["no bias", "bias"])
@pytest.mark.parametrize("causal", [True, False], ids=["causal", "prefix"])
@pytest.mark.parametrize(("start", "stop"), [(0, 6), (0, 4), (0, 3), (3, 4), (3, 6), (5, 6)])
def test_attend(biased: bool, causal: bool, start: int, stop: int):
    """Whole rows (square), chunks over a cache (wide), single tokens; and a mask that goes by index, not by id."""
    q, k, v = tensors("q", "k", "v")
    q, k, v = q[:, :, start:stop], k[:, :, :stop], v[:, :, :stop]
    bias = torch.randn(1, 2, stop - start, stop, generator=stream(0, "bias"), dtype=torch.float64) if biased else None
    for ids in (torch.arange(LENGTH), torch.arange(LENGTH).flip(0), torch.zeros(LENGTH, dtype=torch.int64)):
        at = Positions.span(ids[None], start, stop, causal, PREFIX)
        right = written_out(q, k, v, bias, start, 0 if causal else PREFIX)
        torch.testing.assert_close(attend(q, k, v, bias, at), right, rtol=0, atol=1e-12)


def test_a_bias_may_be_one_for_all_rows_or_differ_by_row():
    q, k, v = tensors("q", "k", "v")
    bias = torch.randn(2, 1, LENGTH, LENGTH, generator=stream(0, "bias"), dtype=torch.float64)
    at = Positions.span(torch.arange(LENGTH)[None], 0, LENGTH)
    found = attend(q, k, v, bias, at)
    for row in range(2):
        one = slice(row, row + 1)
        torch.testing.assert_close(found[one], attend(q[one], k[one], v[one], bias[one], at))


def test_the_cache_appends_for_each_layer():
    k, v = tensors("k", "v")
    cache = Cache()
    assert cache.bytes == 0
    for layer in (0, 1):
        assert all(map(torch.equal, cache.extend(layer, k[:, :, :2], v[:, :, :2]), (k[:, :, :2], v[:, :, :2])))
    assert all(map(torch.equal, cache.extend(1, k[:, :, 2:], v[:, :, 2:]), (k, v)))
    # Keys and values of 2 + 6 tokens, 2 rows, 2 heads, 4 numbers of 8 bytes.
    assert cache.bytes == 2 * 8 * 2 * 2 * HEAD * 8


@pytest.mark.parametrize("biased", [False, True], ids=["no bias", "bias"])
@pytest.mark.parametrize(("start", "stop"), [(0, 6), (3, 6), (5, 6)])
def test_a_temperature_multiplies_every_score(biased: bool, start: int, stop: int):
    q, k, v = tensors("q", "k", "v")
    q, k, v = q[:, :, start:stop], k[:, :, :stop], v[:, :, :stop]
    bias = torch.randn(1, 2, stop - start, stop, generator=stream(0, "bias"), dtype=torch.float64) if biased else None
    at = Positions.span(torch.arange(LENGTH)[None], start, stop)
    right = written_out(1.5 * q, k, v, None if bias is None else 1.5 * bias, start, 0)
    hot, hot_bias = tempered(q, bias, 1.5)
    torch.testing.assert_close(attend(hot, k, v, hot_bias, at), right, rtol=0, atol=1e-12)
    assert tempered(q, bias, 1.0) == (q, bias), "the same tensors, untouched"
