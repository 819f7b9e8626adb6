"""Learned absolute embeddings, by hand."""

import pytest
import torch

from posemb.errors import UsageError
from posemb.position.ape import APE
from posemb.position.base import Reach
from posemb.seeds import stream
from tests.position.example import row, shape


def test_the_missions_number():
    method = APE(shape(width=2, heads=1))
    method.table.data[3] = torch.tensor([0.1, -0.2])
    e = method.at_embedding(torch.tensor([[[0.2, 0.5]]]), row(3), None)
    torch.testing.assert_close(e, torch.tensor([[[0.3, 0.3]]]))


def test_one_token_at_two_places_is_two_inputs():
    method = APE(shape())
    method.initialise(stream(0))
    one, other = method.at_embedding(torch.ones(1, 2, 8), row(4, 9), None)[0]
    torch.testing.assert_close(one - other, method.table[4] - method.table[9])
    assert not torch.equal(one, other)


def test_while_decoding_the_query_takes_its_own_row():
    method = APE(shape())
    method.initialise(stream(0))
    e = method.at_embedding(torch.zeros(1, 1, 8), row(5, 6, 7, start=2), None)
    assert torch.equal(e[0, 0], method.table[7])


def test_rows_are_drawn_with_a_deviation_of_a_fiftieth():
    method = APE(shape(width=100, heads=1, asked=400))
    method.initialise(stream(0))
    assert method.table.mean().item() == pytest.approx(0, abs=1e-3)
    assert method.table.std().item() == pytest.approx(0.02, rel=0.02)


def test_only_rows_that_were_met_get_a_gradient():
    method = APE(shape())
    method.at_embedding(torch.zeros(1, 3, 8), row(1, 4, 4), None).sum().backward()
    assert method.table.grad.any(dim=1).nonzero().flatten().tolist() == [1, 4]


def test_the_table_holds_every_id_that_the_protocol_asks_for_unless_told_otherwise():
    assert len(APE(shape(trained=10, asked=50)).table) == 50
    assert len(APE(shape(trained=10, asked=5)).table) == 10
    assert len(APE(shape(trained=10), rows=12).table) == 12


def test_a_table_too_short_for_training_is_a_usage_error():
    assert len(APE(shape(trained=10), rows=10).table) == 10
    with pytest.raises(UsageError, match=r"position\.rows=9 .* set position\.rows to 10"):
        APE(shape(trained=10), rows=9)


def test_reach():
    method = APE(shape(trained=10), rows=12)
    assert method.reach(row(0, 9)) is Reach.OK
    assert method.reach(row(0, 10)) is method.reach(row(11, 0)) is Reach.UNTRAINED
    assert method.reach(row(0, 12)) is Reach.CANNOT
