"""One id for each role, from a random start in training."""

import pytest
import torch

from posemb.errors import CannotRepresent, UsageError
from posemb.ids.coupled import Coupled
from posemb.layout import Layout
from posemb.seeds import stream
from posemb.task.addition import Addition
from posemb.task.copy import Copy
from posemb.task.reverse import Reverse


@pytest.mark.parametrize(
    ("task", "prompt", "ids"),
    [
        (Copy(), "qwe", [0, 2, 3, 4, 1, 2, 3, 4, 0]),
        (Reverse(), "qwe", [0, 1, 2, 3, 4, 3, 2, 1, 0]),
        # The figure of the paper, 653+049=2070 from 6 on, from 1 on.
        (Addition(), "653+049=", [0, 2, 3, 4, 5, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0]),
        (Addition("plain"), "653+049=", [0, 2, 3, 4, 5, 2, 3, 4, 5, 5, 1, 2, 3, 4, 0]),
    ],
    ids=["copy", "reverse", "addition", "plain addition"],
)
def test_tokens_of_one_role_share_an_id(task, prompt, ids):
    layout = task.layout(prompt)
    assert Coupled(Coupled.span(layout)).assign(layout, False, stream(0)).tolist() == [ids]
    assert Coupled.span(layout) == max(ids)


def test_training_starts_at_random():
    one = Copy().layout("ab")
    layout = Layout(500, one.length, one.prompt, one.roles)
    ids = Coupled(3, offset=4).assign(layout, True, stream(0))
    starts = ids[:, 3]  # the answer mark is the first role
    assert starts.unique().tolist() == [1, 2, 3, 4, 5]
    assert starts.bincount()[1:].min() > 70  # 100 expected
    assert torch.equal(ids[:, 1:6] - starts[:, None], torch.tensor([1, 2, 0, 1, 2]).expand(500, -1))
    assert (ids[:, [0, 6]] == 0).all()


def test_the_reach_is_the_trained_roles_and_the_offset():
    scheme = Coupled(4, offset=1)
    assert scheme.spreads and scheme.id_limit == 6
    assert scheme.assign(Copy().layout("abcd"), False, stream(0)).max() == 5
    with pytest.raises(CannotRepresent, match="6 roles, and the last trained id is 5"):
        scheme.assign(Copy().layout("abcde"), False, stream(0))
    assert Coupled(5).id_limit == 26


def test_no_draw_puts_tokens_farther_apart_than_the_first_start_or_the_last():
    layout = Copy().layout("ab")
    assert Coupled(3, offset=4).extremes(layout).tolist() == [[0, 2, 3, 1, 2, 3, 0], [0, 6, 7, 5, 6, 7, 0]]


def test_a_task_without_roles_is_a_usage_error():
    with pytest.raises(UsageError, match="roles of tokens, and the task states none"):
        Coupled.span(Layout(1, 5, 3))
