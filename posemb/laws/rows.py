"""A row of a batch is alone."""

from posemb.laws.law import Finding, law
from posemb.laws.subject import EXACT, VOCABULARY, Subject, run, tokens


@law
def rows(subject: Subject, found: Finding) -> None:
    """Other rows of a batch leave a row the same to the last bit.

    By itself it comes to the same, and so do ids that are given once for all rows or once for each.
    """
    ids, batch = subject.ids(), tokens()
    changed = (batch + 1) % VOCABULARY
    changed[0] = batch[0]
    for dtype, tolerance in EXACT.items():
        model = subject.model(dtype)
        right = run(model, batch, ids)
        found.near(run(model, changed, ids)[0], right[0], 0, f"other rows, {dtype}")
        for row in range(len(batch)):
            one = slice(row, row + 1)
            alone = run(model, batch[one], ids[one] if len(ids) > 1 else ids)
            found.near(alone, right[one], tolerance, f"another batch size, {dtype}")
    once, each = (run(model, batch, rows_of_ids) for rows_of_ids in (ids[:1], ids[:1].expand(3, -1)))
    found.near(once, each, 1e-12, "one row of ids for all")
