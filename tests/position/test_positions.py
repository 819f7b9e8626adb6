"""Which pairs a pass holds, and how far apart they are."""

import pytest
import torch

from posemb.position.base import Positions
from posemb.seeds import stream
from tests.position.example import row


def test_the_last_key_that_a_query_may_look_at():
    assert row(0, 1, 2, 3).last.tolist() == [0, 1, 2, 3]
    assert row(0, 1, 2, 3, start=2).last.tolist() == [2, 3]
    assert row(0, 1, 2, 3, causal=False, prefix=3).last.tolist() == [2, 2, 2, 3]


def test_the_least_and_the_greatest_gap_by_hand():
    """Roles of a copied word: the answer's letters ask the prompt's, and the mark, role 1, asks all of them."""
    at = row(0, 2, 3, 4, 1, 2, 3, 4)
    assert (at.least, at.greatest) == (-3, 4)
    at = row(0, 2, 3, 4, 1, 2, 3, 4, causal=False, prefix=5)
    assert (at.least, at.greatest) == (-4, 4)  # the first token asks the prompt's last letter


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("start", "prefix"), [(0, 0), (0, 1), (0, 4), (0, 9), (4, 4), (8, 5)])
def test_they_are_those_of_all_visible_pairs(causal: bool, start: int, prefix: int):
    for seed in range(20):
        ids = torch.randint(50, (3, 9), generator=stream(seed, "ids"))
        at = Positions.span(ids, start, 9, causal, prefix)
        seen = at.gap[:, at.visible]
        assert (at.least, at.greatest) == (seen.min().item(), seen.max().item())


def test_the_last_token_of_a_row_is_not_fed():
    at = row(3, 5, 9, causal=False, prefix=2).fed
    assert (at.q.tolist(), at.k.tolist(), at.horizon, at.causal, at.prefix) == ([[3, 5]], [[3, 5]], 3, False, 2)
    assert row(7).fed.k.tolist() == [[7]]  # of a single token nothing is left to take off
