"""Text: the next character of a real file. The exception among the tasks: nobody asks, so nobody can judge."""

from collections.abc import Sequence
from hashlib import sha256
from typing import NoReturn, final, get_args

import torch
from torch import Tensor

from posemb.errors import UsageError
from posemb.layout import Layout
from posemb.task.base import Batch, Split, Task
from posemb.task.corpus import read_corpus

# Evaluation scores this many characters for each example asked for: a window of 64, moved on by a quarter of itself.
CHARACTERS_PER_EXAMPLE = 16


@final
class Text(Task):
    """Predict the next character of a real text.

        with the statement → h, space, t, h, e ... (every character but the first is scored; there are no marks)

    Size: the window, in characters; a window has no begin mark, since it starts anywhere. The first 80 % of the file
    train, the next 10 % validate, the last 10 % evaluate. Without order the words are anagrams: a bag of letters gives
    little more than how often each letter occurs.

    Chance: none. There is no right answer, so the curve reports bits per character.

    Source:
        None: the text is the user's, or comes with CPython.

    Args:
        file: a UTF-8 text; None takes the language reference that comes with every CPython (about 0.5 MB, and a little
            different in each Python version: the digest tells).

    Raises:
        UsageError: the file cannot be read as text, or is too short to be split.
    """

    def __init__(self, file: str | None = None) -> None:
        self.file = file
        corpus = read_corpus(file)
        self.digest = sha256(corpus.encode()).hexdigest()
        self.alphabet = "".join(sorted(set(corpus)))
        tokens = self.encode(corpus)
        parts = tokens.tensor_split([len(tokens) * 8 // 10, len(tokens) * 9 // 10])
        self._parts = dict(zip(get_args(Split), parts, strict=True))
        if self._longest < 2:
            raise UsageError(
                f"{self._name} has {len(tokens)} characters, too few to split 80/10/10: task.file needs at least 20."
            )

    @property
    def vocabulary(self) -> int:
        """Different tokens: the alphabet alone, for no window carries a mark."""
        return len(self.alphabet)

    def sample(self, n: int, count: int, rng: torch.Generator, split: Split) -> Batch:
        """`count` windows of n characters from anywhere in the split's part of the file; they may overlap."""
        self.length(n)
        part = self._parts[split]
        return self._windows(part, torch.randint(len(part) - n + 1, (count,), generator=rng), n, fresh=n - 1)

    def blocked(self, n: int, count: int) -> Batch:
        """The evaluation stretch cut into windows side by side: cheap, but a window's early characters see little.

        A window begins on the last scored character of the one before it, because its own first cannot be scored.

        Args:
            n: window in characters.
            count: examples asked for, see `_stretch`.
        """
        return self._tiled(n, count, fresh=n - 1)

    def sliding(self, n: int, count: int) -> Batch:
        """The evaluation stretch in overlapping windows: only the last quarter of a window is scored.

        So each scored character sees at least three quarters of a window, and the curve shows the use of context, not
        the early characters' lack of it. Moving one character at a time would cost n passes over the text; a quarter
        costs four.

        Args:
            n: window in characters.
            count: examples asked for, see `_stretch`.
        """
        return self._tiled(n, count, fresh=max(1, n // 4))

    def _stretch(self, n: int, count: int) -> int:
        """How many characters evaluation scores: the last ones of the file, the same for every n and in both modes.

        `count` examples stand for 16 characters each, at most half of the part: the other half is room for context, so
        lengths can be compared on equal text. Only a window longer than that half has to shorten the stretch.
        """
        part = len(self._parts["evaluation"])
        return min(CHARACTERS_PER_EXAMPLE * count, part // 2, part - n + 1)

    def _tiled(self, n: int, count: int, fresh: int) -> Batch:
        """Windows whose last `fresh` characters, put together, are the stretch; the earliest may score fewer."""
        self.length(n)
        part, stretch = self._parts["evaluation"], self._stretch(n, count)
        steps = torch.arange(-(-stretch // fresh) - 1, -1, -1)
        batch = self._windows(part, len(part) - n - fresh * steps, n, fresh)
        batch.scored[0, : n - (stretch - fresh * (len(steps) - 1))] = False
        return batch

    def _windows(self, part: Tensor, starts: Tensor, n: int, fresh: int) -> Batch:
        """Windows of n characters at `starts` (B,), the last `fresh` of each scored."""
        tokens = part[starts[:, None] + torch.arange(n)]
        scored = torch.zeros_like(tokens, dtype=torch.bool)
        scored[:, n - fresh :] = True
        return Batch(tokens, scored, Layout(len(starts), n, 0))

    def length(self, n: int) -> int:
        """The window itself.

        Raises:
            UsageError: no window of n characters predicts anything, or fits into each part of the file.
        """
        if n < 2:
            raise UsageError(f"A window of {n} character has nothing to predict: text needs sizes of 2 or more.")
        if n > self._longest:
            raise UsageError(
                f"A window of {n} characters does not fit into {self._name}: its smallest part (10 % of the file) has "
                f"{self._longest}. Take a longer file, or sizes up to {self._longest}."
            )
        return n

    def layout(self, prompt: str) -> Layout:
        """One row of text as it stands: there is no answer to add."""
        if not prompt:
            raise UsageError("An empty text predicts nothing: give at least one character.")
        return Layout(1, len(self.encode(prompt)), 0)

    def train_sizes(self, trained: int) -> Sequence[int]:
        """One window: a longer one contains the shorter."""
        return [trained]

    def solve(self, prompt: str) -> NoReturn:
        """No answer is right: always a UsageError."""
        raise UsageError("text has no right answer, only likely ones: look at its bits per character.")

    def chance(self, n: int) -> NoReturn:
        """No exact match to guess at: always a UsageError."""
        raise UsageError("text has no exact match to guess at: look at its bits per character.")

    @property
    def _longest(self) -> int:
        return min(map(len, self._parts.values()))

    @property
    def _name(self) -> str:
        return "the language reference" if self.file is None else f"task.file={self.file}"
