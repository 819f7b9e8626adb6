"""How long a row will be in the end has no say before it is longer than any in training."""

import torch

from posemb.laws.law import Finding, law
from posemb.laws.subject import LENGTH, LONG, TRAINED, Subject, run

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}


@law
def horizon(subject: Subject, found: Finding) -> None:
    """Cut short, rows keep their logits while their final length stays what it is.

    Up to the trained length the final length makes no difference either.
    """
    for batch, ids in subject.rows_of(LENGTH, LONG):
        for dtype, tolerance in TOLERANCE.items():
            model = subject.model(dtype)
            full = run(model, batch, ids)
            for t in range(subject.first, len(ids[0]), 1 if len(ids[0]) == LENGTH else 7):
                what = f"the first {t} of {len(ids[0])} tokens, {dtype}"
                found.near(run(model, batch, ids, stop=t), full[:, :t], tolerance, what)
    for batch, ids in subject.rows_of(TRAINED):
        model, early = subject.model(), ids[:, :LENGTH]
        found.near(run(model, batch, early), run(model, batch, ids, stop=LENGTH), 1e-10, "another final length")
