"""Every parameter learns."""

import pytest
import torch
from torch.nn import functional as F

from posemb.seeds import stream
from tests.laws.subjects import LENGTH, PROMPT, Subject, layout, over_all, tokens


@over_all
@pytest.mark.parametrize("stirred", [False, True], ids=["at the start", "on the way"])
def test_every_parameter_gets_a_finite_gradient(subject: Subject, stirred: bool):
    model, rows = subject.model(torch.float32, stirred).train(), tokens()
    # With and without the random start that some schemes have in training: a threshold may lie between the two.
    for training in (True, False):
        ids = subject.scheme.assign(layout(LENGTH), training, stream(0, "law", "ids"))
        logits = model(rows, model.positions(ids, 0, LENGTH, PROMPT))
        F.cross_entropy(logits[:, :-1].flatten(0, 1), rows[:, 1:].flatten()).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        # At the start a zero may hide what lies behind it; once a method has moved, nothing of it is idle.
        assert parameter.grad.any() or not stirred, name
