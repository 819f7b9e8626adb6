"""Every parameter learns."""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from posemb.laws.law import Finding, law
from posemb.laws.subject import LENGTH, PROMPT, Subject, layout, tokens
from posemb.position.base import Shape
from posemb.seeds import stream


@law
def gradients(subject: Subject, found: Finding) -> None:
    """Every parameter gets a finite gradient, and no layer's or head's part of it is idle once off its start."""
    for stirred in (False, True):
        model, rows = subject.model(torch.float32, stirred).train(), tokens()
        # With and without the random start that some schemes have in training: a threshold may lie between the two.
        for training in (True, False):
            ids = subject.scheme.assign(layout(LENGTH), training, stream(0, "law", "ids"))
            logits = model(rows, model.positions(ids, 0, LENGTH, PROMPT))
            F.cross_entropy(logits[:, :-1].flatten(0, 1), rows[:, 1:].flatten()).backward()
        for name, parameter in model.named_parameters():
            slope = parameter.grad
            if slope is None:
                found.holds(False, f"{name} gets no gradient")
                continue
            found.holds(bool(torch.isfinite(slope).all()), f"the gradient of {name} is not finite")
            # At the start a zero may hide what lies behind it.
            found.holds(not stirred or not any(_idle(slope, subject.shape)), f"{name}, or a part of it, has no say")


def _idle(slope: Tensor, shape: Shape) -> Iterator[bool]:
    """Whether nothing of a gradient is left: of all of it, of a layer's part, of a head's."""
    yield not slope.any()
    if slope.ndim > 1 and slope.shape[0] == shape.layers:
        yield not slope.flatten(1).any(1).all()
    if slope.shape[-1] == shape.heads:
        yield not slope.reshape(-1, shape.heads).any(0).all()
