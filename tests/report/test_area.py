"""Mean over the logarithm of size, by hand: sizes 20, 40, 80 are one doubling apart."""

import pytest

from posemb.report.area import area
from tests.report.conftest import not_finite, row, text_row


def rows(**figures: float | None) -> list[dict]:
    return [row(int(size[1:]), figure) for size, figure in figures.items()]


CURVE = rows(n10=0.3, n20=1.0, n40=0.5, n80=0.0)


def test_each_doubling_weighs_the_same():
    assert area(CURVE, 20) == pytest.approx((0.75 + 0.25) / 2)
    assert area(list(reversed(CURVE)), 20) == area(CURVE, 20)
    assert area(rows(n20=1.0, n40=1.0, n80=1.0), 20) == pytest.approx(1)
    # log2 of 20, 40, 160: the second step is two doublings long.
    assert area(rows(n20=1.0, n40=1.0, n160=0.0), 20) == pytest.approx((1 * 1 + 2 * 0.5) / 3)


def test_it_ends_where_it_is_told():
    assert area(CURVE, 20, (1, 2)) == pytest.approx(0.75)
    assert area(CURVE, 20, (1, 4)) == area(CURVE, 20)
    assert area(CURVE, 20, (2, 4)) == pytest.approx(0.25)


def test_an_end_between_two_sizes_is_on_the_line_between_them():
    # 1 at 20 and .5 at 40: over log size, .75 at 20 * sqrt(2) halfway; the mean up to there is .875.
    assert area(CURVE, 20, (1, 2**0.5)) == pytest.approx(0.875)
    # .3 at 10 and .5 at 40: the trained size, 20, is halfway, at .4. Then the mean of .4 and .5.
    assert area(rows(n10=0.3, n40=0.5), 20) == pytest.approx(0.45)
    assert area(rows(n30=0.5, n60=0.1), 20) == pytest.approx(0.3)  # nothing is known of 20: it begins at 30


def test_no_figure_is_no_answer():
    assert area(rows(n20=1.0, n40=None, n80=None), 20) == pytest.approx(0.25)
    assert area([row(20, 1.0), not_finite(row(40, 1.0))], 20) == pytest.approx(0.5)


def test_one_size_has_no_area():
    assert area(rows(n10=1.0, n20=1.0), 20) is None
    assert area([], 20) is None
    assert area(CURVE, 20, (4, 4)) is None


def test_text_is_measured_in_sliding_windows():
    curve = [text_row(w, mode, bits) for w, bits in ((64, 2.0), (128, 4.0)) for mode in ("blocked", "sliding")]
    curve[0]["bits_per_character"] = 9.0
    assert area(curve, 64) == pytest.approx(3)
    assert area([*curve, text_row(256, "sliding", None)], 64) is None
    curve[0:2] = [text_row(64, mode, None) for mode in ("blocked", "sliding")]
    assert area(curve, 128) is None
