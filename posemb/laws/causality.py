"""What comes later has no say. Causality comes from the index, never from ids."""

import torch

from posemb.laws.law import Finding, law
from posemb.laws.subject import LENGTH, VOCABULARY, Subject, run, tokens


@law
def causality(subject: Subject, found: Finding) -> None:
    """Other tokens later in a row leave the logits before them the same to the last bit.

    They change the logits at their own place, and a bidirectional prompt sees all of itself.
    """
    ids, rows = subject.ids(), tokens()
    for dtype in (torch.float32, torch.float64):
        model = subject.model(dtype)
        before = run(model, rows, ids)
        for t in range(subject.first, LENGTH):
            after = run(model, _changed(rows, slice(t, None)), ids)
            found.near(after[:, :t], before[:, :t], 0, f"a change at token {t} reaches back, {dtype}")
            unmoved = torch.isclose(before[:, t], after[:, t]).all(dim=-1).any()
            found.holds(not unmoved, f"a change at token {t} leaves its own logits as they are")
    after = run(model, _changed(rows, slice(3, 4)), ids)
    same = torch.equal(after[:, :3], before[:, :3])
    found.holds(same == (subject.attention == "causal"), "the mask of the prompt is not the one asked for")


def _changed(rows: torch.Tensor, where: slice) -> torch.Tensor:
    changed = rows.clone()
    changed[:, where] = (changed[:, where] + 1) % VOCABULARY
    return changed
