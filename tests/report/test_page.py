import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from posemb.report.comparison_figure import save_comparison_figure
from posemb.report.page import is_report, render
from posemb.report.provenance import Record
from tests.report.conftest import result, text_row
from tests.report.example import CURVES, Read, compared, page, record, records

HOSTILE = '</script><script>alert("x")</script> & Größe <img src=x onerror=alert(1)>'


def test_it_holds_the_question_the_answer_and_every_run(tmp_path: Path) -> None:
    read = Read(page(records(), tmp_path))
    asked = "Which of alibi, ape and rope does best on copy, and what happens past the length it was trained on?"
    assert read.text("h1") == read.text("title") == asked
    body = read.text("body").replace("\N{NO-BREAK SPACE}", " ")
    assert "alibi and rope learned the task with all 3 seeds; ape with 2 of 3 seeds." in body
    assert "alibi holds farthest: exact match stays at 90 % or above up to size 100, the longest evaluated" in body
    assert (
        "rope: up to size 40, 2 times the trained one (at the next evaluated size, 100: 25.0 %); ape: up to the" in body
    )
    assert (
        "3 seeds cannot show a difference at 5 %: with 3 pairs p, corrected for 2 tests, cannot fall below 0.5" in body
    )
    assert "did not learn: 45.0 % at its lowest up to the trained size, 90 % is asked for" in body
    for run in records():
        assert run.name in body and run.name.count("/") == 2
    assert "/home/somebody" not in body  # where the runs lie on one machine is nobody else's business
    assert "2026-01-31 12:00 UTC" in body and "posemb 0.1.0" in body
    assert "its commit alone does not bring it back" in body
    assert "commit c67daf00e870, with changes that were not committed" in body and "2.13.0" in body


def test_the_table_of_sizes_has_median_interval_and_every_seed(tmp_path: Path) -> None:
    read = Read(page(records(), tmp_path))
    rows = [text for _, text in read.all("tr")]
    at = {row.split()[0]: row.replace("\N{NO-BREAK SPACE}", " ") for row in rows if re.match(r"\d+ \d+ [\d.]+ ", row)}
    assert list(at) == ["5", "10", "20", "40", "100"]
    assert at["40"].startswith("40 83 2 100 % all 3 ≤ 0.75 %")  # nothing right of 512 is a bound, not a zero
    assert at["40"].endswith("92.0 % 50.0 to 95.0 92.0 · 50.0 · 95.0")  # rope: the median of three, and all three
    assert "98.0 · (45.0) · 96.0" in at["20"]  # ape: a seed that did not learn is shown, and does not count
    assert "97.0 %" in at["20"]  # the median of the other two


def test_what_a_user_wrote_is_shown_as_it_is_and_never_run(tmp_path: Path) -> None:
    some = records()
    some.append(record("ape", [1, 1, 1, 0, 0], 7, state="failed", error=HOSTILE))
    some[0] = record("alibi", CURVES["alibi"][0], 0)
    changed = [one.settings | {"task.alphabet": HOSTILE} for one in some]
    pairs = zip(some, changed, strict=True)
    some = [Record(one.document, settings, one.manifest, one.argv) for one, settings in pairs]
    read = Read(page(some, tmp_path, asked=HOSTILE))
    assert read.text("h1") == read.text("title") == HOSTILE
    assert [given.get("type") for given, _ in read.all("script")] == ["application/json"]
    assert not read.all("img", "iframe", "object", "a")
    assert not [name for _, given, _ in read.elements for name in given if name.startswith("on")]
    assert sum(HOSTILE in text for _, text in read.all("small")) == 1  # the error
    ((_, text),) = read.all("script")
    assert json.loads(text)["question"] == HOSTILE


