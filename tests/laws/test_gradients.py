"""Every parameter learns."""

import pytest
import torch
from torch.nn import functional as F

from tests.laws.subjects import PROMPT, Subject, over_all, tokens


@over_all
@pytest.mark.parametrize("stirred", [False, True], ids=["at the start", "on the way"])
def test_every_parameter_gets_a_finite_gradient(subject: Subject, stirred: bool):
    model, ids, rows = subject.model(torch.float32, stirred).train(), subject.ids(), tokens()
    logits = model(rows, model.positions(ids, 0, ids.shape[1], PROMPT))
    F.cross_entropy(logits[:, :-1].flatten(0, 1), rows[:, 1:].flatten()).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        # At the start a zero may hide what lies behind it; once a method has moved, nothing of it is idle.
        assert parameter.grad.any() or not stirred, name
