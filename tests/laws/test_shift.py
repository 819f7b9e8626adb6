"""Does a method know where it is, or only how far apart things are? Measured: the output under ids + c."""

import pytest

from posemb.errors import UsageError
from posemb.position.base import injection_points
from tests.laws.subjects import FARTHEST, METHODS, SCHEMES, TRAINED, Method, Subject, over_all, run, tokens


@over_all
def test_shifted_ids(subject: Subject):
    model, ids, rows = subject.model(), subject.ids(), tokens()
    still = run(model, rows, ids)
    for shift in (1, TRAINED, FARTHEST // 2):
        moved = (run(model, rows, ids + shift) - still).abs().max().item()
        assert (moved > 1e-4) if model.position.absolute else (moved < 1e-10), shift


@over_all
def test_stretched_ids_are_seen_by_every_method_that_reads_ids(subject: Subject):
    """Twice as far apart is another input to whatever injects at all, unless it counts tokens by itself."""
    model, ids, rows = subject.model(), subject.ids(), tokens()
    moved = (run(model, rows, 2 * ids) - run(model, rows, ids)).abs().max().item()
    assert (moved > 1e-6) == (bool(injection_points(model.position)) and model.position.reads_ids)


@pytest.mark.parametrize("method", METHODS, ids=[method.name for method in METHODS])
def test_what_is_causal_only_refuses_a_prompt_that_looks_ahead(method: Method):
    subject = Subject(method, SCHEMES["sequential"], "prefix")
    if method.causal_only:
        with pytest.raises(UsageError, match="causal attention only"):
            subject.model()
    else:
        subject.model()