def test_the_numbers_can_be_read_back(tmp_path: Path) -> None:
    some = records()
    ((given, text),) = Read(page(some, tmp_path)).all("script")
    data = json.loads(text, parse_constant=pytest.fail)
    assert given == {"type": "application/json", "id": "data"}
    assert data["schema"] == 1
    assert [group["label"] for group in data["comparison"]["groups"]] == ["alibi", "ape", "rope"]
    assert [one["curve"] for one in data["runs"]] == [one.document["curve"] for one in some]
    assert [one["settings"] for one in data["runs"]] == [one.settings for one in some]
    listed = [run["run"] for group in data["comparison"]["groups"] for run in group["runs"]]
    assert listed == [one["run"] for one in data["runs"]] == [one.name for one in some]
    assert "/home/somebody" not in text


def test_nothing_is_loaded_from_anywhere(tmp_path: Path) -> None:
    html = page(records(), tmp_path)
    read = Read(html)
    loads = [given[name] for _, given, _ in read.elements for name in ("src", "href", "xlink:href") if name in given]
    assert loads and all(place and place.startswith(("data:", "#")) for place in loads)
    assert not re.search(r"@import|url\((?!#)", html)
    namespaces = {value for _, given, _ in read.elements for name, value in given.items() if name.startswith("xmlns")}
    assert set(re.findall(r"https?://[^\s\"'<]+", html)) == namespaces
    (policy,) = (given["content"] for given, _ in read.all("meta") if "http-equiv" in given)
    assert policy is not None and policy.startswith("default-src 'none'; ")


