"""Every parameter learns."""

import torch
from torch.nn import functional as F

from posemb.laws.law import Finding, law
from posemb.laws.subject import LENGTH, PROMPT, Subject, layout, tokens
from posemb.seeds import stream


@law
def gradients(subject: Subject, found: Finding) -> None:
    """Every parameter gets a finite gradient, and none is idle once the method has moved off its start."""
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
                found.faults.append(f"{name} gets no gradient")
                continue
            found.holds(bool(torch.isfinite(slope).all()), f"the gradient of {name} is not finite")
            # At the start a zero may hide what lies behind it.
            found.holds(bool(slope.any()) or not stirred, f"{name} has no say")
