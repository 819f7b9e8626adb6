"""How far forms hold, from rows made up so that the figures can be worked out by hand."""

from pathlib import Path
from typing import Any

from posemb.report.extension import Outcome, best, extension_table, farther, marked, outcomes
from posemb.report.extension_figure import chosen, save_extension_figure
from posemb.report.extension_words import answer

TRAINED = 10
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
    assert farther(SURE, shaky).words == "2 (at least 2)"


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


def test_the_table() -> None:
    table = extension_table([PLAIN, SURE, HOPE], TRAINED)
    assert table.columns == ("scaling", "s", "L90", "× plain", "at 10, L", "at 20, 2 L", "at 40, 4 L")
    assert table.rows[0][:4] == ("none", "–", "10 (10 to 20)", "1 (1 to 1)")
    assert table.rows[2][:5] == ("pi", "4", "≥ 40 (10 to 40)", "≥ 4 (at least 0.5)", "99.0 % (97.0 to 100)")
    assert extension_table([PLAIN], TRAINED, intervals=False).rows[0][-1] == "99.0 %"
    tuned = extension_table([PLAIN, made("pi", CERTAIN, CERTAIN, WRONG, tuned=5, temperature=1.5)], TRAINED)
    assert tuned.columns[2:4] == ("tuned", "t") and tuned.rows[1][:4] == ("pi", "–", "5", "1.5")
    assert marked([PLAIN, SURE], TRAINED) == [10, 20]


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


def test_the_figure(tmp_path: Path) -> None:
    other = made("pi", CERTAIN, WRONG, WRONG, factor=2.0)
    assert chosen([PLAIN, other, SURE, HOPE], TRAINED) == [PLAIN, SURE, HOPE]
    found = [PLAIN, *(made(f"m{number}", CERTAIN, CERTAIN, WRONG) for number in range(9))]
    assert len(chosen(found, TRAINED)) == 7
    drawn = save_extension_figure([PLAIN, SURE], "rope on last", TRAINED, 14, tmp_path / "a.svg").read_text()
    assert "plain" in drawn and "ntk, s = 2" in drawn and "trained up to 14" in drawn
