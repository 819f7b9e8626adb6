"""What a method is told of training, held against what training then does."""

from typing import Any

import pytest

from posemb.eval.curve import measure
from posemb.position.base import Positions, Reach
from posemb.run.build import Experiment, build
from posemb.run.check import check
from posemb.run.compose import compose
from posemb.train.batches import training_batch


def built(*words: str) -> Experiment:
    return build(check(compose(list(words))))


def told(*words: str) -> tuple[int, int, int, int, bool]:
    shape = built(*words).model.position.shape
    return shape.trained, shape.tokens, shape.least, shape.greatest, shape.spreads


def statuses(*words: str, sizes: tuple[int, ...]) -> list[Any]:
    it = built("eval.count=4", "model.width=16", "model.layers=1", *words)
    return [measure(it.model, it.task, it.ids, size, 4)["status"] for size in sizes]


def test_what_rows_of_copy_show():
    """Size 8: 19 tokens, 18 of them fed; 10 belong to the prompt. Nine roles, 2..9 and the mark's 1; K = 36."""
    assert told("task=copy", "train.size=8") == (19, 19, 0, 17, False)
    assert told("task=copy", "train.size=8", "model.attention=prefix") == (19, 19, -9, 17, False)
    assert told("task=copy", "train.size=8", "ids=coupled") == (46, 19, -8, 45, True)
    # With a prompt that sees itself the begin mark, id 0, also asks the letters, up to 9 + K ahead.
    assert told("task=copy", "train.size=8", "ids=coupled", "model.attention=prefix") == (46, 19, -45, 45, True)
    assert told("task=copy", "train.size=8", "ids=randomized") == (95, 19, 0, 93, True)


def test_ids_from_a_range_lie_farthest_apart_in_short_rows():
    """Size 1: five tokens, three of the prompt, so its last has an id of at most 95 - 3."""
    assert told("task=copy", "train.size=8", "ids=randomized", "model.attention=prefix") == (95, 19, -92, 93, True)


def test_what_rows_of_addition_show():
    """Size 5: 21 tokens, sums of six digits; K = 24. Marks and signs, id 0, ask the digits of operands before them."""
    assert told("task=addition", "train.size=5", "ids=abacus") == (31, 21, -29, 30, True)
    assert told("task=addition", "train.size=5", "ids=abacus", "ids.offset=0") == (7, 21, -5, 6, True)


@pytest.mark.parametrize("mask", ["causal", "prefix"])
@pytest.mark.parametrize("ids", ["sequential", "randomized", "abacus", "coupled"])
def test_training_shows_the_gaps_that_a_method_is_told_of_and_none_beyond(ids: str, mask: str):
    """Ranges so short that a few hundred batches meet their ends."""
    short = {"randomized": ["ids.limit=16"], "abacus": ["ids.offset=3"], "coupled": ["ids.offset=3"]}.get(ids, [])
    it = built("task=addition", "train.size=2", f"ids={ids}", f"model.attention={mask}", *short)
    shown = []
    for step in range(300):
        batch, rows = training_batch(it.task, it.ids, 2, 16, 0, step)
        at = Positions.span(rows, 0, batch.layout.length - 1, mask == "causal", batch.layout.prompt)
        shown.append((at.gap[:, at.visible].min().item(), at.gap[:, at.visible].max().item()))
    shape = it.model.position.shape
    assert (min(least for least, _ in shown), max(most for _, most in shown)) == (shape.least, shape.greatest)


FAR = (8, 9, 16, 32)


def test_a_gap_of_a_sign_that_training_did_not_show_that_far_is_untrained():
    """Coupled ids: the start of a row cancels between letters, so training on 8 of them shows -8 and no less."""
    ok, untrained = Reach.OK.value, Reach.UNTRAINED.value
    coupled = ("ids=coupled", "task=copy", "train.size=8")
    assert statuses("position=t5", *coupled, sizes=FAR) == [ok, untrained, untrained, untrained]
    assert statuses("position=shaw", *coupled, sizes=FAR) == [ok, untrained, untrained, untrained]
    assert statuses("position=rpe", *coupled, sizes=FAR) == [ok] * 4  # all that lies beyond shares a trained scalar


@pytest.mark.parametrize(("position", "size", "longer"), [("shaw", 8, 16), ("t5", 8, 16)])
def test_a_longer_prompt_that_sees_itself_asks_for_gaps_ahead_that_training_did_not_show(
    position: str, size: int, longer: int
):
    words = (f"position={position}", f"train.size={size}", "task=copy", "model.attention=prefix")
    assert statuses(*words, sizes=(size, longer)) == [Reach.OK.value, Reach.UNTRAINED.value]


def test_rows_of_every_trained_size_are_ok():
    for ids in ("sequential", "randomized", "coupled"):
        for mask in ("causal", "prefix"):
            for position in ("rpe", "shaw", "t5"):
                words = (f"position={position}", f"ids={ids}", f"model.attention={mask}", "task=copy", "train.size=6")
                assert statuses(*words, sizes=(1, 2, 3, 4, 5, 6)) == [Reach.OK.value] * 6
