"""Position methods of a user's own that go wrong in ways of their own, for sweeps over them."""

import os
import signal

import torch

from posemb.position.base import PositionMethod


class Raises(PositionMethod):
    """Fails while training."""

    def at_embedding(self, x, at, tables):  # type: ignore[no-untyped-def]
        raise ZeroDivisionError("planted")


class Dies(PositionMethod):
    """Is killed outright while training, as by a kernel that is out of memory."""

    def at_embedding(self, x, at, tables):  # type: ignore[no-untyped-def]
        os.kill(os.getpid(), signal.SIGKILL)


class Diverges(PositionMethod):
    """Makes the loss no number any more."""

    def at_embedding(self, x, at, tables):  # type: ignore[no-untyped-def]
        return x * torch.nan
