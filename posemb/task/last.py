"""Last: the last letter. What copy shows in a minute, this shows in seconds."""

import string
from typing import final

import torch

from posemb.task.base import Batch, Split, Task


@final
class Last(Task):
    """Say the prompt's last letter.

        ⟨ q w e → e ⟩

    Size: letters. The answer always stands one token before the answer mark, so a method that knows *one step back*
    solves every length, and one that knows only places it has seen stops where training stopped. Without order every
    letter of the prompt could be the last.

    Chance: 1/26, one guess by someone who did not read the prompt.

    Source:
        None: it is posemb's own.
    """

    alphabet = string.ascii_lowercase

    def sample(self, n: int, count: int, rng: torch.Generator, split: Split) -> Batch:
        """Letters drawn evenly and independently."""
        letters = torch.randint(len(self.alphabet), (count, n), generator=rng)
        return self.rows(letters, letters[:, -1:])

    def solve(self, prompt: str) -> str:
        """The last character."""
        return prompt[-1]

    def length(self, n: int) -> int:
        """The n letters, one letter of answer and the three marks."""
        return n + 1 + 3

    def chance(self, n: int) -> float:
        """One letter of the alphabet."""
        return 1 / len(self.alphabet)