def test_a_reader_who_listens_finds_the_way(tmp_path: Path) -> None:
    html = page(records(), tmp_path)
    read = Read(html)
    assert read.all("html")[0][0]["lang"] == "en"
    levels = [int(name[1]) for name, _, _ in read.elements if re.fullmatch(r"h[1-6]", name)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(read.all("caption")) == len(read.all("table")) >= 4
    assert all(given.get("scope") for given, _ in read.all("th"))
    figures = read.all("svg")
    assert len(figures) == 2, "one for a wide page, and one for a phone"
    named = {given["id"] for name, given, _ in read.elements if name in ("title", "desc") and "id" in given}
    for figure, _ in figures:
        assert figure["role"] == "img" and figure["aria-labelledby"] is not None
        assert set(figure["aria-labelledby"].split()) <= named
    assert "alibi holds farthest" in read.text("desc")
    often = Counter(given["id"] for _, given, _ in read.elements if "id" in given)
    assert max(often.values()) == 1
    used = set(re.findall(r"url\(#([^)]+)\)", html))
    assert used and used <= set(often)


def test_what_runs_share_and_what_differs_is_told_apart(tmp_path: Path) -> None:
    read = Read(page(records(), tmp_path))
    (_, shared), (_, commands) = read.all("pre")
    assert "train.steps: 100" in shared and "eval.sizes: [5, 10, 20, 40, 100]" in shared
    assert "position" not in shared and "seed" not in shared
    rows = [text for _, text in read.all("tr")]
    assert "position.base – – 10000" in rows
    assert commands.split(" posemb ")[0] == "posemb train --position alibi seed=0"
    assert commands.count("posemb train") == 9 and "--json" not in commands and "--runs" not in commands


def test_a_sweep_is_reproduced_by_its_own_command(tmp_path: Path) -> None:
    argv = ["sweep", "--position", "ape,rope", "task.words=a b;c", "--runs=/home/somebody/runs"]
    git = {"folder": "/home/somebody/posemb", "commit": "feedbeef", "dirty": False}
    read = Read(page(records(), tmp_path, argv=argv, git=git))
    assert read.all("pre")[1][1] == "posemb sweep --position ape,rope 'task.words=a b;c'"
    assert "(commit feedbeef)" in read.text("body")


def test_runs_that_are_not_finished_are_listed_with_their_reason(tmp_path: Path) -> None:
    some = [*records(), record("rope", [1, 1, 1, 1, 1], 9, state="diverged", error="The loss is NaN.\nLower it.")]
    read = Read(page(some, tmp_path))
    assert "diverged The loss is NaN." in read.text("body")
    none = [record("rope", [1, 1, 1, 1, 1], seed, state="interrupted") for seed in (0, 1)]
    read = Read(page(none, tmp_path))
    assert read.text("h1") == "What happens on copy past the length it was trained on?"
    assert "No run has been completed" in read.text("body") and not read.all("svg")
    assert read.text("body").count("no error was recorded") == 2


def test_text_is_reported_in_its_own_measure(tmp_path: Path) -> None:
    some = []
    for position, bits in (("rope", 3.0), ("ape", 2.0)):
        for seed in (0, 1):
            one = record(position, [1, 1, 1, 1, 1], seed, task="text")
            curve = [text_row(size, mode, bits + size / 1000) for size in (128, 256) for mode in ("blocked", "sliding")]
            own = {"trained_size": 128, "trained_length": 128, "in_distribution": None, "l90": None}
            document = result(position, curve, task="text", run=one.document["run"], seed=seed, **own)
            some.append(Record(document, one.settings, one.manifest, one.argv))
    read = Read(page(some, tmp_path))
    body = read.text("body")
    assert (
        "2.192 for ape and 3.192 for rope. In these runs ape needs the fewest." in body
    )  # halfway from 128 to 256, by trapezoid
    assert [text for _, text in read.all("caption") if text.startswith("Bits per character, sliding")]
    assert "L90" not in body and "learned" not in read.text("table")


def test_where_all_runs_count_none_is_called_not_comparable(tmp_path: Path) -> None:
    some = [
        record(name, [1, 0.5, 0.5, end, end], seed) for name, end in (("ape", 0), ("rope", 0.25)) for seed in (0, 1)
    ]
    drawings = {"wide": save_comparison_figure(compared(some), tmp_path / "wide.svg").read_text(encoding="utf-8")}
    told = {
        everyone: render(compared(some, include_unlearned=everyone), some, drawings, made="", version="")
        for everyone in (True, False)
    }
    for words in ("not comparable", "in brackets those", "of runs that learned", "dashed where it did not", "(50.0)"):
        assert words in told[False] and words not in told[True], words
    assert "of all runs, whether they learned or not" in told[True]


def test_a_file_of_ours_is_known_by_its_head(tmp_path: Path) -> None:
    ours, other = tmp_path / "ours.html", tmp_path / "other.html"
    ours.write_text(page(records(), tmp_path), encoding="utf-8")
    other.write_text("<!DOCTYPE html><title>posemb</title>", encoding="utf-8")
    assert is_report(ours)
    assert not is_report(other) and not is_report(tmp_path / "none.html")


def test_the_same_comparison_gives_the_same_page(tmp_path: Path) -> None:
    some = records()
    comparison = compared(some)
    one, two = (render(comparison, some, {}, made="now", version="0") for _ in range(2))
    assert one == two


def test_runs_that_failed_are_told_apart_by_what_they_are_grouped_by(tmp_path: Path) -> None:
    some = [record("rope", [1, 1, 1, 1, 0], seed) for seed in (0, 1)]
    some.append(record("rope", [1, 1, 1, 1, 0], 2, state="failed", error="No memory."))
    changed = [
        Record(one.document, one.settings | {"model.width": width}, one.manifest, one.argv)
        for one, width in zip(some, (32, 64, 64), strict=True)
    ]
    comparison = compared(changed, by=["position", "model.width"])
    read = Read(render(comparison, changed, {}, made="", version=""))
    assert [text.split(" 2 ")[0] for _, text in read.all("tr") if "No memory." in text] == ["rope width=64"]


def test_nothing_right_is_explained_with_the_number_of_examples(tmp_path: Path) -> None:
    some = records()
    assert "nothing right of 512 is written as an upper bound, ≤ 0.75 %." in Read(page(some, tmp_path)).text("body")
    for one in some:
        for row in one.document["curve"]:
            row |= {"count": 64, "high": 0.0567 if row["exact_match"] == 0 else row["high"]}
    assert "nothing right of 64 is written as an upper bound, ≤ 5.7 %." in Read(page(some, tmp_path)).text("body")
