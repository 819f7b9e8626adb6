"""Relative position representations, by hand."""

import pytest
import torch

from posemb.position.base import Reach
from posemb.position.shaw import Shaw, score
from posemb.seeds import stream
from tests.position.example import bias, row, shape


def numbered(farthest: int = 2, layers: int = 1) -> Shaw:
    """Row c + K of every layer holds the number c, in its first dimension only; layers differ by 100."""
    method = Shaw(shape(layers=layers), farthest=farthest)
    clipped = torch.arange(-farthest, farthest + 1.0)
    method.table.data[..., 0] = clipped + 100 * torch.arange(layers)[:, None]
    return method


def scores(method: Shaw, at, layer: int = 0) -> torch.Tensor:
    """(Tq, Tk) of the first head, where q reads the first dimension of a row: √Dh = 2."""
    q = torch.zeros(1, 2, at.q.shape[1], 4)
    q[..., 0] = 2
    return method.at_scores(q, q, at, method.prepare(at), layer)[0, 0]


def test_the_score_is_the_query_times_the_vector_over_the_root():
    q, rows = torch.tensor([[[[1.0, 2, 3, 4]]]]), torch.tensor([[0.0, 0, 0, 0], [1, 0, 1, 0], [0, 1, 0, -1]])
    assert score(q, rows, torch.tensor([[[2, 0, 1]]])).tolist() == [[[[-1, 0, 2]]]]


def test_distances_are_signed_and_counted_from_the_query_to_the_key():
    assert scores(numbered(), row(0, 1, 2, causal=False, prefix=3)).tolist() == [[0, 1, 2], [-1, 0, 1], [-2, -1, 0]]


def test_there_are_33_vectors_and_17_steps_are_the_same_as_100():
    method = numbered(farthest=16)
    assert Shaw(shape()).table.shape == (1, 33, 4)
    assert scores(method, row(0, 84, 85, 99, 100))[-1].tolist() == [-16, -16, -15, -1, 0]
    assert scores(method, row(100, 16, 15, 1, 0))[-1].tolist() == [16, 16, 15, 1, 0]


def test_layers_have_vectors_of_their_own_and_heads_share_them():
    method, at = numbered(layers=2), row(0, 1)
    assert scores(method, at, 0)[1].tolist() == [-1, 0] and scores(method, at, 1)[1].tolist() == [99, 100]
    q = torch.ones(1, 2, 2, 4)
    heads = method.at_scores(q, q, at, method.prepare(at), 0)[0]
    assert torch.equal(heads[0], heads[1])


def test_it_is_the_papers_sum_pair_by_pair():
    method = Shaw(shape(width=16, heads=2, trained=30), farthest=3)
    method.table.data.normal_(generator=stream(0, "table"))
    q, k = (torch.randn(1, 2, 5, 8, generator=stream(0, name)) for name in ("q", "k"))
    ids = [4, 4, 0, 9, 2]
    found = method.at_scores(q, k, row(*ids), method.prepare(row(*ids)), 0)
    for i in range(5):
        for j in range(5):
            vector = method.table[0, max(-3, min(3, ids[j] - ids[i])) + 3]
            whole = (q[0, :, i] * (k[0, :, j] + vector)).sum(-1) / 8**0.5
            plain = (q[0, :, i] * k[0, :, j]).sum(-1) / 8**0.5
            torch.testing.assert_close(found[0, :, i, j], whole - plain, rtol=0, atol=1e-5)


def test_it_starts_as_no_position():
    assert not Shaw(shape()).table.any()
    assert not bias(Shaw(shape()), row(0, 1, 5)).any()


@pytest.mark.parametrize(("trained", "fine", "untrained"), [(10, 10, 11), (18, 500, None), (17, 17, 18)])
def test_reach(trained: int, fine: int, untrained: int | None):
    """Of 18 tokens 17 are fed: the farthest distance, 16, was met, and so was all that shares its vector."""
    method = Shaw(shape(trained=trained))
    assert method.reach(row(*range(fine))) is Reach.OK
    assert untrained is None or method.reach(row(*range(untrained))) is Reach.UNTRAINED


def test_reach_judges_each_direction_by_itself():
    method = Shaw(shape(trained=40, least=-3, greatest=38))
    assert method.reach(row(3, 0, 99)) is method.reach(row(0, 1000, 2000)) is Reach.OK
    assert method.reach(row(4, 0, 99)) is Reach.UNTRAINED
    assert method.reach(row(*range(9), causal=False, prefix=4)) is Reach.OK
    assert method.reach(row(*range(9), causal=False, prefix=5)) is Reach.UNTRAINED
    assert Shaw(shape(trained=40, least=-3), farthest=3).reach(row(4, 0, 99)) is Reach.OK  # they share a vector
