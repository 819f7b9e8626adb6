"""Answers: those of the rows that a curve evaluates, those to bare prompts, and what is said about them."""

from collections.abc import Sequence
from typing import Any

import pytest
import torch

from posemb.errors import UsageError
from posemb.eval.answer import Answer, answer_rows, ask
from posemb.eval.curve import measure
from posemb.ids.abacus import Abacus
from posemb.ids.base import IdScheme
from posemb.ids.coupled import Coupled
from posemb.ids.randomized import Randomized
from posemb.ids.sequential import Sequential
from posemb.position.ape import APE
from posemb.position.base import Reach
from posemb.position.rope import RoPE
from posemb.task.addition import Addition
from posemb.task.copy import Copy
from posemb.task.roles import Roles
from posemb.task.text import Text
from tests.eval.example import IDS, SIZE, TASK, build, trained


@pytest.mark.parametrize("ids", [IDS, Randomized(IDS.trained, 40)], ids=["sequential", "randomized"])
def test_as_many_rows_are_right_as_the_curve_says(ids: IdScheme):
    figures = []
    for size in range(1, SIZE + 3):
        row = measure(trained(100), TASK, ids, size, count=60)
        answers = answer_rows(trained(100), TASK, ids, size, count=60)
        assert sum(bool(one.right) for one in answers) / 60 == row["exact_match"]
        assert all((one.length, one.status) == (row["length"], Reach.OK) for one in answers)
        figures.append(row["exact_match"])
    assert 0 < sum(figures) < len(figures)


@pytest.mark.parametrize("scheme", [Sequential, Abacus, Coupled])
def test_a_bare_prompt_is_answered_like_its_row(scheme: type[IdScheme]):
    task = Addition()
    model, ids = build(RoPE, task=task), scheme(30)
    for row in answer_rows(model, task, ids, size=3, count=4):
        assert ask(model, task, ids, row.prompt) == row
        assert row.expected == task.solve(row.prompt) and row.length == task.length(3)


def test_an_answer_to_a_prompt_is_the_same_each_time():
    model, ids = trained(100), Randomized(IDS.trained, 40)
    assert ask(model, TASK, ids, "abcd") == ask(model, TASK, ids, "abcd")


SAID = {
    "right": ("abc⟩", Answer("abc", "abc", True, True, "abc", None, 9, Reach.OK)),
    "a wrong character": ("axc⟩", Answer("abc", "axc", True, False, "abc", 1, 9, Reach.OK)),
    "ends too early": ("ab⟩a", Answer("abc", "ab", True, False, "abc", 2, 9, Reach.OK)),
    "ends at once": ("⟩⟩⟩⟩", Answer("abc", "", True, False, "abc", 0, 9, Reach.OK)),
    "never ends": ("abca", Answer("abc", "abca", False, False, "abc", 3, 9, Reach.OK)),
    "another mark": ("ab→⟩", Answer("abc", "ab→", True, False, "abc", 2, 9, Reach.OK)),
}


def say(monkeypatch: pytest.MonkeyPatch, task: Copy, said: str) -> list[tuple[Any, ...]]:
    """Have every model say this; returns what decoding was asked for."""
    symbols, calls = [*task.alphabet, "⟨", "→", "⟩"], []

    def decode(model: Any, prompts: torch.Tensor, ids: torch.Tensor, prefix: int, said_so_far: Any) -> torch.Tensor:
        calls.append((task.decode(prompts[0]), tuple(ids.shape), prefix))
        return torch.tensor([[symbols.index(one) for one in said]]).expand(len(prompts), -1)

    monkeypatch.setattr("posemb.eval.answer.decode", decode)
    return calls


@pytest.mark.parametrize(("said", "expected"), SAID.values(), ids=SAID)
def test_the_verdict_and_the_first_wrong_character(monkeypatch: pytest.MonkeyPatch, said: str, expected: Answer):
    task = Copy()
    calls = say(monkeypatch, task, said)
    assert ask(build(RoPE, task=task), task, IDS, "abc") == expected
    assert calls == [("⟨abc→", (1, 9), 5)]


def test_another_valid_answer_is_right(monkeypatch: pytest.MonkeyPatch):
    class Anagram(Copy):
        def valid(self, prompt: str, answer: str) -> bool:
            return sorted(prompt) == sorted(answer)

    task = Anagram()
    say(monkeypatch, task, "cba⟩")
    assert ask(build(RoPE, task=task), task, IDS, "abc").right
    say(monkeypatch, task, "cca⟩")
    wrong = ask(build(RoPE, task=task), task, IDS, "abc")
    assert (wrong.right, wrong.wrong_at) == (False, 0)


def test_positions_past_the_table_are_no_answer():
    model = build(APE, asked=13)
    fits, past = ask(model, TASK, IDS, "abcda"), ask(model, TASK, IDS, "abcdab")
    assert fits.status is Reach.UNTRAINED and fits.answer is not None and fits.right is not None
    assert past.status is Reach.CANNOT and past.reason is not None and "15 tokens" in past.reason
    assert (past.answer, past.right, past.wrong_at) == (None, None, None)
    drawn = ask(trained(100), TASK, Randomized(IDS.trained, 13), "abcdab")
    assert drawn.status is Reach.CANNOT and "ids.limit is 13" in str(drawn.reason)
    assert [one.status for one in answer_rows(model, TASK, IDS, 6, 3)] == [Reach.CANNOT] * 3


@pytest.mark.parametrize("attention", ["causal", "prefix"])
def test_a_text_is_continued_and_not_judged(attention: str):
    task = Text()
    model, seen = build(RoPE, attention, task=task), []
    model.register_forward_pre_hook(lambda model, inputs: seen.append(inputs[1]))
    said = ask(model, task, IDS, "the ", more=7)
    assert (said.prompt, len(said.answer or ""), said.length) == ("the ", 7, 11)
    assert (said.right, said.expected, said.wrong_at, said.ended) == (None, None, None, False)
    # Its windows have no prompt that could see all of itself, in training either.
    assert all((at.prefix, at.horizon) == (0, 11) for at in seen)
    rows = answer_rows(model, task, IDS, size=9, count=3)
    assert [(len(one.prompt), len(one.answer or "")) for one in rows] == [(4, 5)] * 3
    assert [len(one.answer or "") for one in answer_rows(model, task, IDS, 9, 2, more=3)] == [3, 3]


@pytest.mark.parametrize(("prompt", "words"), [("", ["empty"]), ("ab7d!", ["'7'", "'!'"])])
def test_what_is_no_prompt_is_named(prompt: str, words: Sequence[str]):
    with pytest.raises(UsageError) as refusal:
        ask(trained(100), TASK, IDS, prompt)
    assert all(word in str(refusal.value) for word in words)
    with pytest.raises(UsageError, match="not a clause"):
        ask(build(RoPE, task=Roles()), Roles(), IDS, "dog bites")
