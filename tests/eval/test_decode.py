"""Greedy cached decoding is right exactly where teacher forcing is: one pass a length is all a curve needs."""

import pytest
import torch

from posemb.eval.decode import decode
from posemb.eval.score import score
from posemb.model.attention import Cache
from posemb.position.rope import RoPE
from posemb.seeds import stream
from tests.eval.example import IDS, SIZE, TASK, build, trained

CLEARLY, HALF = 250, 100  # steps


@pytest.mark.parametrize("steps", [CLEARLY, HALF], ids=["learned", "half learned"])
def test_decoding_equals_teacher_forcing_row_by_row(steps: int):
    model, verdicts = trained(steps), []
    for size in range(1, SIZE + 3):  # past the trained size as well
        batch = TASK.sample(size, 100, stream(0, "decode", size), "evaluation")
        ids, asked = IDS.assign(batch.layout, False, stream(0)), batch.layout.prompt
        answers = decode(model, batch.tokens[:, :asked], ids)
        assert answers.shape == (100, batch.layout.length - asked)
        greedy = (answers == batch.tokens[:, asked:]).all(dim=1)
        forced = score(model, batch, ids).rows_right
        assert torch.equal(greedy, forced)
        verdicts.append(forced)
    right = torch.cat(verdicts).double()
    assert 0.1 < right.mean() < 0.9, "every row the same: nothing was compared"
    assert steps == HALF or torch.cat(verdicts[:3]).double().mean() > 0.9


def test_a_wrong_start_is_followed_by_the_models_own_choice():
    """Greedy: each token is the most likely one after those before it, right or wrong."""
    model = trained(HALF)
    batch = TASK.sample(SIZE, 50, stream(0, "own"), "evaluation")
    ids, asked = IDS.assign(batch.layout, False, stream(0)), batch.layout.prompt
    answers = decode(model, batch.tokens[:, :asked], ids)
    said = torch.cat([batch.tokens[:, :asked], answers], dim=1)
    with torch.no_grad():
        likely = model(said, model.positions(ids, 0, said.shape[1], asked)).argmax(-1)
    assert torch.equal(likely[:, asked - 1 : -1], answers)


@pytest.mark.parametrize("attention", ["causal", "prefix"])
def test_the_horizon_is_that_of_the_whole_row_at_every_step(attention: str):
    """And the prompt is fed once, then one token at a time."""
    model, seen = build(RoPE, attention), []
    model.register_forward_pre_hook(lambda model, inputs: seen.append((inputs[0].shape[1], inputs[1])))
    decode(model, torch.zeros(2, 5, dtype=torch.int64), torch.arange(9)[None])
    assert [length for length, _ in seen] == [5, 1, 1, 1]
    assert all((at.horizon, at.prefix, at.causal) == (9, 5, attention == "causal") for _, at in seen)
    assert [at.start for _, at in seen] == [0, 5, 6, 7]


def test_the_last_token_is_said_and_not_fed():
    model, caches = build(RoPE), []
    model.register_forward_pre_hook(lambda model, inputs: caches.append(inputs[2]))
    answers = decode(model, torch.zeros(1, 5, dtype=torch.int64), torch.arange(9)[None])
    assert answers.shape == (1, 4)
    assert isinstance(caches[0], Cache) and caches[0].layers[0][0].shape[2] == 8
