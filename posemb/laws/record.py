"""What one law found of one subject, in plain words and numbers."""

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Record:
    """What one law found of one subject.

    Attributes:
        position: the position option.
        variant: the option, and which of its choices was changed.
        ids: the id scheme.
        attention: the mask.
        law: the law.
        state: pass, fail or exempt.
        error: the worst distance between what must be equal; None where nothing was measured.
        bound: what that distance may be.
        moves: what was measured without being judged: how far outputs move with all ids.
        reason: what is wrong, or why the law does not apply.
    """

    position: str
    variant: str
    ids: str
    attention: str
    law: str
    state: str
    error: float | None = None
    bound: float | None = None
    moves: float | None = None
    reason: str = ""

    @property
    def share(self) -> tuple[float, float]:
        """How bad the error is."""
        return (0.0, 0.0) if self.error is None or self.bound is None else share(self.error, self.bound)


def share(error: float, bound: float) -> tuple[float, float]:
    """How bad an error is: by what it takes of its bound, then by itself. Where it must be 0, all else is worst."""
    return (error / bound if bound else (inf if error else 0.0)), error
