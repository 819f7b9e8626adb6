"""Position says where to look, never what is read there."""

import torch

from posemb.laws.law import Finding, law
from posemb.laws.subject import LENGTH, ROWS, Subject
from posemb.seeds import stream


@law
@torch.no_grad()
def values(subject: Subject, found: Finding) -> None:
    """Values pass untouched.

    Where one vector stands at every place the same is read, whatever is attended to: all places stay equal.
    """
    model, at = subject.model(), subject.at(subject.ids())
    one = torch.randn(subject.shape.width, generator=stream(0, "law", "values"), dtype=torch.float64)
    x = one.expand(ROWS, LENGTH, -1)
    tables = model.position.prepare(at)
    for layer, block in enumerate(model.blocks):
        x = block(x, at, tables, model.position, layer, None)
    found.near(x, x[:, :1].expand_as(x), 1e-12, "equal vectors come out unequal")
