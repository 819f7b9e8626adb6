"""What a task says about its tokens, so that an id scheme can place them without knowing the task."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class Layout:
    """The shape of one batch of equal-length sequences. While decoding it is that of the whole, *final* rows.

    Attributes:
        rows: sequences in the batch, B.
        length: tokens in a whole sequence, marks included, T.
        prompt: tokens before the first answer token (begin mark, prompt, answer mark); 0 where nothing is asked.
        roles: (B|1, T) int64: tokens with the same number play the same role, such as a letter and its copy; numbers
            count on from 1 along what belongs together, and 0 is a token without a role. None where the task has none.
        digits: (B|1, T) int64: the place of a digit in its own number, counted from 1 at the end of the number that
            the answer begins with, so that the places of operands and answer meet; 0 for every other token. None
            where the task has no numbers.
    """

    rows: int
    length: int
    prompt: int
    roles: "Tensor | None" = None
    digits: "Tensor | None" = None

    def __eq__(self, other: object) -> bool:
        """Whether all is equal, the numbers of roles and digits included."""
        if not isinstance(other, Layout):
            return NotImplemented
        return self._plain() == other._plain()

    def _plain(self) -> tuple[object, ...]:
        marked = (None if one is None else one.tolist() for one in (self.roles, self.digits))
        return self.rows, self.length, self.prompt, *marked
