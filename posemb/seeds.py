"""Named random streams. Nothing in posemb draws from torch's global generator."""

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def stream(seed: int, *names: str | int) -> "torch.Generator":
    """A CPU generator that depends on the seed and the names alone, never on what was drawn before.

    `stream(3, "train", 17)` is the same sequence of numbers in every process, so a resumed run needs no data cursor,
    and lengths evaluated in another order draw the same rows.
    """
    import torch

    key = hashlib.blake2b(repr((seed, *names)).encode(), digest_size=8).digest()
    # Generator seeds are signed 64-bit: clear the top bit.
    return torch.Generator().manual_seed(int.from_bytes(key, "big") >> 1)
