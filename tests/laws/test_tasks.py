"""What must hold for every task that exists."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import get_type_hints

import pytest
import torch
from scipy.stats import binom

import posemb.task
from posemb.errors import UsageError
from posemb.eval.text import is_text
from posemb.laws.subjects import literals
from posemb.seeds import stream
from posemb.task.base import MARKS, Task
from tests.conftest import options


def variants() -> Iterator[tuple[str, Task]]:
    """Every option of the group task as its file has it, then each of its choices changed by itself."""
    for option in options("task"):
        yield option.name, option.build()
        hints = get_type_hints(option.target.__init__)
        for key, value in option.params.items():
            for other in literals(hints[key]):
                if other != value:
                    yield f"{option.name}-{other}", option.target(**option.params | {key: other})


BUILT = dict(variants())
ANSWERED = {name: task for name, task in BUILT.items() if not is_text(task)}
UNANSWERED = {name: task for name, task in BUILT.items() if is_text(task)}


def over(tasks: dict[str, Task]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("task", tasks.values(), ids=tasks.keys())


def sizes(task: Task) -> list[int]:
    return sorted({size for trained in (2, 3, 7) for size in task.train_sizes(trained)} | {24})


def draw(task: Task, n: int, count: int = 64, *names: str, seed: int = 0, split="train"):
    return task.sample(n, count, stream(seed, *(names or ("law", n))), split)


def taken_apart(task: Task, tokens) -> tuple[str, str]:
    begin, mark, end = MARKS
    text = task.decode(tokens)
    assert text[0] == begin and text[-1] == end and text.count(mark) == 1
    prompt, _, answer = text[1:-1].partition(mark)
    return prompt, answer


def test_every_task_in_the_folder_has_its_yaml():
    for module in iter_modules(posemb.task.__path__, "posemb.task."):
        import_module(module.name)
    ours = {task for task in Task.__subclasses__() if task.__module__.startswith("posemb.task.")}
    assert ours == {option.target for option in options("task")}


@over(BUILT)
def test_rows_have_the_length_and_the_layout_that_the_task_states(task):
    for n in sizes(task):
        batch = draw(task, n, count=5)
        assert batch.tokens.shape == batch.scored.shape == (5, task.length(n))
        assert batch.tokens.dtype == torch.int64 and batch.scored.dtype == torch.bool
        assert (batch.layout.rows, batch.layout.length) == (5, task.length(n))


@over(BUILT)
def test_roles_and_digits_are_told_of_every_token_or_of_none(task):
    for n in sizes(task):
        layout = draw(task, n, count=5).layout
        for marked in filter(lambda one: one is not None, (layout.roles, layout.digits)):
            assert marked.dtype == torch.int64 and marked.min() >= 0
            assert marked.shape in ((1, task.length(n)), (5, task.length(n)))


@over(BUILT)
def test_the_alphabet_holds_each_character_once_and_no_mark(task):
    assert len(set(task.alphabet)) == len(task.alphabet) > 1
    assert not set(task.alphabet) & set(MARKS)
    assert all(0 <= token < task.vocabulary for n in sizes(task) for token in draw(task, n).tokens.unique().tolist())


@over(BUILT)
def test_decode_undoes_encode(task):
    assert task.encode(task.alphabet).tolist() == list(range(len(task.alphabet)))
    assert task.decode(task.encode(task.alphabet[::-1])) == task.alphabet[::-1]
    assert task.encode("").shape == (0,)


@over(BUILT)
def test_characters_outside_the_alphabet_are_named(task):
    outside = next(character for character in "§" + MARKS[1] if character not in task.alphabet)
    for refuses in (task.encode, task.layout):
        with pytest.raises(UsageError, match=outside):
            refuses(task.alphabet[0] + outside)
    with pytest.raises(UsageError):
        task.layout("")


@over(BUILT)
def test_equal_seeds_give_equal_rows_and_others_do_not(task):
    for n in (sizes(task)[0], 24):
        torch.manual_seed(1)
        rows = draw(task, n)
        torch.manual_seed(2)  # the global generator has no say
        again = draw(task, n)
        assert torch.equal(rows.tokens, again.tokens) and torch.equal(rows.scored, again.scored)
        assert not torch.equal(rows.tokens, draw(task, n, seed=1).tokens)


@over(BUILT)
def test_splits_draw_different_rows_from_their_own_streams(task):
    for n in (sizes(task)[0], 24):
        train, validation, evaluation = (
            draw(task, n, 64, split, split=split).tokens for split in ("train", "validation", "evaluation")
        )
        assert not torch.equal(train, validation)
        assert not torch.equal(train, evaluation)
        assert not torch.equal(validation, evaluation)


@over(BUILT)
def test_training_sizes_end_with_the_trained_size(task):
    assert list(task.train_sizes(7))[-1] == max(task.train_sizes(7)) == 7


@over(BUILT)
def test_the_first_docstring_line_is_a_summary(task):
    first = type(task).__doc__.splitlines()[0]
    assert first.endswith(".") and len(first) < 80


@over(ANSWERED)
def test_sampled_answers_are_the_solved_ones(task):
    for n in sizes(task):
        for tokens in draw(task, n, count=200).tokens:
            prompt, answer = taken_apart(task, tokens)
            assert answer == task.solve(prompt)
            assert task.valid(prompt, answer)


@over(ANSWERED)
def test_a_changed_answer_is_invalid(task):
    for n in sizes(task):
        for tokens in draw(task, n, count=3).tokens:
            prompt, answer = taken_apart(task, tokens)
            for at, right in enumerate(answer):
                for character in set(task.alphabet) - {right}:
                    assert not task.valid(prompt, answer[:at] + character + answer[at + 1 :])
            assert not task.valid(prompt, answer[:-1])
            assert not task.valid(prompt, answer + task.alphabet[0])


@over(ANSWERED)
def test_marks_and_scored_positions(task):
    for n in sizes(task):
        batch = draw(task, n)
        asked, length = batch.layout.prompt, batch.layout.length
        marks = torch.zeros_like(batch.scored)
        marks[:, [0, asked - 1, length - 1]] = True
        assert torch.equal(batch.tokens >= len(task.alphabet), marks)
        expected = torch.tensor([task.begin, task.mark, task.end])
        assert torch.equal(batch.tokens[:, [0, asked - 1, length - 1]], expected.expand(64, 3))
        assert not batch.scored[:, :asked].any() and batch.scored[:, asked:].all()


@over(ANSWERED)
def test_a_bare_prompt_has_the_layout_of_its_row(task):
    for n in sizes(task):
        batch = draw(task, n, count=1)
        prompt, _ = taken_apart(task, batch.tokens[0])
        assert task.layout(prompt) == batch.layout


@over(ANSWERED)
@pytest.mark.parametrize("n", [1, 2])
def test_chance_lies_between_a_blind_guess_and_one_that_reads_all_but_the_order(task, n):
    """Two judges fitted on 40,000 rows, held against chance on 10,000 others."""

    def rows(name: str, count: int) -> list[tuple[bytes, bytes]]:
        batch = draw(task, n, count, name)
        asked = batch.layout.prompt
        bags, answers = batch.tokens[:, :asked].sort(1).values, batch.tokens[:, asked:]
        return [(bytes(bag), bytes(answer)) for bag, answer in zip(bags.tolist(), answers.tolist(), strict=True)]

    blind, by_bag = Counter[bytes](), defaultdict[bytes, Counter[bytes]](Counter)
    for bag, answer in rows("fit", 40_000):
        blind[answer] += 1
        by_bag[bag][answer] += 1
    favourite = blind.most_common(1)[0][0]
    guesses = {bag: answers.most_common(1)[0][0] for bag, answers in by_bag.items()}
    judged = rows("judge", 10_000)
    blind_hits = sum(answer == favourite for _, answer in judged)
    bag_hits = sum(answer == guesses.get(bag, favourite) for bag, answer in judged)
    assert 0 < task.chance(n) <= 1
    assert blind_hits <= binom.isf(1e-6, len(judged), task.chance(n))
    assert bag_hits >= binom.ppf(1e-6, len(judged), task.chance(n))


@over(ANSWERED)
def test_the_answer_depends_on_order(task):
    """Some bag of characters has two answers; else the task is a control and its docstring says so."""
    answers = defaultdict(set)
    for tokens in draw(task, 2, count=20_000).tokens:
        prompt, answer = taken_apart(task, tokens)
        answers["".join(sorted(prompt))].add(answer)
    assert ("control" in type(task).__doc__) != any(len(found) > 1 for found in answers.values())


@over(UNANSWERED)
def test_without_an_answer_everything_but_the_first_character_is_scored(task):
    for n in sizes(task):
        batch = draw(task, n)
        assert not batch.scored[:, 0].any() and batch.scored[:, 1:].all()
        assert batch.layout.prompt == 0
        assert batch.tokens.max() < len(task.alphabet)


@over(UNANSWERED)
def test_without_an_answer_nothing_is_judged(task):
    for ask in (lambda: task.solve("a"), lambda: task.valid("a", "b"), lambda: task.chance(5)):
        with pytest.raises(UsageError, match="bits per character"):
            ask()


@over(UNANSWERED)
def test_a_corpus_has_a_digest(task):
    assert len(bytes.fromhex(task.digest)) == 32
    assert all(other.digest is None for other in ANSWERED.values())
