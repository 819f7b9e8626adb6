"""Places, counted."""

from posemb.ids.sequential import Sequential
from posemb.layout import Layout
from posemb.seeds import stream


def test_ids_are_the_places_in_the_row():
    scheme = Sequential(4)
    for training in (True, False):
        assert scheme.assign(Layout(3, 6, 2), training, stream(0)).tolist() == [[0, 1, 2, 3, 4, 5]]
    assert scheme.extremes(Layout(3, 6, 2)).tolist() == [[0, 1, 2, 3, 4, 5]]
    assert scheme.id_limit == 4
    assert not scheme.spreads
