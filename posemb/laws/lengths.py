"""A pass leaves nothing behind, so lengths may be evaluated in any order."""

from copy import deepcopy

import torch

from posemb.laws.law import Finding, law
from posemb.laws.subject import LENGTH, LONG, PROMPT, TRAINED, Subject, run
from posemb.model.transformer import Transformer


@law
def lengths(subject: Subject, found: Finding) -> None:
    """Lengths in one order and in the other give the same logits to the last bit.

    A pass leaves the model as it was.
    """
    model = subject.model()
    before, weights = _kept(model), deepcopy(model.state_dict())
    asked = list(subject.rows_of(PROMPT, LENGTH, TRAINED, LONG))
    up = [run(model, rows, ids) for rows, ids in asked]
    down = [run(model, rows, ids) for rows, ids in reversed(asked)]
    for (_, ids), one, other in zip(asked, up, reversed(down), strict=True):
        found.near(one, other, 0, f"{ids.shape[1]} tokens, in another order")
    found.holds(_kept(model) == before, "a pass changed an attribute of the model")
    after = model.state_dict()
    same = after.keys() == weights.keys() and all(torch.equal(value, weights[name]) for name, value in after.items())
    found.holds(same, "a pass changed a weight or a buffer")


def _kept(model: Transformer) -> dict[str, str]:
    """What the modules of a model hold beside their weights."""
    return {
        f"{path}.{name}": repr(value)
        for path, module in model.named_modules()
        for name, value in vars(module).items()
        if name not in ("_modules", "_parameters")
    }
