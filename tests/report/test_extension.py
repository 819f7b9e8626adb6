"""How far forms hold, from rows made up so that the figures can be worked out by hand."""

from pathlib import Path
from typing import Any

from posemb.report.extension import Outcome, best, farther, farthest, marked, outcomes, promising
from posemb.report.extension_figure import chosen, save_extension_figure
from posemb.report.extension_table import extension_columns, spare
from posemb.report.extension_words import answer

TRAINED = 10
HOLLOW = "fill: #ffffff; stroke: #0072b2"  # a mark of the plain form, as SVG
CERTAIN, LIKELY, UNLIKELY, WRONG = (0.99, 0.97, 1.0), (0.92, 0.88, 0.95), (0.88, 0.85, 0.91), (0.1, 0.05, 0.2)


def made(scaling: str, *figures: tuple[float, float, float], factor: float | None = None, **form: Any) -> Outcome:
    """A form with these (exact match, low, high) at the sizes 10, 20, 40."""
    rows = [
        {"size": size, "length": size + 4, "exact_match": value, "low": low, "high": high, "count": 512}
        | {"chance": 0.1, "loss": 0.5, "status": "ok"}
        for size, (value, low, high) in zip((10, 20, 40), figures, strict=True)
    ]
    return Outcome(scaling, factor, form.get("tuned", 0), form.get("temperature", 1.0), rows)


PLAIN = made("none", CERTAIN, UNLIKELY, WRONG)  # 10, at best 20
SURE = made("ntk", CERTAIN, CERTAIN, WRONG, factor=2.0)  # 20
HOPE = made("pi", CERTAIN, LIKELY, LIKELY, factor=4.0)  # 40, at worst 10


def test_l90_and_its_ends() -> None:
    assert [tuple(one.horizon) for one in (PLAIN, SURE, HOPE)] == [(10, 10, 20), (20, 20, 20), (40, 10, 40)]


def test_how_many_times_as_far() -> None:
    assert farther(PLAIN, PLAIN) == (1, 1, 1)
    assert farther(SURE, PLAIN) == (2, 1, 2)
    assert farther(HOPE, PLAIN) == (4, 0.5, None)  # 40 is the longest: it may hold farther
    lost = made("none", WRONG, WRONG, WRONG)
    assert farther(SURE, lost) is None and farther(lost, lost) is None
    shaky = made("none", LIKELY, WRONG, WRONG)  # 10, at worst 0: nothing bounds the ratio
    assert farther(SURE, shaky) == (2, 2, None)
    assert farther(SURE, shaky).interval == "at least 2"


def test_a_plain_form_that_is_cut_off_leaves_the_least_unknown() -> None:
    whole = made("none", CERTAIN, CERTAIN, CERTAIN)  # 40 is the longest: it may hold farther
    assert farther(SURE, whole) == (0.5, None, 0.5)
    assert farther(whole, whole) == (1, 1, 1)
    lost = made("pi", WRONG, WRONG, WRONG)
    assert farther(lost, whole) == (0, 0, 0) and table(whole, lost)[1][1][3] == ("0", "0 to 0")
    assert farther(HOPE, whole) is None
    perhaps = made("none", CERTAIN, UNLIKELY, (0.85, 0.8, 0.91))  # 10, at best 40
    assert farther(SURE, perhaps) == (2, None, 2)
    assert farther(HOPE, perhaps) == (4, None, None)
    assert [row[3] for row in table(whole, SURE, HOPE)[1]] == [("1", "1 to 1"), ("≤ 0.5", "at most 0.5"), ("–", "")]
    assert table(perhaps, HOPE)[1][1][3] == ("≥ 4", "no bound")
    said = " ".join(answer([whole, SURE, HOPE], TRAINED))
    assert "is not known: 1 of 2 holds at every evaluated size, as plain does." in said and "No form" not in said
    assert "No form holds farther with the trained weights; 1 was tried" in " ".join(answer([whole, SURE], TRAINED))


def test_a_size_without_figures_ends_it() -> None:
    row = dict(SURE.rows[1], exact_match=None, low=None, high=None)
    assert Outcome("pi", 2.0, 0, 1.0, [SURE.rows[0], row, SURE.rows[2]]).horizon == (10, 10, 10)


