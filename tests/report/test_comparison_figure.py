from html import escape
from pathlib import Path

import pytest

from posemb.errors import UsageError
from posemb.report.comparison_figure import save_comparison_figure
from posemb.report.figure import save_figure
from posemb.report.medians import median_chart, seed_lines
from posemb.report.terminal import draw_chart
from tests.report.conftest import not_finite
from tests.report.groups import THREE, compared, falling, run, text_run

BAD = [run("nope", seed, {10: 0.4, 20: 0.3, 40: 0.1, 80: 0.0}) for seed in range(3)]
MIXED = [*THREE, *BAD, run("rope", 7, {10: 0.5, 20: 0.5, 40: 0.1, 80: 0.0})]


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_same_comparison_gives_the_same_bytes(tmp_path: Path, suffix: str):
    one, two = (
        save_comparison_figure(compared(THREE), tmp_path / f"{name}{suffix}").read_bytes() for name in ("a", "b")
    )
    assert one == two and len(one) > 1000


def test_the_words_of_an_svg_can_be_found(tmp_path: Path):
    drawn = save_comparison_figure(compared(MIXED), tmp_path / "curve.svg").read_text()
    words = ("copy", "ape", "rope (3 of 4 learned)", "nope (0 of 3 learned)", "median over seeds", "one seed")
    for word in (*words, "95 % interval of the median", "not learned, does not count", "trained up to 43", "chance"):
        assert word in drawn
    plain = save_comparison_figure(compared([THREE[0]]), tmp_path / "curve.svg").read_text()
    assert "interval" not in plain and "median" not in plain and "learned" not in plain
    text = save_comparison_figure(compared([text_run("rope", 0, 1.0)]), tmp_path / "curve.svg").read_text()
    assert "bits per character, one seed, sliding windows" in text


def test_every_seed_is_a_line(tmp_path: Path):
    """Thin lines are the only ones of that width."""
    drawn = save_comparison_figure(compared(MIXED), tmp_path / "curve.svg").read_text()
    seeds = [part for part in drawn.split("<path") if "stroke-width: 0.8" in part and "stroke-opacity: 0.6" in part]
    assert len(seeds) == len(MIXED)
    dashed = [part for part in seeds if "stroke-dasharray" in part]
    assert len(dashed) == len(BAD) + 1


@pytest.mark.parametrize(
    "runs",
    [
        [run("rope", 0, {40: 0.5})],
        [run("ape", seed, {20: 1.0, 40: None}) for seed in range(2)],
        BAD,
        [run(f"method{n}", seed, falling(n / 9)) for n in range(9) for seed in range(2)],
        [text_run("ape", 0, None)],
    ],
    ids=["one point", "cannot represent", "none learned", "nine groups", "no bits"],
)
def test_odd_comparisons_are_drawn_too(tmp_path: Path, runs: list):
    what = compared(runs)
    assert save_comparison_figure(what, tmp_path / "odd.svg").stat().st_size > 1000
    assert max(map(len, draw_chart(median_chart(what), width=70).splitlines())) <= 70


def test_a_chart_of_medians_says_what_is_set_aside():
    *lines, nope = median_chart(compared(MIXED)).series
    assert [line.label for line in lines] == ["ape", "rope (3 of 4 learned)", "rpe"]
    assert not any(line.aside for line in lines) and nope.aside
    assert [point.value for point in nope.points] == [0.4, 0.3, 0.1, 0.0]
    assert [(point.value, point.low, point.high) for point in lines[1].points][-1] == (0.26, 0.25, 0.27)
    assert "nope (0 of 3 learned)" in draw_chart(median_chart(compared(MIXED)))


def test_seed_lines_are_at_the_sizes_that_are_compared():
    broken = run("ape", 0, falling(0.5))
    broken[0]["curve"][3] = not_finite(broken[0]["curve"][3])
    [line] = seed_lines(compared([broken]).groups[0])
    assert [point.length for point in line.line.drawn] == [23, 43, 83] and line.counts
    assert [point.status for point in line.line.missing] == ["not finite"]


def test_wrong_files_are_refused(tmp_path: Path):
    with pytest.raises(UsageError, match=r"\.png, \.svg or \.pdf"):
        save_comparison_figure(compared(THREE), tmp_path / "curve.gif")
    with pytest.raises(UsageError, match="Cannot write"):
        save_comparison_figure(compared(THREE), tmp_path / "nowhere" / "curve.svg")
    with pytest.raises(UsageError, match="no run is completed"):
        save_comparison_figure(compared([run("ape", 0, {}, state="failed")]), tmp_path / "curve.svg")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["$a_b$", "$\\frac$", "a$b%", "<b>&", "ü", "_x"])
def test_a_name_is_drawn_as_it_is(tmp_path: Path, name: str):
    runs = [run(name, 0, falling(0.5)), run("ape", 0, falling(0.5))]
    whole = save_comparison_figure(compared(runs), tmp_path / "groups.svg").read_text(encoding="utf-8")
    single = save_figure([document for document, _ in runs], tmp_path / "runs.svg").read_text(encoding="utf-8")
    assert f">{escape(name, quote=False)}</text>" in whole and f">{escape(name, quote=False)}</text>" in single


def test_a_file_without_a_name_is_called_what_was_typed(tmp_path: Path):
    with pytest.raises(UsageError, match=r"Cannot draw '\.'"):
        save_comparison_figure(compared(THREE), ".")
