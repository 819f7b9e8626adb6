"""What comes later, and what stands in other rows, has no say. Causality comes from the index, never from ids."""

import torch

from tests.laws.subjects import LENGTH, VOCABULARY, Subject, over_all, run, tokens

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}


@over_all
def test_later_tokens_leave_earlier_logits_as_they_are(subject: Subject):
    ids, rows = subject.ids(), tokens()
    for dtype in TOLERANCE:
        model = subject.model(dtype)
        before = run(model, rows, ids)
        for t in range(subject.first, LENGTH):
            changed = rows.clone()
            changed[:, t:] = (changed[:, t:] + 1) % VOCABULARY
            after = run(model, changed, ids)
            assert torch.equal(before[:, :t], after[:, :t])  # to the last bit
            assert not torch.isclose(before[:, t], after[:, t]).all(dim=-1).any()


@over_all
def test_other_rows_leave_a_row_as_it_is(subject: Subject):
    ids, rows = subject.ids(), tokens()
    changed = (rows + 1) % VOCABULARY
    changed[0] = rows[0]
    for dtype in TOLERANCE:
        model = subject.model(dtype)
        assert torch.equal(run(model, rows, ids)[0], run(model, changed, ids)[0])


@over_all
def test_truncation_agrees_at_a_fixed_horizon(subject: Subject):
    ids, rows = subject.ids(), tokens()
    for dtype, tolerance in TOLERANCE.items():
        model = subject.model(dtype)
        full = run(model, rows, ids)
        for t in range(subject.first, LENGTH):
            torch.testing.assert_close(run(model, rows, ids, stop=t), full[:, :t], rtol=0, atol=tolerance)


@over_all
def test_another_batch_size_agrees(subject: Subject):
    ids, rows = subject.ids(), tokens()
    for dtype, tolerance in TOLERANCE.items():
        model = subject.model(dtype)
        full = run(model, rows, ids)
        for row in range(len(rows)):
            one = slice(row, row + 1)
            alone = run(model, rows[one], ids[one] if len(ids) > 1 else ids)
            torch.testing.assert_close(alone, full[one], rtol=0, atol=tolerance)


@over_all
def test_a_bidirectional_prompt_sees_all_of_itself_and_a_causal_one_does_not(subject: Subject):
    model, ids, rows = subject.model(), subject.ids(), tokens()
    changed = rows.clone()
    changed[:, 3] = (changed[:, 3] + 1) % VOCABULARY
    same = torch.equal(run(model, rows, ids)[:, :3], run(model, changed, ids)[:, :3])
    assert same == (subject.attention == "causal")
