"""Against values worked out by hand, and against what a test of its level must do over many draws."""

import random

import pytest

from posemb.report.effect import mean_difference
from posemb.report.statistics import LEVEL, estimates, holm, least_p, sign_flip


def one(values: list[float | None], **more: float) -> tuple[float | None, ...]:
    [found] = estimates([values], [True] * len(values), **more)
    assert found.values == values
    return found.median, found.low, found.high


def test_the_bootstrap_interval_of_a_median_of_nine():
    # P(resampled median <= k-th value) = P(Binomial(9, k/9) >= 5): .0018 for k = 1, .030 for k = 2. So 2.5 % lies at
    # the second value, and by symmetry 97.5 % at the eighth.
    assert one([9, 3, 1, 2, 5, 4, 8, 7, 6]) == (5, 2, 8)


def test_where_nothing_lies_between_the_median_is_the_lower_one_and_the_ends_occur():
    [two, four] = [
        estimates([values], [True] * len(values), stepped=True)[0] for values in ([60, 30], [20, 40, 60, 80])
    ]
    assert (two.median, two.low, two.high) == (30, 30, 60)
    assert (four.median, four.low, four.high) == (40, 20, 80)
    draw = random.Random(4)
    for _ in range(40):
        values = [draw.choice((20, 30, 60, 100)) for _ in range(draw.randint(2, 9))]
        [found] = estimates([values], [True] * len(values), stepped=True)
        assert {found.median, found.low, found.high} <= set(values)
        assert found.median == sorted(values)[(len(values) - 1) // 2]


def test_a_difference_is_shown_as_the_mean_that_is_tested():
    # The median of these is 0, and the test is not of it. Resampled means of two: 0, 1/2 or 1, 1/4 of them at each end.
    assert mean_difference([0.0, 0.0, 0.0, 1.0]).mean == 0.25
    two = mean_difference([0.0, 1.0])
    assert (two.mean, two.low, two.high, two.values) == (0.5, 0.0, 1.0, [0.0, 1.0])
    assert (mean_difference([0.5]).low, mean_difference([]).mean) == (None, None)


def test_of_three_seeds_the_interval_is_all_that_was_seen():
    assert one([0.2, 0.7, 0.4]) == (0.4, 0.2, 0.7)  # P(median is the lowest) = 7/27


def test_equal_seeds_have_an_interval_without_width_and_bimodal_ones_the_widest():
    assert one([0.5, 0.5, 0.5]) == (0.5, 0.5, 0.5)
    assert one([0.0, 1.0, 1.0, 0.0, 1.0]) == (1.0, 0.0, 1.0)


def test_one_seed_has_no_interval_and_none_has_nothing():
    assert one([0.5]) == (0.5, None, None)
    assert one([None]) == (None, None, None)
    assert estimates([[0.5, 0.7]], [False, False])[0].median is None


def test_only_those_that_count_are_in_the_median_and_all_are_shown():
    [found] = estimates([[0.0, 0.4, 0.6]], [False, True, True])
    assert (found.median, found.low, found.high, found.values) == (0.5, 0.4, 0.6, [0.0, 0.4, 0.6])


def test_a_figure_that_is_missing_counts_as_told_or_leaves_no_median():
    assert one([None, 1.0, 1.0], missing=0.0)[:2] == (1.0, 0.0)
    assert one([None, 1.0, 1.0]) == (None, None, None)
    assert one([None, None], missing=0.0) == (None, None, None)


def test_the_interval_holds_the_true_median_about_as_often_as_it_says():
    draw = random.Random(0)
    samples = [[draw.gauss(0, 1) for _ in range(15)] for _ in range(200)]
    held = sum((found.low or 0) <= 0 <= (found.high or 0) for found in estimates(samples, [True] * 15))
    # The percentile bootstrap of a median is a little off 95 %; 15 values: .93 to .97.
    assert 179 <= held <= 199


def test_the_same_values_give_the_same_interval():
    values = [random.Random(1).random() for _ in range(12)]
    assert one(values) == one(values)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([0.1, 0.2, 0.3], 0.25),  # 2 of 8 sign patterns are as extreme
        ([1.0, 2.0, 3.0, -1.0], 0.375),  # sum 5; of 16 patterns 3 reach +5 (7, 5, 5) and 3 reach -5
        ([0.0, 0.0, 0.0], 1.0),
        ([0.7], 1.0),
        ([1.0] * 10, 2 / 1024),
        ([1.0, -1.0], 1.0),
    ],
)
def test_sign_flips_by_hand(differences: list[float], p: float):
    assert sign_flip(differences) == pytest.approx(p)
    assert sign_flip([-one for one in differences]) == pytest.approx(p)
    assert p >= least_p(len(differences)) - 1e-12


def test_the_smallest_p_that_so_many_pairs_can_give():
    assert [least_p(pairs) for pairs in (1, 2, 3, 5, 6, 16)] == [1, 0.5, 0.25, 0.0625, 0.03125, 2.0**-15]
    assert least_p(30) == pytest.approx(sign_flip([1.0] * 30))  # drawn, no longer counted out


def test_holm_by_hand():
    # Ascending .005, .01, .03, .04, times 4, 3, 2, 1: .02, .03, .06, .04, and none below the one before.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.02]) == [0.02]
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_where_labels_mean_nothing_they_are_told_apart_at_the_stated_rate():
    """Bimodal seeds, labels shuffled within each pair: 8 pairs, 300 draws."""
    draw = random.Random(2)
    found = 0
    for _ in range(300):
        seeds = [(draw.gauss(0.2, 0.1), draw.gauss(0.8, 0.1)) for _ in range(8)]
        pairs = [draw.sample(pair, 2) for pair in seeds]
        found += sign_flip([a - b for a, b in pairs]) <= LEVEL
    # Binomial(300, .05): above 28 or below 4 in one of 1,000 worlds. An exact test of 256 patterns is at .047.
    assert 4 <= found <= 28


def test_a_family_without_a_difference_has_a_false_finding_at_the_stated_rate():
    """Four groups against one baseline, all from one distribution: 200 draws."""
    draw = random.Random(3)
    families = {"plain": 0, "holm": 0}
    for _ in range(200):
        base, *others = [[draw.gauss(0, 1) for _ in range(8)] for _ in range(5)]
        ps = [sign_flip([a - b for a, b in zip(one, base, strict=True)]) for one in others]
        families["plain"] += min(ps) <= LEVEL
        families["holm"] += min(holm(ps)) <= LEVEL
    assert 1 <= families["holm"] <= 20 < families["plain"]  # Binomial(200, .05): above 20 in one of 1,000 worlds
