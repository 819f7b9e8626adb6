"""Does a method know where it is, or only how far apart things are?"""

from posemb.laws.law import Finding, law
from posemb.laws.subject import TRAINED, Subject, run, tokens
from posemb.position.base import injection_points


@law
def shift(subject: Subject, found: Finding) -> None:
    """With all ids moved the output stays as it is, unless the method says that it is absolute.

    Twice as far apart is another input to whatever reads ids.
    """
    model, ids, rows = subject.model(), subject.ids(), tokens()
    still, moved = run(model, rows, ids), 0.0
    for by in (1, TRAINED, 300):
        shifted = run(model, rows, ids + by)
        gap = (shifted - still).abs().max().item()
        if model.position.absolute:
            found.holds(gap > 1e-4, f"`absolute` is True, and ids + {by} change nothing")
            moved = max(moved, gap)
        else:
            found.near(shifted, still, 1e-10, f"`absolute` is False, and ids + {by} change the output")
    if model.position.absolute:
        found.moves = moved
    reads = bool(injection_points(model.position)) and model.position.reads_ids
    stretched = (run(model, rows, 2 * ids) - still).abs().max().item() > 1e-6
    what = "change the output" if stretched else "change nothing"
    found.holds(stretched == reads, f"`reads_ids` is {model.position.reads_ids}, and ids twice as far apart {what}")
