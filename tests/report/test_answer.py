import random
import re

import pytest

from posemb.report.answer import answer, question
from posemb.report.cells import group_columns
from posemb.report.provenance import Record
from tests.report.example import CURVES, SIZES, compared, record

FAR, NEAR, FAILED = [1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0.5, 0.25, 0, 0]


def said(seeds: int, **curves: list[float | None]) -> str:
    """The answer to groups of so many equal seeds."""
    some = [record(name, shares, seed) for name, shares in curves.items() for seed in range(seeds)]
    return " ".join(answer(compared(some)))


def test_enough_seeds_show_a_planted_difference() -> None:
    # Each seed's area: alibi 1; ape, trapezoids over log size: ln(2) / 2 / ln(5) = .215 from size 20 to 100.
    # Ten pairs, all of one sign: p = 2 / 2^10 = .00195.
    assert (
        "Against alibi, mean difference in log-length area: ape −0.785 (95 % interval −0.785 to −0.785), p = 0.002."
        in said(10, alibi=FAR, ape=NEAR)
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
            "Exact match of rope stays at 90 % or above up to the trained size, 20 (at the next evaluated size, 40: "
            "≤ 0.75 %), in the median over seeds.",
        ),
        (
            {"ape": FAR, "rope": FAR},
            "Exact match of ape and rope stays at 90 % or above up to size 100, the longest evaluated, in the median",
        ),
        (
            {"ape": NEAR, "rope": FAR},
            "In these runs rope holds farthest: exact match stays at 90 % or above up to size 100, the longest "
            "evaluated; ape: up to the trained size, 20 (at the next evaluated size, 40: ≤ 0.75 %)",
        ),
        (
            {"ape": [1, 1, 1, 0.89, 0], "rope": [1, 1, 1, 0.043, 0]},
            "ape and rope stays at 90 % or above up to the trained size, 20 (at the next evaluated size, 40: 89.0 % "
            "for ape, 4.3 % for rope)",
        ),
        ({"ape": [1, 1, 1, None, None]}, "(at the next evaluated size, 40: cannot represent)"),
        ({"ape": [1, 1, 1, 0.89996, 0]}, "(at the next evaluated size, 40: just below 90 %)"),
        ({"ape": NEAR}, "At size 100 it is ≤ 0.75 % for ape."),
        ({"ape": FAILED}, "No run learned copy at the lengths it was trained on"),
        ({"ape": FAILED, "rope": FAR}, "rope learned the task with all 2 seeds; ape with none of 2 seeds."),
    ],
)
def test_who_holds_how_far(curves: dict[str, list[float]], words: str) -> None:
    assert words in said(2, **curves)


# These fall at once, so that there is something left to say about the longest size.
HALF, ZERO, MUTE = [1, 1, 1, 0.5, 0.5], [1, 1, 1, 0, 0], [1, 1, 1, 0.5, None]
MUCH = [1, 1, 1, 0.8, 0.8]


@pytest.mark.parametrize(
    ("many", "last"),
    [
        ([*[HALF] * 3, ZERO, ZERO], "At size 100 it is at most 50.0 % for all."),
        ([ZERO] * 5, "At size 100 it is ≤ 0.75 % for all."),
        ([FAR, *[HALF] * 5], "At size 100 it is at most 50.0 % for these 5: m1, m2, m3, m4 and m5."),
        ([MUTE, *[ZERO] * 5], "At size 100 it is ≤ 0.75 % for these 5: m1, m2, m3, m4 and m5."),
        ([ZERO, MUTE], "At size 100 it is ≤ 0.75 % for m0."),
    ],
)
def test_many_groups_have_one_bound_at_the_longest_size(many: list[list[float | None]], last: str) -> None:
    assert f" {last} " in f"{said(1, **{f'm{place}': curve for place, curve in enumerate(many)})} "


def test_many_groups_have_one_range_at_the_size_where_they_fall() -> None:
    curves = {f"m{place}": [1, 1, 1, 1, place / 8] for place in range(6)}
    told = said(1, **curves)
    assert "up to size 40, 2 times the trained one (at the next evaluated size, 100: ≤ 0.75 % to 62.5 %)" in told
    assert "At size 100" not in told


def test_a_shorter_curve_is_not_the_longest_there_is() -> None:
    some = [record("alibi", FAR, 0), record("ape", FAR, 0)]
    some[1].document["curve"].pop()
    assert "up to size 40, the longest that all were evaluated at" in answer(compared(some, allow=["eval.sizes"]))[1]


