"""Copy: say again what was said, in the same order."""

import string
from typing import final

import torch
from torch import Tensor

from posemb.task.base import Batch, Split, Task


@final
class Copy(Task):
    """Copy the prompt.

        ⟨ q w e → q w e ⟩

    Size: letters. The answer's k-th letter is the prompt's k-th, so where each letter stands is all that matters: it
    comes n + 1 tokens after its source, another distance at every size. One letter out of order fails the row.

    Chance: 26^-n, one guess at every letter by someone who did not read the prompt.

    Source:
        None: a memory task of long standing, with no one paper to name.
    """

    alphabet = string.ascii_lowercase

    def sample(self, n: int, count: int, rng: torch.Generator, split: Split) -> Batch:
        """Letters drawn evenly and independently, each prompt its own answer."""
        letters = torch.randint(len(self.alphabet), (count, n), generator=rng)
        return self.rows(letters, letters)

    def roles(self, prompts: Tensor, answers: Tensor) -> Tensor:
        """A letter and its copy share a role; what stands before the first copy counts as the role before it.

        ⟨ q w e → q w e ⟩
        0 2 3 4 1 2 3 4 0
        """
        end, letters = torch.zeros(1, 1, dtype=torch.int64), torch.arange(prompts.shape[1])[None] + 2
        return torch.cat([end, letters, end + 1, letters, end], dim=1)

    def solve(self, prompt: str) -> str:
        """The prompt itself."""
        return prompt

    def length(self, n: int) -> int:
        """Two times n letters and the three marks."""
        return 2 * n + 3

    def chance(self, n: int) -> float:
        """One guess at every letter."""
        return float(len(self.alphabet)) ** -n