def test_what_is_sure_is_farther_than_what_may_be() -> None:
    assert best([PLAIN, HOPE, SURE], TRAINED) is SURE
    assert best([PLAIN, HOPE], TRAINED) is HOPE


def test_rows_come_apart_by_their_form() -> None:
    form = {"scaling": "pi", "factor": 2.0, "tuned": 0, "temperature": 1.0}
    rows = [{"size": 1, **form}, {"size": 2, **form}, {"size": 1, **form, "tuned": 5}]
    assert [(one.label, len(one.rows)) for one in outcomes(rows)] == [("pi, s = 2", 2), ("pi, s = 2, tuned", 1)]
    assert Outcome("none", None, 0, 1.2, []).label == "none, t = 1.2"


def table(*found: Outcome) -> tuple[list[str], list[list[tuple[str, str]]]]:
    """The heads, and row by row what stands in each cell, and its interval."""
    names, cells = zip(*extension_columns(found, TRAINED), strict=True)
    return list(names), [[(cell.main, cell.interval) for cell in row] for row in zip(*cells, strict=True)]


def test_the_table() -> None:
    heads, rows = table(PLAIN, SURE, HOPE)
    assert heads == ["scaling", "s", "L90", "× plain", "at 10, L", "at 20, 2 L", "at 40, 4 L"]
    assert rows[0][:4] == [("none", ""), ("–", ""), ("10", "10 to 20"), ("1", "1 to 1")]
    assert rows[2][:3] == [("pi", ""), ("4", ""), ("≥ 40", "10 to 40")]
    assert rows[2][3:5] == [("≥ 4", "at least 0.5"), ("99.0 %", "97.0 to 100")]
    heads, rows = table(PLAIN, made("pi", CERTAIN, CERTAIN, WRONG, tuned=5, temperature=1.5))
    assert heads[2:4] == ["tuned", "t"] and [main for main, _ in rows[1][:4]] == ["pi", "–", "5", "1.5"]
    assert marked([PLAIN, SURE], TRAINED) == [10, 20]


def test_an_interval_that_says_nothing_says_so() -> None:
    few = made("pi", (0.5, 0.1, 0.99), (0.5, 0.1, 0.99), (0.5, 0.1, 0.99), factor=4.0)
    assert table(PLAIN, few)[1][1][3] == ("0", "no bound")


def test_what_goes_first_where_there_is_no_room() -> None:
    found = extension_columns([PLAIN, SURE, HOPE], TRAINED)
    inner, ends = "at 20, 2 L", ("at 10, L", "at 40, 4 L")
    assert spare(found) == [
        ([ends[0], inner, ends[1]], True),
        (["× plain"], True),
        ([inner], False),
        (["× plain"], False),
        (["L90"], True),
        ([ends[0]], False),
        ([ends[1]], False),
    ]


def test_among_equals_the_one_that_keeps_what_was_known_is_best() -> None:
    spoilt = made("pi", LIKELY, CERTAIN, WRONG, factor=2.0)
    exact = [row | {"low": 0.9, "high": 1.0} for row in SURE.rows]
    spoilt, sure = (Outcome(one.scaling, 2.0, 0, 1.0, rows) for one, rows in (
        (spoilt, [row | {"low": 0.9, "high": 1.0} for row in spoilt.rows]), (SURE, exact)
    ))  # fmt: skip
    assert spoilt.horizon == sure.horizon
    assert best([spoilt, sure], TRAINED) is sure


def test_the_farthest_is_plain_until_a_form_surely_holds_farther() -> None:
    sure_plain = made("none", CERTAIN, CERTAIN, WRONG)  # 20
    assert farthest([sure_plain, HOPE], TRAINED) is sure_plain  # 40, at worst 10
    assert promising([sure_plain, HOPE], TRAINED) is HOPE
    assert farthest([PLAIN, HOPE, SURE], TRAINED) is promising([PLAIN, HOPE, SURE], TRAINED) is SURE
    worse = made("pi", WRONG, WRONG, WRONG, factor=2.0)
    assert promising([sure_plain, worse, SURE], TRAINED) is SURE  # comes nearest, by name
    assert farthest([PLAIN], TRAINED) is promising([PLAIN], TRAINED) is PLAIN