def test_a_winner_is_one_of_these_runs_until_the_test_has_shown_it() -> None:
    assert "In these runs alibi holds farthest" in said(3, alibi=FAR, ape=NEAR)
    assert ". alibi holds farthest" in said(6, alibi=FAR, ape=NEAR)
    # The winner was tested against the baseline only, and not against rope.
    assert "In these runs alibi holds farthest" in said(10, ape=NEAR, alibi=FAR, rope=MUCH)
    assert ". alibi holds farthest" in said(10, alibi=FAR, ape=NEAR, rope=MUCH)
    # It holds farther, and its area is smaller.
    assert "In these runs dent holds farthest" in said(10, near=[1, 1, 1, 0.89, 0.89], dent=[1, 1, 1, 0.9, 0])


def test_what_was_not_evaluated_is_not_called_failed() -> None:
    def past_only(name: str) -> Record:
        one = record(name, FAR, 0)
        one.document["curve"] = one.document["curve"][3:]
        one.document["in_distribution"] = None
        return one

    assert answer(compared([past_only("ape")]))[0].startswith("Whether any run learned copy is not known")
    assert "not known" in group_columns(compared([past_only("ape")]))[0][1][0].note
    apart = [past_only("ape"), record("rope", FAILED, 0)]
    assert answer(compared(apart))[0].startswith("No run is known to have learned copy")


def test_each_reason_for_no_test_is_told() -> None:
    apart = compared([record("alibi", FAR, 0), record("ape", NEAR, 1)])
    assert answer(apart)[-1] == "No difference could be tested: no data seed in common with alibi."
    failed = compared([record("alibi", FAR, 0), record("ape", FAILED, 0), record("ape", FAR, 1)])
    assert "no data seed in common with alibi with which both learned the task" in answer(failed)[-1]
    short = [record("alibi", FAR, 0), record("ape", FAR, 0)]
    for one in short:
        del one.document["curve"][3:]
    assert answer(compared(short))[-1].endswith("no figures past the trained size in common with alibi.")


VALUES = (1.0, 0.95, 0.9, 0.89, 0.5, 0.0, None)


def grid(draw: random.Random) -> list[Record]:
    """One to four groups of one to three seeds that learned, and are anything past that."""
    seeds = range(draw.randint(1, 3))
    return [
        record(name, [1, 1, draw.choice((1.0, 0.95, 0.9)), *draw.choices(VALUES, k=2)], seed)
        for name in ("alibi", "ape", "nope", "rope")[: draw.randint(1, 4)]
        for seed in seeds
    ]


def test_the_headline_says_nothing_that_the_figures_do_not() -> None:
    draw = random.Random(0)
    for _ in range(150):
        some = grid(draw)
        what = compared(some)
        told = answer(what)[1]
        far = {group.label: group.l90.median for group in what.groups}
        medians = {(group.label, row.size): row.estimate.median for group in what.groups for row in group.rows}
        parts = told.split(". ")[0].split("; ")
        for part in parts:
            # What the part speaks of, by its groups; its figures are behind the colon of its brackets.
            names = [name for name in far if re.search(rf"\b{name}\b", part.split(" (at the next")[0])]
            size = int(re.findall(r"size,? (\d+)", part)[0])
            assert names and all(far[name] == size for name in names), told
            following = re.search(r"at the next evaluated size, (\d+): (.*?)\)", part)
            assert (following is None) == (size == 100), told
            if following is not None:
                place = int(following[1])
                assert place == SIZES[SIZES.index(size) + 1], told
                assert all((medians[name, place] or 0) < 0.9 for name in names) or "seeds hold up to there" in part, (
                    told
                )
        assert {name for name in far if re.search(rf"\b{name}\b", told.split(". ")[0])} == set(far), told
        if "farthest" in told:
            best = [name for name in far if re.search(rf"\b{name}\b", parts[0].split(" farthest")[0])]
            assert all(far[name] == max(far.values()) for name in best), told
            assert all(far[name] < max(far.values()) for name in far if name not in best), told
            assert told.startswith("In these runs "), told  # three seeds show nothing


def test_the_question_names_a_few_groups_and_counts_many() -> None:
    few = [record(name, FAR, 0) for name in CURVES]
    many = [record(f"method{place}", FAR, 0) for place in range(9)]
    assert question(compared(few)).startswith("Which of alibi, ape and rope does best on copy, and what happens past")
    assert question(compared(many)).startswith("Which of these 9 does best on copy")
    assert question(compared(few[:1])).startswith("What does alibi do on copy, and what happens past")
