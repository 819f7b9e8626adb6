"""Scores under teacher forcing: by hand, and the same in whatever pieces."""

import pytest
import torch

from posemb.eval import score as module
from posemb.eval.score import logits_of, score
from posemb.ids.randomized import Randomized
from posemb.layout import Layout
from posemb.position.alibi import ALiBi
from posemb.position.base import PositionMethod
from posemb.position.rope import RoPE
from posemb.seeds import stream
from posemb.task.base import Batch
from tests.eval.example import IDS, LENGTH, SIZE, TASK, build

PROMPT = SIZE + 2


def batch(count: int = 6) -> Batch:
    return TASK.sample(SIZE, count, stream(0, "score"), "evaluation")


class Told(PositionMethod):
    """Stands in for a model: says which logits come out, whatever goes in."""

    backbone = None

    def __init__(self, logits: torch.Tensor) -> None:
        torch.nn.Module.__init__(self)
        self.logits = torch.nn.Parameter(logits)

    def positions(self, *span):
        return None

    def forward(self, tokens, at):
        return self.logits


def test_scores_by_hand():
    """Two rows of begin, prompt, mark, answer, end; three kinds of token; the answer and the end are scored."""
    tokens = torch.tensor([[0, 1, 0, 1, 2], [0, 1, 0, 1, 2]])
    scored = torch.tensor([[False, False, False, True, True]] * 2)
    right, wrong = [[0.0, 2.0, 1.0], [0.0, 0.0, 3.0]], [[0.0, 2.0, 1.0], [0.0, 3.0, 1.0]]
    ignored = [[9.0, 0.0, 0.0]] * 2  # unscored: may be wrong
    model = Told(torch.tensor([ignored + right, ignored + wrong]))
    found = score(model, Batch(tokens, scored, Layout(2, 5, 3)), torch.arange(5)[None])
    assert found.right.tolist() == [True, True, True, False]
    assert found.rows_right.tolist() == [True, False]
    # -log softmax of the target: ln(1 + e² + e) - 2, ln(2 + e³) - 3, the first again, ln(1 + e³ + e) - 1
    assert found.loss.tolist() == pytest.approx([0.407606, 0.094923, 0.407606, 2.169846], abs=1e-6)
    # The loss of every token, weighted by its own probability.
    assert found.entropy[0].item() == pytest.approx(0.832396, abs=1e-6)


def test_rows_are_scored_in_pieces_that_change_nothing(monkeypatch: pytest.MonkeyPatch):
    model, rows = build(RoPE).double(), batch(7)
    ids = Randomized(LENGTH).assign(rows.layout, False, stream(0))  # another in each row
    whole = score(model, rows, ids)
    monkeypatch.setattr(module, "TOKENS_AT_ONCE", 2 * LENGTH)  # two rows at a time, then one
    pieces = score(model, rows, ids)
    assert torch.equal(whole.right, pieces.right) and torch.equal(whole.rows_right, pieces.rows_right)
    torch.testing.assert_close(whole.loss, pieces.loss)
    torch.testing.assert_close(whole.entropy, pieces.entropy)


@pytest.mark.parametrize("attention", ["causal", "prefix"])
@pytest.mark.parametrize("cls", [RoPE, ALiBi])
@pytest.mark.parametrize("at_once", [1, 3, PROMPT, LENGTH - 2, LENGTH - 1])
@torch.no_grad()
def test_queries_in_chunks_equal_the_full_pass(attention: str, cls, at_once: int, monkeypatch: pytest.MonkeyPatch):
    model, tokens, ids = build(cls, attention).double(), batch().tokens, torch.arange(LENGTH)[None]
    whole, passes = logits_of(model, tokens, ids, PROMPT), []
    assert whole.shape == (6, LENGTH - 1, TASK.vocabulary)
    model.register_forward_hook(lambda model, inputs, output: passes.append(output.shape[1]))
    monkeypatch.setattr(module, "QUERIES_AT_ONCE", at_once)
    chunked = logits_of(model, tokens, ids, PROMPT)
    torch.testing.assert_close(chunked, whole, rtol=0, atol=1e-10)
    assert len(passes) > 1 or at_once == LENGTH - 1
    # Memory stays bounded, but a bidirectional prompt must come whole.
    assert max(passes) <= at_once or (attention == "prefix" and passes[0] == PROMPT == max(passes))


def test_scoring_asks_for_no_gradient():
    assert not score(build(RoPE), batch(), IDS.assign(batch().layout, False, stream(0))).loss.requires_grad
