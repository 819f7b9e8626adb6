"""The numbers that sum up a curve, by hand."""

from posemb.eval.horizon import horizon, in_distribution, l90


def rows(**figures: float | None) -> list[dict]:
    return [{"size": int(size[1:]), "exact_match": figure} for size, figure in figures.items()]


CURVE = rows(n1=1.0, n2=0.97, n3=0.99, n4=0.9, n6=0.89, n8=0.95)


def test_in_distribution_is_the_lowest_up_to_the_trained_size():
    assert in_distribution(CURVE, 3) == 0.97
    assert in_distribution(CURVE, 6) == 0.89


def test_in_distribution_is_not_known_where_a_trained_size_is_missing_or_has_no_figure():
    assert in_distribution(rows(n5=1.0), 4) is None
    assert in_distribution(rows(n1=1.0, n2=None), 4) is None
    assert in_distribution([{"size": 64, "bits_per_character": 2.0}], 64) is None


def test_l90_ends_at_the_first_size_below():
    assert l90(CURVE) == 4  # not 8, though that one is above again; .9 itself is enough
    assert l90(reversed(CURVE)) == 4
    assert l90(rows(n1=0.5, n2=1.0)) == 0
    assert l90(rows(n1=1.0, n2=0.95)) == 2


def test_l90_ends_where_a_size_cannot_be_represented():
    assert l90(rows(n1=1.0, n2=None, n3=1.0)) == 1


def test_l90_is_not_known_without_answers():
    assert l90([]) is None
    assert l90([{"size": 64, "bits_per_character": 2.0}]) is None


def test_a_horizon_at_another_height():
    assert horizon(CURVE, 0.5) == 8
    assert horizon(rows(n1=1.0, n2=0.5, n3=0.49, n4=0.6), 0.5) == 2
    assert horizon(rows(n1=0.95), 0.9) == l90(rows(n1=0.95)) == 1
