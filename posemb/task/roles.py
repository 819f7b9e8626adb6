"""Roles: who did it to whom. The same words in another order tell another story."""

from collections.abc import Sequence
from typing import final

import torch
from torch import Tensor

from posemb.errors import UsageError
from posemb.layout import Layout
from posemb.task.base import Batch, Split, Task

NOUNS = ("ant", "bee", "cat", "cow", "dog", "fox", "hen", "man", "owl", "pig")
VERBS = ("bites", "calls", "feeds", "finds", "helps", "loves")
KINDS = (("noun", NOUNS), ("verb", VERBS), ("noun", NOUNS))  # agent, verb, patient
EXAMPLE = "dog bites man,man bites fox?who bites man"


@final
class Roles(Task):
    """Say who did it: in "dog bites man", the dog.

        ⟨ dog bites man,man bites fox?who bites man → dog ⟩
        ⟨ dog bites man?who bites → dog ⟩

    Size: clauses. Of a single one the agent is asked. From two on, the asked noun is also the *agent* of the same verb
    in a decoy clause, and further clauses distract, all in random order. Exactly one clause answers.

    Order decides: swap agent and patient in every clause and the row is as likely as before, is made of the same
    characters, and has another answer (above: fox). So nothing that only counts words can be right more than half of
    the time.

    Chance: 1/2, a guess between the two nouns that share a clause with the asked verb and noun.

    Source:
        None: it is posemb's own.
    """

    alphabet = "".join(sorted({*"".join(NOUNS + VERBS), *"who ,?"}))

    def __init__(self) -> None:
        told = [self.encode(f"{agent} {verb} {patient},") for agent in NOUNS for verb in VERBS for patient in NOUNS]
        asked = [self.encode(f"who {verb} {patient}") for verb in VERBS for patient in NOUNS]
        self.told = torch.stack(told).view(len(NOUNS), len(VERBS), len(NOUNS), 14)
        self.asked = torch.stack(asked).view(len(VERBS), len(NOUNS), 13)
        self.nouns = torch.stack([self.encode(noun) for noun in NOUNS])  # (nouns, 3)
        nouns, verbs = torch.arange(len(NOUNS)), torch.arange(len(VERBS))
        every = torch.cartesian_prod(nouns, verbs, nouns)
        self.clauses = every[every[:, 0] != every[:, 2]]  # (clauses, 3): agent, verb, patient, never the agent itself

    def sample(self, n: int, count: int, rng: torch.Generator, split: Split) -> Batch:
        """The answering clause, its decoy and the distractors are drawn as indices, shuffled, then spelled."""
        agent, patient, other = torch.rand(count, len(NOUNS), generator=rng).argsort(1)[:, :3].unbind(1)
        verb = torch.randint(len(VERBS), (count,), generator=rng)
        told = torch.stack([agent, verb, patient], dim=1)[:, None]  # (B, 1, 3)
        if n > 1:
            decoy = torch.stack([patient, verb, other], dim=1)[:, None]
            told = torch.cat([told, decoy, self._distractors(n - 2, verb, patient, rng)], dim=1)
        order = torch.rand(count, n, generator=rng).argsort(1)
        told = told.gather(1, order[:, :, None].expand(-1, -1, 3))
        story = self.told[told.unbind(2)].flatten(1)  # (B, 14 n)
        story[:, -1] = self.encode("?")  # instead of the last comma
        asked = self.asked[verb, patient][:, : _asked(n)]
        return self.rows(torch.cat([story, asked], dim=1), self.nouns[agent])

    def _distractors(self, n: int, verb: Tensor, patient: Tensor, rng: torch.Generator) -> Tensor:
        """(B, n, 3) clauses in which the asked verb (B,) never meets the asked noun (B,).

        With it as patient they would give a second answer; with it as agent they would do so in the swapped row.
        """
        if n == 0:  # multinomial refuses to draw nothing
            return torch.empty(len(verb), 0, 3, dtype=torch.int64)
        agents, verbs, patients = self.clauses.T
        meets = (agents == patient[:, None]) | (patients == patient[:, None])
        allowed = ~((verbs == verb[:, None]) & meets)  # (B, clauses)
        return self.clauses[allowed.float().multinomial(n, replacement=True, generator=rng)]

    def solve(self, prompt: str) -> str:
        """Read the clauses, find the one that the question describes, name its agent."""
        story, _, question = prompt.partition("?")
        clauses = [clause.split(" ") for clause in story.split(",")]
        for clause in clauses:
            if len(clause) != 3 or not all(clause):
                raise UsageError(f"{' '.join(clause)!r} is not a clause of roles. {_grammar()}")
            _refuse_words(clause, KINDS)
        asked = question.split(" ")
        if not question:
            raise UsageError(f"{prompt!r} is without a question, which stands behind a '?'. {_grammar()}")
        if len(asked) not in (2, 3) or asked[0] != "who" or not all(asked):
            raise UsageError(f"{question!r} is not a question of roles. {_grammar()}")
        _refuse_words(asked[1:], KINDS[1:])
        agents = [clause[0] for clause in clauses if clause[1 : len(asked)] == asked[1:]]
        if len(agents) != 1:
            raise UsageError(f"{len(agents)} clauses answer {question!r}; exactly one must. {_grammar()}")
        return agents[0]

    def layout(self, prompt: str) -> Layout:
        """As of any task, but a wrong word is named before a wrong letter of it."""
        if prompt:
            self.solve(prompt)
        return super().layout(prompt)

    def length(self, n: int) -> int:
        """Clauses of 14 characters, the question, an answer of three letters, the three marks."""
        return 14 * n + _asked(n) + 3 + 3

    def chance(self, n: int) -> float:
        """Either of two nouns, whatever the size."""
        return 0.5


def _asked(n: int) -> int:
    """Characters of the question: `who bites`, from two clauses on `who bites man`."""
    return 9 if n == 1 else 13


def _refuse_words(words: Sequence[str], kinds: Sequence[tuple[str, Sequence[str]]]) -> None:
    """See to it that each word is one of its kind."""
    for word, (kind, known) in zip(words, kinds, strict=False):
        if word not in known:
            raise UsageError(f"{word!r} is not a {kind} of roles. Take one of {', '.join(known)}. {_grammar()}")


def _grammar() -> str:
    return f"Write it like {EXAMPLE!r}."
