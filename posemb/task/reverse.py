"""Reverse: say it backwards. Copy's distances are all alike; here no two letters are equally far from their source."""

import string
from typing import final

import torch
from torch import Tensor

from posemb.task.base import Batch, Split, Task


@final
class Reverse(Task):
    """Say the prompt backwards.

        ⟨ q w e → e w q ⟩

    Size: letters. The answer's k-th letter stands 2k tokens after its source, so no single distance answers the row,
    and a model that only knows how far it looked in training finds nothing beyond.

    Chance: 26^-n, one guess at every letter by someone who did not read the prompt.

    Source:
        None: a memory task of long standing, with no one paper to name.
    """

    alphabet = string.ascii_lowercase

    def sample(self, n: int, count: int, rng: torch.Generator, split: Split) -> Batch:
        """Letters drawn evenly and independently; the answer is the prompt flipped."""
        letters = torch.randint(len(self.alphabet), (count, n), generator=rng)
        return self.rows(letters, letters.flip(1))

    def roles(self, prompts: Tensor, answers: Tensor) -> Tensor:
        """A letter and its copy share a role; the answer mark follows on the prompt.

        ⟨ q w e → e w q ⟩
        0 1 2 3 4 3 2 1 0
        """
        end, letters = torch.zeros(1, 1, dtype=torch.int64), torch.arange(prompts.shape[1])[None] + 1
        return torch.cat([end, letters, end + prompts.shape[1] + 1, letters.flip(1), end], dim=1)

    def solve(self, prompt: str) -> str:
        """The characters from last to first."""
        return "".join(reversed(prompt))

    def length(self, n: int) -> int:
        """Two times n letters and the three marks."""
        return 2 * n + 3

    def chance(self, n: int) -> float:
        """One guess at every letter."""
        return float(len(self.alphabet)) ** -n