def test_the_answer() -> None:
    said = " ".join(answer([PLAIN, SURE, HOPE], TRAINED))
    assert "Plain, exact match stays at 90 % or above up to size 10, 1 times" in said
    assert "Farthest with the trained weights: ntk, s = 2, up to size 20; that is 2 times as far" in said
    assert "It may be chance" in said and "Perhaps farther: pi, s = 4, up to size 40 (10 to 40)." in said
    assert "2 of 2 forms hold farther than plain." in said
    assert "Oracle" in said and "512 examples" in said
    sure_plain = made("none", CERTAIN, WRONG, WRONG)
    assert "chance" not in " ".join(answer([sure_plain, SURE], TRAINED))


def test_the_answer_where_nothing_extends() -> None:
    worse = made("pi", WRONG, WRONG, WRONG, factor=4.0)
    assert "No form holds farther with the trained weights; 1 was tried" in " ".join(answer([PLAIN, worse], TRAINED))
    whole = made("none", CERTAIN, CERTAIN, CERTAIN)
    assert "try larger ones" in " ".join(answer([whole, worse], TRAINED))
    lost = made("none", WRONG, WRONG, WRONG)
    assert answer([lost, SURE], TRAINED)[0].startswith("The run did not learn its task")
    same = made("ntk", CERTAIN, CERTAIN, WRONG, factor=2.0)
    said = " ".join(answer([same, same, HOPE], TRAINED))  # what is surest holds no farther than plain, another may
    assert "No form surely holds farther with the trained weights; 2 were tried. Perhaps farther: pi, s = 4" in said
    assert "up to size 40 (10 to 40)." in said and "No form holds" not in said
    tuned = made("pi", CERTAIN, CERTAIN, CERTAIN, factor=4.0, tuned=7)
    assert "Farthest after 7 steps of fine-tuning: pi, s = 4, tuned" in " ".join(answer([PLAIN, worse, tuned], TRAINED))
    assert not any("Oracle" in line for line in answer([PLAIN], TRAINED))


def test_the_grammar_of_one() -> None:
    worse = made("pi", WRONG, WRONG, WRONG, factor=4.0)
    assert "1 of 2 forms holds farther than plain." in " ".join(answer([PLAIN, SURE, worse], TRAINED))


def test_fine_tuning_is_held_against_fine_tuning_alone() -> None:
    tuned = made("pi", CERTAIN, CERTAIN, CERTAIN, factor=4.0, tuned=1)
    control = made("none", CERTAIN, CERTAIN, WRONG, factor=4.0, tuned=1)
    said = " ".join(answer([PLAIN, SURE, control, tuned], TRAINED))
    assert "Farthest after 1 step of fine-tuning: pi, s = 4, tuned" in said
    assert "Plain after the same steps holds up to size 20 (20 to 20)." in said
    alone = made("none", CERTAIN, CERTAIN, CERTAIN, factor=4.0, tuned=1)
    assert "holds just as far, up to size 40" in " ".join(answer([PLAIN, tuned, alone], TRAINED))
    assert "fine-tuning alone, without a scaling" in " ".join(answer([PLAIN, alone, tuned], TRAINED))


def test_the_figure(tmp_path: Path) -> None:
    other = made("pi", CERTAIN, WRONG, WRONG, factor=2.0)
    assert chosen([PLAIN, other, SURE, HOPE], TRAINED) == [PLAIN, SURE, HOPE]
    found = [PLAIN, *(made(f"m{number}", CERTAIN, CERTAIN, WRONG) for number in range(9))]
    assert len(chosen(found, TRAINED)) == 7
    tuned = [made(f"m{number}", CERTAIN, CERTAIN, CERTAIN, factor=2.0, tuned=5) for number in range(9)]
    control = made("none", CERTAIN, WRONG, WRONG, factor=2.0, tuned=5)
    both = [PLAIN, control, found[1], tuned[0], found[2], tuned[1], found[3], tuned[2]]  # before and after
    assert chosen([*found, *tuned, control], TRAINED) == both
    after = save_extension_figure(both, "rope", TRAINED, 14, tmp_path / "b.svg").read_text()
    assert "tuned" in after and HOLLOW in after
    drawn = save_extension_figure([PLAIN, SURE], "rope on last", TRAINED, 14, tmp_path / "a.svg").read_text()
    assert "plain" in drawn and "ntk, s = 2" in drawn and "trained up to 14" in drawn
    assert "rope on last, each scaling at its best s" in drawn and HOLLOW not in drawn
