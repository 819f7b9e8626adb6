from collections import Counter, defaultdict

import pytest
from scipy.stats import binomtest, chi2

from posemb.errors import UsageError
from posemb.layout import Layout
from posemb.seeds import stream
from posemb.task.roles import NOUNS, VERBS, Roles

TASK = Roles()
EXAMPLE = "dog bites man,man bites fox?who bites man"


def rows(n, count, *names):
    batch = TASK.sample(n, count, stream(0, *names), "train")
    return [tuple(TASK.decode(tokens)[1:-1].split("→")) for tokens in batch.tokens]


def swapped(prompt):
    """Agent and patient change places in every clause; the question stays."""
    story, question = prompt.split("?")
    clauses = (" ".join(reversed(clause.split(" "))) for clause in story.split(","))
    return ",".join(clauses) + "?" + question


def test_by_hand():
    assert TASK.solve(EXAMPLE) == "dog"
    assert TASK.solve(swapped(EXAMPLE)) == "fox"
    assert TASK.solve("man bites fox,cat feeds man,dog bites man?who bites man") == "dog"
    assert TASK.solve("dog bites man?who bites") == "dog"
    assert TASK.solve("man bites dog?who bites") == "man"
    assert TASK.layout(EXAMPLE) == Layout(rows=1, length=47, prompt=43)
    assert TASK.length(2) == 47
    assert TASK.length(1) == 29


def test_words_have_one_width_and_no_double():
    assert {len(noun) for noun in NOUNS} == {3} and {len(verb) for verb in VERBS} == {5}
    assert len({*NOUNS, *VERBS, "who"}) == len(NOUNS) + len(VERBS) + 1


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
def test_the_swapped_row_is_a_row_with_the_same_characters_and_another_answer(n):
    for prompt, answer in rows(n, 500):
        other = swapped(prompt)
        assert Counter(other) == Counter(prompt)
        assert len({answer, TASK.solve(other)}) == 2
        assert swapped(other) == prompt


@pytest.mark.parametrize("n", [1, 2])
def test_the_swapped_row_is_as_likely(n):
    seen = Counter(prompt for prompt, _ in rows(n, 40_000))
    pairs = {tuple(sorted((prompt, swapped(prompt)))) for prompt in seen}
    distance = sum((seen[a] - seen[b]) ** 2 / (seen[a] + seen[b]) for a, b in pairs)
    assert chi2.sf(distance, len(pairs)) > 1e-4


@pytest.mark.parametrize("n", [2, 3, 6])
def test_a_decoy_stands_in_every_row(n):
    for prompt, answer in rows(n, 500):
        story, question = prompt.split("?")
        _, verb, patient = question.split(" ")
        decoys = [clause for clause in story.split(",") if clause.startswith(f"{patient} {verb} ")]
        assert len(decoys) == 1
        assert decoys[0].split(" ")[2] != answer
        assert all(clause.split(" ")[0] != clause.split(" ")[2] for clause in story.split(","))


def test_the_answer_may_stand_in_any_clause_and_be_any_noun():
    found = [
        (prompt.index(f"{answer} {prompt.split(' ')[-2]} {prompt[-3:]}") // 14, answer)
        for prompt, answer in rows(5, 3000)
    ]
    by_place, by_noun = (Counter(column) for column in zip(*found, strict=True))
    assert set(by_place) == set(range(5)) and min(by_place.values()) > 450
    assert set(by_noun) == set(NOUNS) and min(by_noun.values()) > 200


@pytest.mark.parametrize("n", [1, 2, 3, 4, 8])
def test_words_without_order_are_worth_exactly_chance(n):
    """A judge that sees which words share a clause, and is fitted on how often each candidate is mentioned."""

    def features(prompt):
        story, question = prompt.split("?")
        asked = set(question.split(" ")[1:])
        bags = [set(clause.split(" ")) for clause in story.split(",")]
        first, second = sorted(word for bag in bags if bag >= asked for word in bag - asked)
        mentions = Counter(word for bag in bags for word in bag)
        return first, second, mentions[first] - mentions[second]

    fitted = defaultdict(int)
    for prompt, answer in rows(n, 8000, "fit"):
        first, _, balance = features(prompt)
        fitted[balance] += 1 if answer == first else -1
    hits = 0
    for prompt, answer in rows(n, 4000, "judge"):
        first, second, balance = features(prompt)
        hits += answer == (first if fitted[balance] >= 0 else second)
    assert binomtest(hits, 4000, TASK.chance(n)).pvalue > 1e-4


@pytest.mark.parametrize(
    ("prompt", "named"),
    [
        ("dog bites", "dog bites"),
        ("dog bites man", "'dog bites man' is without a question"),
        ("dog bites man?", "without a question"),
        (" bites man?who bites", "not a clause"),
        ("dog bites man?who ", "not a question"),
        ("dog likes man?who likes", "'likes' is not a verb of roles. Take one of bites, calls"),
        ("Dog bites man?who bites", "'Dog' is not a noun of roles. Take one of ant, bee"),
        ("dog bites man?who eats", "'eats' is not a verb"),
        ("dog bites man?bites who", "bites who"),
        ("dog bites?who bites", "dog bites"),
        ("dog  bites man?who bites", "not a clause"),
        ("tap bites man?who bites", "'tap' is not a noun"),
        ("dog bites man,?who bites", "not a clause"),
        ("dog bites man?who feeds", "0 clauses"),
        ("dog bites man,fox bites man?who bites man", "2 clauses"),
        ("dog bites man?who bites man?", "who bites man"),
    ],
)
def test_malformed_prompts(prompt, named):
    with pytest.raises(UsageError, match=named.replace("?", r"\?")) as caught:
        TASK.layout(prompt)
    assert EXAMPLE in str(caught.value)
