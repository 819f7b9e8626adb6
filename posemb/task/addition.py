"""Addition: two numbers of n digits. Digits of one significance belong together, wherever they stand."""

import string
from typing import Literal, final

import torch
from torch import Tensor

from posemb.errors import UsageError
from posemb.task.base import Batch, Split, Task

EXAMPLE = "123+456="
# Python turns no longer text into a whole number.
MOST_DIGITS = 4300


@final
class Addition(Task):
    """Add two numbers of the same width.

        ⟨ 1 2 3 + 4 5 6 = → 9 7 5 0 ⟩    reversed: the least significant digit first
        ⟨ 1 2 3 + 4 5 6 = → 0 5 7 9 ⟩    plain

    Size: digits of each number, zeros in front included. The sum has one digit more, a zero where nothing is carried.
    The digits that make one digit of the sum stand at distances that grow with the size, and differ for each place
    unless ids tell them apart: this is the task that Abacus and coupled ids were made for. Reversed, a digit needs the
    carry of those already said; plain, the first digit needs the carry of all that follow.

    Chance: 10^-n. The likeliest sum of two evenly drawn numbers is 99...9, and it comes up that often.

    Source:
        With answer=reversed: Lee et al. 2023, "Teaching Arithmetic to Small Transformers", arXiv:2307.03381, which says
        sums in both orders.

    Args:
        answer: which end of the sum is said first.
    """

    alphabet = string.digits + "+="

    def __init__(self, answer: Literal["reversed", "plain"] = "reversed") -> None:
        self.answer = answer

    def sample(self, n: int, count: int, rng: torch.Generator, split: Split) -> Batch:
        """Digits drawn evenly and independently, added column by column from the right for all rows at once."""
        first, second = torch.randint(10, (2, count, n), generator=rng)
        carry, said = torch.zeros(count, dtype=torch.int64), []
        for column in (first + second).flip(1).unbind(1):
            column = column + carry
            said.append(column % 10)
            carry = column // 10
        total = torch.stack([*said, carry], dim=1)
        plus, equals = (torch.full((count, 1), self.alphabet.index(sign)) for sign in "+=")
        prompts = torch.cat([first, plus, second, equals], dim=1)
        return self.rows(prompts, total if self.answer == "reversed" else total.flip(1))

    def roles(self, prompts: Tensor, answers: Tensor) -> Tensor:
        """Digits of one significance share a role, counted from the most significant digit of the sum.

        What follows on a number, its sign or mark, has the role after its last (Cho et al. 2024, arXiv:2405.20671).

            ⟨ 1 2 3 + 4 5 6 = → 9 7 5 0 ⟩
            0 2 3 4 5 2 3 4 5 5 4 3 2 1 0
        """
        places = torch.arange(answers.shape[1] + 1)[None] + 1  # 1..n+2
        end, said = places[:, :1] - 1, places[:, :-1]
        said = said.flip(1) if self.answer == "reversed" else said
        return torch.cat([end, places[:, 1:], places[:, 1:], places[:, -1:], said, end], dim=1)

    def digits(self, prompts: Tensor, answers: Tensor) -> Tensor:
        """Places counted from the end that the answer begins with.

        ⟨ 1 2 3 + 4 5 6 = → 9 7 5 0 ⟩    ⟨ 1 2 3 + 4 5 6 = → 0 5 7 9 ⟩
        0 3 2 1 0 3 2 1 0 0 1 2 3 4 0    0 1 2 3 0 1 2 3 0 0 1 2 3 4 0
        """
        said = torch.arange(answers.shape[1])[None] + 1
        number = said[:, :-1].flip(1) if self.answer == "reversed" else said[:, :-1]
        other = torch.zeros(1, 1, dtype=torch.int64)
        return torch.cat([other, number, other, number, other, other, said, other], dim=1)

    def solve(self, prompt: str) -> str:
        """Let Python add."""
        first, plus, rest = prompt.partition("+")
        second, equals, after = rest.partition("=")
        if not plus or after or not (first.isdecimal() and second.isdecimal()):
            raise UsageError(f"{prompt!r} is no sum of two numbers. Write it like {EXAMPLE!r}.")
        if len(first) != len(second):
            wide = max(len(first), len(second))
            padded = f"{first.zfill(wide)}+{second.zfill(wide)}="
            raise UsageError(f"{prompt!r}: both numbers must have as many digits. Put zeros in front: {padded!r}.")
        if not equals:
            raise UsageError(f"{prompt!r} ends without its '='. Write {prompt + '='!r}.")
        if len(first) >= MOST_DIGITS:
            raise UsageError(f"Numbers of {len(first)} digits are too long to be added here: give fewer.")
        total = str(int(first) + int(second)).zfill(len(first) + 1)
        return total[::-1] if self.answer == "reversed" else total

    def length(self, n: int) -> int:
        """Two numbers of n digits, + and =, a sum of n + 1 digits and the three marks."""
        return 2 * n + 2 + n + 1 + 3

    def chance(self, n: int) -> float:
        """How often the likeliest sum comes up."""
        return 10.0**-n
