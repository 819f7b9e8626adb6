"""Position says where to look, never what is read there: values pass every method untouched."""

import pytest
import torch

from posemb.model import attention
from tests.laws.subjects import Subject, over_all, run, tokens


@over_all
def test_values_are_never_touched(subject: Subject, monkeypatch: pytest.MonkeyPatch):
    model, made, used = subject.model(), [], []
    for block in model.blocks:
        block.qkv.register_forward_hook(lambda module, inputs, output: made.append(output.chunk(3, dim=-1)[2]))

    def watched(q, k, v, bias, at):
        used.append(v.transpose(1, 2).flatten(2))
        return attend(q, k, v, bias, at)

    attend = attention.attend
    monkeypatch.setattr(attention, "attend", watched)
    run(model, tokens(), subject.ids())
    assert len(used) == len(made) == 2
    assert all(torch.equal(*pair) for pair in zip(used, made, strict=True))
