"""Numbers that are too large: refused where they are typed, or named where there is no memory for them."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.cli.conftest import TINY, Said

Posemb = Callable[..., Said]
MILLION, BILLION = "1000000", "1000000000"
BAD = {
    "eval --count 100000000000": MILLION,
    "eval --sizes 2,100000000000": MILLION,
    "extend --count 100000000000": MILLION,
    "extend --sizes 2,1000001": MILLION,
    "extend --tune 100000000000000000000": BILLION,
    "sample --count 100000000000": MILLION,
    "sample --size 1000000000": MILLION,
    "sample --length 3000000000": MILLION,
    "eval --threads 100000000000": "1000",
}


@pytest.mark.parametrize("words", [*BAD, f"eval --count 1{5000 * '0'}"])
def test_a_number_past_its_bound_is_refused(posemb: Posemb, finished: Path, words: str) -> None:
    command, *rest = words.split()
    said = posemb(command, finished, *rest)
    assert (said.code, said.out) == (2, "")
    assert " ".join(rest) in said.err and f"at most {BAD.get(words, MILLION)}" in said.err
    assert len(said.err.splitlines()) == 1


def test_a_number_at_its_bound_is_taken(posemb: Posemb, finished: Path) -> None:
    said = posemb("extend", finished, "--tune", BILLION, "--count", MILLION, "--sizes", MILLION, "--scaling", "pii")
    assert said.code == 2 and "--scaling pii" in said.err


LOWER = {
    "eval --count 8": ["--count", "--sizes"],
    "extend --scaling pi --count 8": ["--count", "--to", "--sizes"],
    "sample --size 3": ["--size or --count"],
    "sample ab": ["Shorten the prompt"],
}


@pytest.mark.parametrize("words", LOWER)
def test_where_memory_runs_out_the_option_is_named(
    posemb: Posemb, finished: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    def grow(*_: object, **__: object) -> None:
        torch.empty(2**60, dtype=torch.uint8)

    for place in ("posemb.eval.curve.score", "posemb.eval.answer.decode"):
        monkeypatch.setattr(place, grow)
    before = sorted(finished.iterdir())
    command, *rest = words.split()
    said = posemb(command, finished, *rest)
    assert (said.code, said.out) == (1, "")
    assert "not enough memory" in said.err and all(word in said.err for word in LOWER[words])
    assert "foreseen" not in said.err and sorted(finished.iterdir()) == before


def test_a_sum_too_long_to_be_judged_is_refused_before_it_is_decoded(
    posemb: Posemb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["addition" if word == "last" else word for word in TINY]
    run = posemb("train", *words, "--position", "rope", "--runs", tmp_path, "--json").json["run"]
    assert posemb("sample", run, "--size", "3").code == 0
    monkeypatch.setattr("posemb.eval.answer.decode", None)
    said = posemb("sample", run, "--size", "4400")
    assert (said.code, said.out) == (2, "") and "--size 4400: " in said.err and "give fewer" in said.err
