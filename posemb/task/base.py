"""The task contract: rows that only order can answer, and a slow, obvious judge to hold them against."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from posemb.errors import UsageError
from posemb.layout import Layout

Split = Literal["train", "validation", "evaluation"]

# How the three marks are drawn where a row is shown to a person. They are tokens, but no characters of any alphabet.
MARKS = ("⟨", "→", "⟩")


@dataclass(frozen=True)
class Batch:
    """Rows of one length: begin, prompt, answer mark, answer, end. Rows of a text are bare windows of it.

    Attributes:
        tokens: (B, T) int64.
        scored: (B, T) bool: this token is a target (the answer and the end mark; in a text, all but the first).
        layout: what an id scheme may know about the rows.
    """

    tokens: Tensor
    scored: Tensor
    layout: Layout


class Task(ABC):
    """One synthetic question about order. Size `n` is the task's own measure; length is always tokens.

    `sample` (vectorised) and `solve` (plain Python) are written independently; the laws hold one against the other.
    A task whose answer does not depend on order is a control, and its docstring says so.
    """

    alphabet: str
    # SHA-256 of the file that rows are cut from, where there is one. It stands for the task's parameter `file`, which
    # says where that file lies: a run's hash counts the digest, not the path.
    digest: str | None = None

    @abstractmethod
    def sample(self, n: int, count: int, rng: torch.Generator, split: Split) -> Batch:
        """`count` rows of size n. All randomness comes from `rng`."""

    @abstractmethod
    def solve(self, prompt: str) -> str:
        """The right answer, worked out slowly and obviously.

        Raises:
            UsageError: the prompt is not one of this task, or no prompt has a right answer (text).
        """

    @abstractmethod
    def length(self, n: int) -> int:
        """Tokens in a sequence of size n, marks included.

        Raises:
            UsageError: there are no rows of size n. Asked for every size before a run folder is made.
        """

    @abstractmethod
    def chance(self, n: int) -> float:
        """Exact match of guessing: the floor line in every figure.

        At least what a guess scores that reads nothing, at most what one scores that reads all but the order; the
        task's docstring says which guess is meant.
        """

    def layout(self, prompt: str) -> Layout:
        """The layout of the whole sequence that this bare prompt begins, its answer included: one row.

        Raises:
            UsageError: the prompt is not one of this task.
        """
        if not prompt:
            raise UsageError(f"An empty prompt asks nothing: give at least one of the characters {self.alphabet!r}.")
        asked = self.encode(prompt)  # first: it names the characters that no row of this task contains
        return self.rows(asked[None], self.encode(self.solve(prompt))[None]).layout

    def valid(self, prompt: str, answer: str) -> bool:
        """Whether `answer` is a right answer to `prompt`."""
        return answer == self.solve(prompt)

    def roles(self, prompts: Tensor, answers: Tensor) -> Tensor | None:
        """(B|1, T) which tokens of the rows play the same role, see `Layout`; None where a task has no roles.

        Args:
            prompts: (B, P) tokens.
            answers: (B, A) tokens.
        """
        return None

    def digits(self, prompts: Tensor, answers: Tensor) -> Tensor | None:
        """(B|1, T) the place of each digit in its own number, see `Layout`; None where a task has no numbers."""
        return None

    def train_sizes(self, trained: int) -> Sequence[int]:
        """The sizes that training draws from when the trained size is `trained`."""
        return range(1, trained + 1)

    @property
    def begin(self) -> int:
        """Token of the begin mark."""
        return len(self.alphabet)

    @property
    def mark(self) -> int:
        """Token of the answer mark."""
        return len(self.alphabet) + 1

    @property
    def end(self) -> int:
        """Token of the end mark."""
        return len(self.alphabet) + 2

    @property
    def vocabulary(self) -> int:
        """Different tokens: the alphabet and the three marks."""
        return len(self.alphabet) + len(MARKS)

    def encode(self, text: str) -> Tensor:
        """Characters -> (T,) tokens.

        Raises:
            UsageError: a character is not in the alphabet.
        """
        strange = sorted(set(text) - set(self.alphabet))
        if strange:
            known = "".join(sorted(self.alphabet)[:120])  # a text's can be thousands of characters
            raise UsageError(f"{' '.join(map(repr, strange[:20]))} not in the task's alphabet: {known!r}.")
        places = {character: token for token, character in enumerate(self.alphabet)}
        return torch.tensor([places[character] for character in text], dtype=torch.int64)

    def decode(self, tokens: Tensor) -> str:
        """(T,) tokens -> characters, the marks drawn as in `MARKS`."""
        symbols = (*self.alphabet, *MARKS)
        return "".join(symbols[token] for token in tokens.tolist())

    def rows(self, prompts: Tensor, answers: Tensor) -> Batch:
        """Put the marks around prompts (B, P) and answers (B, A): T = P + A + 3."""
        count = prompts.shape[0]
        begin, mark, end = (torch.full((count, 1), token) for token in (self.begin, self.mark, self.end))
        tokens = torch.cat([begin, prompts, mark, answers, end], dim=1)
        asked = prompts.shape[1] + 2
        scored = torch.zeros_like(tokens, dtype=torch.bool)
        scored[:, asked:] = True
        marked = self.roles(prompts, answers), self.digits(prompts, answers)
        return Batch(tokens, scored, Layout(count, tokens.shape[1], asked, *marked))
