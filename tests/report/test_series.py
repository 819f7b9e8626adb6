import pytest

from posemb.errors import UsageError
from posemb.report.series import chart, labels
from posemb.report.terminal import draw
from tests.report.conftest import ALIBI, APE, EMPTY, TEXT, not_finite, result, row


def test_a_chart_holds_what_the_documents_say() -> None:
    what = chart([APE, ALIBI])
    assert (what.figure, what.title, what.trained, what.span) == ("exact match", "copy", [43], (23, 203))
    assert [line.label for line in what.series] == ["ape", "alibi"]
    assert [(point.length, point.value) for point in what.series[1].drawn] == [(23, 1), (43, 1), (45, 1), (203, 0.25)]
    assert [point.length for point in what.series[0].missing] == [203]


def test_figures_that_are_not_finite_are_missing_points_with_a_status_of_their_own() -> None:
    rows = [row(10, 1.0), not_finite(row(21, 1.0, "untrained rows")), row(100, None)]
    [line] = chart([result("ape", rows)]).series
    assert [point.length for point in line.drawn] == [23]
    assert [point.status for point in line.missing] == ["not finite", "cannot represent"]
    drawn = draw([result("ape", rows)])
    assert "× not finite" in drawn and "× cannot represent" in drawn and "untrained rows" not in drawn


def test_each_mode_of_a_text_is_a_line() -> None:
    what = chart([TEXT])
    assert [line.label for line in what.series] == ["rope, blocked", "rope, sliding"]
    assert what.chance == []


def test_two_tasks_share_no_chance_line() -> None:
    assert chart([APE]).chance
    assert not chart([APE, result("rope", [row(1, 1.0)], task="last")]).chance


def test_labels_tell_runs_apart_with_as_little_as_that_takes() -> None:
    assert labels([APE, ALIBI]) == ["ape", "alibi"]
    assert labels([APE, APE | {"ids": "randomized"}]) == ["ape", "ape+randomized"]
    assert labels([APE, APE | {"seed": 1}, ALIBI]) == ["ape seed 0", "ape seed 1", "alibi"]
    assert labels([APE, APE | {"task": "last"}]) == ["ape on copy", "ape on last"]
    assert labels([APE, APE | {"run": "runs/copy/ape/s0-2"}]) == ["ape seed 0 s0-1234abcd", "ape seed 0 s0-2"]
    assert labels([APE, APE | {"seed": {"init": 1, "data": 2}}])[1] == "ape seed 1.2"
    assert len(set(labels([APE, APE | {"run": "other/s0-1234abcd"}]))) == 2


def test_no_curve_is_said() -> None:
    with pytest.raises(UsageError, match=r"no curve to draw yet: .*nope.* is failed"):
        chart([EMPTY])
    assert len(chart([EMPTY, APE]).series) == 1


def test_text_and_answers_do_not_mix() -> None:
    with pytest.raises(UsageError, match="bits per character"):
        chart([APE, TEXT])
