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
        reason: what is wrong, or why the law does not apply; else what was measured without being judged.
    """

    position: str
    variant: str
    ids: str
    attention: str
    law: str
    state: str
    error: float | None = None
    bound: float | None = None
    reason: str = ""

    @property
    def share(self) -> float:
        """How bad the error is: what it takes of its bound; nothing where it is 0 and must be."""
        if not self.error or self.bound is None:
            return 0.0
        return self.error / self.bound if self.bound else inf
