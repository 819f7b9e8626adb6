import pytest

from posemb.report.answer import answer, question
from tests.report.example import CURVES, compared, record

FAR, NEAR, FAILED = [1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0.5, 0.25, 0, 0]


def said(seeds: int, **curves: list[float | None]) -> str:
    """The answer to groups of so many equal seeds."""
    some = [record(name, shares, seed) for name, shares in curves.items() for seed in range(seeds)]
    return " ".join(answer(compared(some)))


def test_enough_seeds_show_a_planted_difference() -> None:
    # Each seed's area: alibi 1; ape, trapezoids over log size: ln(2) / 2 / ln(5) = .215 from size 20 to 100.
    # Ten pairs, all of one sign: p = 2 / 2^10 = .00195.
    assert "Against alibi, in log-length area: ape −0.785 (95 % interval −0.785 to −0.785), p = 0.002." in said(
        10, alibi=FAR, ape=NEAR
    )


def test_seeds_that_do_not_differ_are_not_called_equal() -> None:
    assert "No group's log-length area differs from that of alibi at 5 %." in said(6, alibi=FAR, ape=FAR)


@pytest.mark.parametrize(
    ("seeds", "groups", "words"),
    [
        (3, 2, "3 seeds cannot show a difference at 5 %: with 3 pairs p cannot fall below 0.25,"),  # 2 / 2^3
        (3, 2, "6 shared seeds could."),  # 2 / 2^6 = .031, 2 / 2^5 = .0625
        (
            6,
            3,
            "6 seeds cannot show a difference at 5 %: with 6 pairs p, corrected for 2 tests, cannot fall below 0.062",
        ),
        (6, 3, "7 shared seeds could."),  # 2 * 2 / 2^7 = .031
        (1, 2, "1 seed cannot show a difference at 5 %: with 1 pair p cannot fall below 1,"),
    ],
)
def test_too_few_seeds_are_told_how_many_it_takes(seeds: int, groups: int, words: str) -> None:
    assert words in said(seeds, **dict(list({"alibi": FAR, "ape": NEAR, "rope": FAR}.items())[:groups]))


@pytest.mark.parametrize(
    ("curves", "words"),
    [
        (
            {"rope": NEAR},
            "rope holds no farther than the trained size, 20: so far exact match stays at 90 % or above (",
        ),
        ({"ape": FAR, "rope": FAR}, "ape and rope hold equally far: exact match stays at 90 % or above up to size 100"),
        ({"ape": NEAR, "rope": FAR}, "rope holds farthest: exact match stays at 90 % or above up to size 100"),
        ({"ape": NEAR, "rope": FAR}, "ape: no farther than the trained size, 20"),
        ({"ape": NEAR}, "At size 100 it is ≤ 0.75 % for ape."),
        ({"ape": FAILED}, "No run learned copy at the lengths it was trained on"),
        ({"ape": FAILED, "rope": FAR}, "rope learned the task with all 2 seeds; ape with none of 2 seeds."),
    ],
)
def test_who_holds_how_far(curves: dict[str, list[float]], words: str) -> None:
    assert words in said(2, **curves)


HALF, NOTHING, MUTE = [1, 1, 1, 1, 0.5], [1, 1, 1, 1, 0], [1, 1, 1, 1, None]


@pytest.mark.parametrize(
    ("many", "last"),
    [
        ([*[HALF] * 3, NOTHING, NOTHING], "At size 100 it is at most 50.0 % for all."),
        ([NOTHING] * 5, "At size 100 it is ≤ 0.75 % for all."),
        ([FAR, *[HALF] * 5], "At size 100 it is at most 50.0 % for the others."),
        ([MUTE, *[NOTHING] * 5], "At size 100 it is ≤ 0.75 % for all that have figures there."),
        ([MUTE, FAR, *[HALF] * 5], "At size 100 it is at most 50.0 % for the others that have figures there."),
        ([NOTHING, MUTE], "At size 100 it is ≤ 0.75 % for m0."),
    ],
)
def test_many_groups_have_one_bound_at_the_longest_size(many: list[list[float | None]], last: str) -> None:
    assert f" {last} " in f"{said(1, **{f'm{place}': curve for place, curve in enumerate(many)})} "


def test_runs_without_a_common_data_seed_are_not_tested() -> None:
    some = [record("alibi", FAR, 0), record("ape", NEAR, 1)]
    assert answer(compared(some))[-1].startswith("No group shares a comparable data seed with alibi")


def test_the_question_names_a_few_groups_and_counts_many() -> None:
    few = [record(name, FAR, 0) for name in CURVES]
    many = [record(f"method{place}", FAR, 0) for place in range(9)]
    assert question(compared(few)).startswith("Which of alibi, ape and rope does best on copy, and what happens past")
    assert question(compared(many)).startswith("Which of these 9 does best on copy")
    assert question(compared(few[:1])).startswith("What does alibi do on copy, and what happens past")
