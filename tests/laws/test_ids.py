"""What must hold for every id scheme that exists."""

import pytest
import torch

from posemb.laws.subject import TRAINED, layout
from posemb.seeds import stream
from tests.laws.subjects import SCHEMES

over_schemes = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES.keys())
over_phases = pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])


def draw(scheme, length=TRAINED, training=True, rows=4, seed=0):
    return scheme.assign(layout(length, rows, length // 2), training, stream(seed, "law"))


@over_schemes
@over_phases
def test_every_token_has_one_id(scheme, training):
    for length in (1, 2, TRAINED):
        ids = draw(scheme, length, training)
        assert ids.dtype == torch.int64
        assert ids.shape in ((1, length), (4, length))
        assert ids.min() >= 0


@over_schemes
def test_training_ids_stay_below_the_limit(scheme):
    for seed in range(20):
        for length in range(1, TRAINED + 1):
            assert draw(scheme, length, seed=seed).max() < scheme.id_limit


@over_schemes
def test_a_scheme_that_spreads_asks_for_no_new_id_in_evaluation(scheme):
    longer = draw(scheme, 2 * TRAINED, training=False)
    assert not scheme.spreads or longer.max() < scheme.id_limit


@over_schemes
@over_phases
def test_ids_come_from_the_given_stream_alone(scheme, training):
    state = torch.get_rng_state()
    ids = draw(scheme, training=training)
    assert torch.equal(torch.get_rng_state(), state)
    torch.rand(1)
    assert torch.equal(draw(scheme, training=training), ids)
    torch.set_rng_state(state)


@over_schemes
@over_phases
def test_the_same_row_has_the_same_ids_in_a_larger_batch(scheme, training):
    few, many = draw(scheme, training=training, rows=2), draw(scheme, training=training, rows=9)
    assert torch.equal(few[:2], many[: len(few)])
