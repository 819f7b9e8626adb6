from pathlib import Path
from typing import Any

import pytest

from posemb.errors import RunFolderError, UsageError
from posemb.report.figure import save_figure
from tests.report.conftest import ALIBI, APE, TEXT, not_finite, result, row

STARTS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF", ".PNG": b"\x89PNG"}


@pytest.mark.parametrize("suffix", STARTS)
def test_the_suffix_says_the_format_and_the_bytes_are_always_the_same(tmp_path: Path, suffix: str) -> None:
    one, two = (save_figure([APE, ALIBI], tmp_path / f"{name} #ä{suffix}").read_bytes() for name in "ab")
    assert one.startswith(STARTS[suffix])
    assert one == two


def test_the_words_of_an_svg_can_be_found(tmp_path: Path) -> None:
    drawn = save_figure([APE, ALIBI], tmp_path / "curve.svg").read_text()
    for words in (
        "copy",
        "ape",
        "alibi",
        "exact match",
        "trained up to 43",
        "chance",
        "untrained rows",
        "cannot represent",
    ):
        assert f"{words}" in drawn
    assert "not finite" not in drawn
    spoiled = [result("rope", [row(10, 1.0), not_finite(row(20, 1.0))])]
    assert "not finite" in save_figure(spoiled, tmp_path / "spoiled.svg").read_text()
    assert "untrained rows" not in save_figure([ALIBI], tmp_path / "curve.svg").read_text()
    assert "bits per character" in save_figure([TEXT], tmp_path / "text.svg").read_text()


@pytest.mark.parametrize("documents", [[result("rope", [row(40, 0.5)])], [result("rope", [row(40, None)])], [APE] * 9])
def test_odd_curves_are_drawn_too(tmp_path: Path, documents: list[dict[str, Any]]) -> None:
    assert save_figure(documents, tmp_path / "odd.svg").stat().st_size > 1000


@pytest.mark.parametrize("name", ["curve.gif", "curve", "curve.svg.txt"])
def test_an_unknown_format_is_refused_with_those_that_are_known(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"\.png, \.svg or \.pdf"):
        save_figure([APE], tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Cannot write .*nowhere/curve.png: there is no folder .*nowhere\."):
        save_figure([APE], tmp_path / "nowhere" / "curve.png")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(UsageError, match=r"folder.png: it is a folder"):
        save_figure([APE], tmp_path / "folder.png")
    with pytest.raises(RunFolderError, match=r"Cannot write .*: File name too long"):
        save_figure([APE], tmp_path / f"{'long' * 100}.png")
