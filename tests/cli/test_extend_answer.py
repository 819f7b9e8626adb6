"""What posemb extend says of its rows: one answer everywhere, and what lies in the folder afterwards."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Said

Posemb = Callable[..., Said]
QUICK = ("--sizes", "2,4,8", "--count", "8", "--threads", "1", "--device", "cpu")
SURE, SHAKY, WRONG = (1, 0.97, 1), (0.92, 0.88, 0.95), (0.1, 0.05, 0.2)  # exact match, low, high


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    """A finished run of rope, trained up to size 2, that a test may write into."""
    new = shutil.ignore_patterns("eval-*", "extend-*")  # another test's
    return Path(shutil.copytree(finished, tmp_path / "last" / "rope" / finished.name, ignore=new))


@pytest.fixture
def curves(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any]], None]:
    """Have a scaling come to these figures at the sizes 2, 4 and 8."""

    def come(to: dict[str, Any]) -> None:
        def made(model: Any, task: object, ids: object, sizes: list[int], count: int) -> Iterator[dict[str, Any]]:
            for size, figures in zip(sizes, to[model.position.ladder.scaling], strict=True):
                row = {"size": size, "length": size + 4, "count": count, "status": "ok", "loss": 1.0, "chance": 0.1}
                yield row | dict(zip(("exact_match", "low", "high"), figures, strict=True))

        monkeypatch.setattr("posemb.run.extend.curve", made)

    return come


ANSWERS = {
    # What may hold farther is no answer, and what is worth going on with.
    "perhaps": ({"none": (SURE, SURE, WRONG), "pi": (SHAKY, SHAKY, SHAKY), "ntk": (SURE, WRONG, WRONG)}, "none", "pi"),
    "surely": ({"none": (SURE, WRONG, WRONG), "pi": (SHAKY, SHAKY, WRONG), "ntk": (SURE, SURE, WRONG)}, "ntk", "ntk"),
    "equals": ({"none": (SURE, WRONG, WRONG), "pi": ((0.93, 0.91, 0.95), SURE, WRONG), "ntk": (SURE, SURE, WRONG)},
               "ntk", "ntk"),
    "nothing": ({"none": (SURE, SURE, WRONG), "pi": (WRONG, WRONG, WRONG), "ntk": (SURE, WRONG, WRONG)}, "none", "ntk"),
}  # fmt: skip


@pytest.mark.parametrize("case", ANSWERS)
def test_words_document_and_next_command_agree(
    posemb: Posemb, copied: Path, curves: Callable[..., None], case: str
) -> None:
    figures, farthest, next_ = ANSWERS[case]
    curves(figures)
    said = posemb("extend", copied, *QUICK, "--scaling", "pi,ntk", "--to", "4", "--json")
    assert said.json["variants"][said.json["best"]]["scaling"] == farthest
    answer = " ".join(said.json["answer"])
    assert (f"Farthest with the trained weights: {farthest}, s = 4" in answer) is (farthest != "none")
    assert f"{next_}, s = 4, up to size" in answer
    assert f"next: posemb extend {copied} --scaling {next_} --to 4 " in said.err and "--tune 50" in said.err


def test_where_plain_holds_everywhere_the_next_command_looks_farther(
    posemb: Posemb, copied: Path, curves: Callable[..., None]
) -> None:
    curves(dict.fromkeys(("none", "pi"), (SURE, SURE, SURE)))
    for tune in ((), ("--tune", "1")):
        said = posemb("extend", copied, *QUICK, "--scaling", "pi", "--to", "2", *tune)
        assert "the longest evaluated: try larger ones" in " ".join(said.out.split())
        options = " ".join(["--to 2 --sizes 2,4,8,16,32 --count 8", *tune, "--device cpu --threads 1"])
        assert said.err.splitlines()[-1] == f"next: posemb extend {copied} --scaling pi {options}"


def test_how_many_times_as_far_is_not_said_where_plain_is_cut_off(
    posemb: Posemb, copied: Path, curves: Callable[..., None]
) -> None:
    curves({"none": (SURE, SURE, SURE), "pi": (SURE, SURE, SURE), "ntk": (SURE, WRONG, WRONG)})
    said = posemb("extend", copied, *QUICK, "--scaling", "pi,ntk", "--to", "4", "--json")
    farther = [one["farther"] for one in said.json["variants"]]
    assert farther == [{"value": 1, "low": 1, "high": 1}, None, {"value": 0.25, "low": None, "high": 0.25}]
    assert "1 of 2 holds at every evaluated size, as plain does" in " ".join(said.json["answer"])


def test_a_size_past_every_bound_is_not_proposed(posemb: Posemb, copied: Path, curves: Callable[..., None]) -> None:
    curves(dict.fromkeys(("none", "pi"), (SURE, SURE, SURE)))
    for longest, next_ in ((400_000, "--sizes 2,4,400000,800000 "), (1_000_000, "--tune 50")):
        said = posemb("extend", copied, *QUICK, "--sizes", f"2,4,{longest}", "--scaling", "pi", "--to", "2")
        assert next_ in said.err.splitlines()[-1]


def test_the_control_is_tuned_asked_for_or_not(posemb: Posemb, copied: Path) -> None:
    document = posemb("extend", copied, *QUICK, "--scaling", "pi", "--to", "2,4", "--tune", "1", "--json").json
    tuned = [(one["scaling"], one["factor"]) for one in document["variants"] if one["tuned"]]
    assert tuned == [("none", 2.0), ("none", 4.0), ("pi", 2.0), ("pi", 4.0)]
    assert "Plain after the same steps" in " ".join(document["answer"])


def test_a_folder_that_refuses_is_found_before_anything_is_computed(
    posemb: Posemb, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    def never(*_: object) -> None:
        raise AssertionError("something was evaluated")

    monkeypatch.setattr(Path, "touch", refuse)
    monkeypatch.setattr("posemb.run.extend.curve", never)
    said = posemb("extend", copied, *QUICK)
    assert (said.code, said.out) == (1, "")
    assert f"Cannot write into {copied}: Permission denied" in said.err and "nothing was computed" in said.err
    assert "go on" not in said.err


def test_show_lists_what_was_computed_later(posemb: Posemb, copied: Path) -> None:
    before = posemb("show", copied)
    assert "Later evaluations" not in before.out
    posemb("eval", copied, "--sizes", "5", "--count", "8", "--temperature", "2")
    posemb("extend", copied, *QUICK, "--scaling", "pi", "--to", "2,4", "--tune", "1")
    (copied / "extend-2.jsonl").write_text("{}\nnonsense\n")
    (copied / "extend-3.jsonl").write_text("")
    said = posemb("show", copied)
    head, *lines = said.out.split("\n\n")[-1].splitlines()
    assert head == f"Later evaluations in {copied}:"
    about = {line.split()[0]: " ".join(line.split()[3:]) for line in lines}
    assert about == {
        "eval-1.jsonl": "temperature 2; size 5, 8 examples each",
        "extend-1.jsonl": "none, pi to 2 and 4, 1 step of tuning; sizes 2 to 8, 8 examples each",
        "extend-2.jsonl": "cannot be read",
        "extend-3.jsonl": "empty",
    }
    assert posemb("show", copied, "--json").json == posemb("show", copied.parent / copied.name, "--json").json


def test_a_curve_without_a_mistake_has_no_lowest_size(posemb: Posemb, copied: Path) -> None:
    rows = [json.loads(line) for line in (copied / "curve.jsonl").read_text().splitlines()]
    made = [row | {"exact_match": 1.0, "low": 0.9, "high": 1.0} for row in rows]
    (copied / "curve.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made))
    said = posemb("show", copied).out
    assert "exact match is 100 % at every evaluated size up to 2" in said and "lowest" not in said
