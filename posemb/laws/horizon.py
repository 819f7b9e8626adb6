"""How long a row will be in the end has no say before it is longer than any in training."""

import torch

from posemb.laws.law import Finding, law
from posemb.laws.subject import EXACT, LENGTH, LONG, TRAINED, Subject, run


@law
def horizon(subject: Subject, found: Finding) -> None:
    """Cut short, rows keep their logits while their final length stays what it is.

    Up to the trained length the final length makes no difference either.
    """
    for batch, ids in subject.rows_of(LENGTH, LONG):
        for dtype, tolerance in EXACT.items():
            model = subject.model(dtype)
            full = run(model, batch, ids)
            for t in range(subject.first, len(ids[0]), 1 if len(ids[0]) == LENGTH else 7):
                what = f"the first {t} of {len(ids[0])} tokens, {dtype}"
                found.near(run(model, batch, ids, stop=t), full[:, :t], tolerance, what)
    for batch, ids in subject.rows_of(TRAINED):
        model, early = subject.model(), ids[:, :LENGTH]
        right = run(model, batch, ids, stop=LENGTH)
        found.near(run(model, batch, early), right, EXACT[torch.float64], "another final length")
