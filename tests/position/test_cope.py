"""Contextual position encoding, by hand."""

import pytest
import torch

from posemb.position import shaw
from posemb.position.cope import CoPE, score
from posemb.seeds import stream
from tests.position.example import bias, row, shape

SQUARES = torch.tensor([0.0, 1, 4, 9, 16])[:, None]  # one number a row: Dh = 1


def reads(gates: list[float], rows: torch.Tensor = SQUARES) -> list[float]:
    return score(torch.ones(1, 1, 1, 1), rows, torch.tensor([[[gates]]]).float())[0, 0, 0].tolist()


def test_a_position_is_the_sum_of_the_gates_from_the_key_on():
    assert reads([1, 1, 1]) == [9, 4, 1]
    assert reads([1, 0, 1]) == [4, 1, 1]
    assert reads([0, 0, 0]) == [0, 0, 0]


def test_a_count_between_two_rows_is_read_in_proportion():
    assert reads([0.5, 0.5, 0.5]) == [2.5, 1, 0.5]
    assert reads([0.25, 1]) == [1.75, 1]


def test_counts_past_the_last_row_share_it():
    assert reads([1] * 7) == [16, 16, 16, 16, 9, 4, 1]
    assert reads([0.5] * 10)[:3] == [16, 16, 16]


def test_the_score_is_the_query_times_the_row_over_the_root():
    q, rows = torch.tensor([[[[1.0, 2, 3, 4]]]]), torch.tensor([[0.0, 0, 0, 0], [1, 0, 1, 0]])
    assert score(q, rows, torch.ones(1, 1, 1, 1)).item() == 2


def test_with_all_gates_open_it_is_shaws_key_side():
    """a[−d] = e[d + 1]: the token itself counts, so it is at 1."""
    length = 6
    q, rows = torch.randn(2, 3, length, 4, generator=stream(0, "q")), torch.randn(9, 4, generator=stream(0, "e"))
    at = row(*range(length))
    found = score(q, rows, at.visible.float().expand(2, 3, -1, -1))
    right = shaw.score(q, rows, (at.gap + 1).clamp(min=0))
    torch.testing.assert_close(found[..., at.visible], right[..., at.visible], rtol=0, atol=1e-6)


def test_a_gate_is_the_sigmoid_of_the_scaled_score():
    """Two keys: q·k/√Dh is ln 3 and 0, so the gates are 3/4 and 1/2."""
    method = CoPE(shape(heads=1, width=4))
    method.table.data[0, :, 0] = torch.arange(10.0)
    q, k = torch.zeros(1, 1, 1, 4), torch.zeros(1, 1, 2, 4)
    q[..., 0], q[..., 1], k[0, 0, 0, 1] = 2, 2, torch.tensor(3.0).log()
    found = method.at_scores(q, k, row(0, 1, start=1), None, 0)
    torch.testing.assert_close(found[0, 0, 0], torch.tensor([1.25, 0.5]))


def test_what_comes_later_is_not_counted():
    """Hidden keys are shut out before the sum. Keys of zero make every gate 1/2."""
    method = CoPE(shape(heads=1, width=2))
    method.table.data[0, :, 1] = torch.arange(10.0)
    q, k = torch.zeros(2, 1, 1, 4, 2)
    q[..., 1] = 2**0.5
    found = method.at_scores(q, k, row(0, 1, 2, 3), None, 0)[0, 0]
    halves = torch.tensor([[1.0, 0, 0, 0], [2, 1, 0, 0], [3, 2, 1, 0], [4, 3, 2, 1]])
    torch.testing.assert_close(found.tril(), halves / 2)
    assert not found.triu(1).any()


def test_it_ignores_ids():
    method, q = CoPE(shape()), torch.randn(1, 2, 4, 4, generator=stream(0, "q"))
    method.table.data.normal_(generator=stream(0, "table"))
    one, other = (method.at_scores(q, q, row(*ids), None, 0) for ids in ((0, 1, 2, 3), (9, 9, 40, 2)))
    assert torch.equal(one, other) and one.any()


@pytest.mark.parametrize(("trained", "rows", "held"), [(10, None, 10), (1, None, 2), (10, 4, 4)])
def test_a_row_for_every_count_of_a_trained_row(trained: int, rows: int | None, held: int):
    """Of 10 tokens 9 are fed: the counts 0..9."""
    assert CoPE(shape(trained=trained, layers=3), rows=rows).table.shape == (3, held, 4)


def test_it_counts_tokens_however_many_ids_they_share():
    assert CoPE(shape(trained=86, tokens=35)).table.shape == CoPE(shape(trained=35)).table.shape == (1, 35, 4)
    assert CoPE(shape(trained=10, tokens=30)).table.shape == (1, 30, 4)


def test_it_starts_as_no_position():
    assert not CoPE(shape()).table.any()
    assert not bias(CoPE(shape()), row(0, 1, 5)).any()
