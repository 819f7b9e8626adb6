"""Which sizes a curve shows, by hand."""

from posemb.eval.protocol import Protocol


def test_every_trained_size_and_a_spread_beyond():
    assert Protocol(None, 512).sizes_for(range(1, 21)) == [*range(1, 21), 21, 22, 24, 28, 32, 40, 60, 80, 100]
    assert Protocol(None, 512).sizes_for(range(1, 17)) == [*range(1, 17), 17, 18, 20, 23, 26, 32, 48, 64, 80]


def test_a_tiny_size_has_no_repeats():
    assert Protocol(None, 1).sizes_for(range(1, 2)) == [1, 2, 3, 4, 5]


def test_a_text_has_one_trained_window():
    assert Protocol(None, 1).sizes_for([64]) == [64, 68, 71, 77, 90, 103, 128, 192, 256, 320]


def test_sizes_of_the_users_own_are_sorted_and_distinct():
    assert Protocol([30, 3, 30, 7], 1).sizes_for(range(1, 21)) == [3, 7, 30]
