"""Does a method know where it is, or only how far apart things are? Measured: the output under ids + c."""

from posemb.position.base import injection_points
from tests.laws.subjects import FARTHEST, TRAINED, Subject, over_all, run, tokens

# Of the methods that do not add a vector to the embedding, none here reads an id but through a difference.
WHERE_AM_I = "at_embedding"


@over_all
def test_shifted_ids(subject: Subject):
    model, ids, rows = subject.model(), subject.ids(), tokens()
    still = run(model, rows, ids)
    for shift in (1, TRAINED, FARTHEST // 2):
        moved = (run(model, rows, ids + shift) - still).abs().max().item()
        if WHERE_AM_I in injection_points(model.position):
            assert moved > 1e-3, shift
        else:
            assert moved < 1e-10, shift


@over_all
def test_stretched_ids_are_seen_by_every_method_but_none(subject: Subject):
    """Twice as far apart is another input to whatever injects at all."""
    model, ids, rows = subject.model(), subject.ids(), tokens()
    moved = (run(model, rows, 2 * ids) - run(model, rows, ids)).abs().max().item()
    assert (moved > 1e-6) == bool(injection_points(model.position))
