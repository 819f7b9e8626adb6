"""What a task says about its tokens, so that an id scheme can place them without knowing the task."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    """The shape of one batch of equal-length sequences.

    Attributes:
        rows: sequences in the batch, B.
        length: tokens in a whole sequence, marks included, T. While decoding this is the *final* length.
        prompt: tokens before the first answer token (begin mark, prompt, answer mark); 0 where nothing is asked.
    """

    rows: int
    length: int
    prompt: int
