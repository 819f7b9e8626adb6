from typing import Any

import pytest

from posemb.report.terminal import draw
from tests.report.conftest import ALIBI, APE, TEXT, result, row, text_row

SINGLE = result("rope", [row(40, 0.5)])
NOTHING = result("rope", [row(40, None), row(60, None)])
FLAT = result("rope", [text_row(128, "blocked", 2.0)], task="text", trained_length=128)


@pytest.mark.parametrize("documents", [[APE], [APE, ALIBI], [TEXT], [SINGLE], [NOTHING], [FLAT], [APE] * 9])
@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", None])
def test_it_fits_the_width_and_the_encoding(documents: list[dict[str, Any]], width: int, encoding: str | None) -> None:
    drawn = draw(documents, width=width, encoding=encoding)
    assert drawn.encode(encoding or "ascii")
    assert max(map(len, drawn.splitlines())) <= width
    assert "\x1b" not in drawn


def test_it_names_what_it_shows() -> None:
    drawn = draw([APE, ALIBI])
    for words in ("copy", "exact match", "100 %", "● ape", "▲ alibi", "trained up to 43", "chance"):
        assert words in drawn
    assert "○ untrained rows" in drawn and "× cannot represent" in drawn
    assert "untrained" not in draw([ALIBI]) and "cannot" not in draw([ALIBI])


def test_marks_stand_at_their_values() -> None:
    lines = draw([result("rope", [row(20, 1.0), row(40, 0.5), row(60, 0.0)])], height=17).splitlines()
    marked = [place for place, line in enumerate(lines) if "●" in line and "rope" not in line]
    top, middle, bottom = (
        next(i for i, line in enumerate(lines) if line.startswith(tick)) for tick in ("100 %", " 50 %", "  0 %")
    )
    assert marked == [top, middle, bottom]
    assert lines[top].index("●") < lines[middle].index("●") < lines[bottom].rindex("●")


def test_colour_only_where_asked() -> None:
    assert "\x1b[" in draw([APE], colour=True)
    assert "\x1b" not in draw([APE], colour=False)


def test_drawing_twice_gives_the_same() -> None:
    first = draw([APE])
    draw([TEXT], width=100, colour=True)
    assert draw([APE]) == first
