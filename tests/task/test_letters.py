"""Copy, reverse and last, on values worked out by hand."""

import pytest
import torch
from scipy.stats import binomtest

from posemb.errors import UsageError
from posemb.layout import Layout
from posemb.seeds import stream
from posemb.task.copy import Copy
from posemb.task.last import Last
from posemb.task.reverse import Reverse

LETTERS = (Copy(), Reverse(), Last())


@pytest.mark.parametrize(
    ("task", "answer"), [(LETTERS[0], "qwe"), (LETTERS[1], "ewq"), (LETTERS[2], "e")], ids=("copy", "reverse", "last")
)
def test_by_hand(task, answer):
    assert task.solve("qwe") == answer
    assert task.valid("qwe", answer)
    assert not task.valid("qew", answer)
    layout = task.layout("qwe")
    assert layout == Layout(1, length=3 + len(answer) + 3, prompt=5, roles=layout.roles)
    assert task.length(3) == 6 + len(answer)


def test_a_row_by_hand():
    task = Last()
    batch = task.rows(task.encode("az")[None], task.encode("z")[None])
    assert batch.tokens.tolist() == [[26, 0, 25, 27, 25, 28]]
    assert batch.scored.tolist() == [[False, False, False, False, True, True]]
    assert batch.layout == Layout(rows=1, length=6, prompt=4)
    assert task.decode(batch.tokens[0]) == "⟨az→z⟩"
    assert task.vocabulary == 29


def test_a_letter_and_its_copy_share_a_role():
    copied, reversed_, last = (task.layout("qwe") for task in LETTERS)
    assert copied.roles.tolist() == [[0, 2, 3, 4, 1, 2, 3, 4, 0]]
    assert reversed_.roles.tolist() == [[0, 1, 2, 3, 4, 3, 2, 1, 0]]
    assert last.roles is copied.digits is reversed_.digits is None


def test_chance_by_hand():
    assert Copy().chance(2) == Reverse().chance(2) == pytest.approx(1 / 676)
    assert Copy().chance(200) >= 0  # so small that a float may call it zero
    assert Last().chance(1) == Last().chance(80) == pytest.approx(1 / 26)


@pytest.mark.parametrize(("task", "n"), [(Copy(), 1), (Reverse(), 1), (Copy(), 2), (Last(), 1), (Last(), 9)])
def test_chance_is_what_a_guess_without_reading_scores(task, n):
    def answers(name: str) -> torch.Tensor:
        batch = task.sample(n, 20_000, stream(0, name), "evaluation")
        return batch.tokens[:, batch.layout.prompt :]

    hits = (answers("guess") == answers("right")).all(1).sum().item()
    assert binomtest(hits, 20_000, task.chance(n)).pvalue > 1e-4


@pytest.mark.parametrize("task", LETTERS, ids=("copy", "reverse", "last"))
def test_every_letter_comes_up_everywhere(task):
    batch = task.sample(3, 2000, stream(0), "train")
    assert all(set(column.tolist()) == set(range(26)) for column in batch.tokens[:, 1:4].T)


@pytest.mark.parametrize("prompt", ["", "Qwe", "q e", "q1", "q→e"])
@pytest.mark.parametrize("task", LETTERS, ids=("copy", "reverse", "last"))
def test_prompts_that_are_not_the_tasks(task, prompt):
    with pytest.raises(UsageError, match="abc"):
        task.layout(prompt)
