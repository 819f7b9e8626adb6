"""What a method warns of before training: constants made for longer rows."""

import re

import pytest
from posemb.cli.app import run

from posemb.laws.subject import Method
from posemb.position.base import Shape
from posemb.run.compose import compose
from tests.conftest import options
from tests.position.example import shape

PLAIN = {option.name: Method(*option) for option in options("position")}
# Constants of the papers at 24 tokens, and the number that matters there.
CASES = {
    "t5": ({}, "up to 22, so 19 of 32 buckets learn"),
    "shaw": ({"farthest": 64}, "up to 22, so the vectors of 23 to 64 stay at zero"),
    "fire": ({"threshold": 512.0}, "starts at 512 ids and training rows have 24"),
    "xpos": ({"span": 512.0}, "keeps 94% of its score"),
}


def made(name: str, at: Shape, **params: float):
    method = PLAIN[name]
    return method._replace(params=method.params | params).build(at)


@pytest.mark.parametrize("name", CASES)
def test_a_constant_made_for_longer_rows_is_named_with_the_number_that_matters(name: str):
    params, says = CASES[name]
    caution = made(name, shape(trained=24), **params).caution()
    assert caution.startswith(f"{name}: ") and says in caution
    settings = {key: int(value) for key, value in re.findall(r"position\.(\w+)=(\d+)", caution)}
    repaired = settings or dict.fromkeys(params)  # what it says to set, or to leave out
    assert made(name, shape(trained=24), **(params | repaired)).caution() == ""


@pytest.mark.parametrize("name", PLAIN)
def test_the_papers_own_lengths_give_no_reason(name: str):
    long = Shape(width=8, heads=2, layers=2, trained=2048, id_limit=2048, asked=4096)
    assert made(name, long).caution() == ""


@pytest.mark.parametrize("name", [name for name in PLAIN if name != "t5"])
def test_defaults_follow_the_trained_length(name: str):
    at = Shape(width=8, heads=2, layers=2, trained=24, id_limit=24, asked=100)
    assert made(name, at).caution() == ""


def test_a_method_made_of_methods_says_what_its_parts_say():
    parts = {"bias": {"_target_": "posemb.position.t5.T5"}, "turn": {"_target_": "posemb.position.rope.RoPE"}}
    both = PLAIN["ape_rope"]._replace(params={"parts": parts, "layers": None}).build(shape(trained=24))
    assert both.caution() == made("t5", shape(trained=24)).caution() != ""


def test_training_begins_with_it(tmp_path, capsys: pytest.CaptureFixture[str]):
    assert compose(["position=t5"])["position"]["farthest"] == 128
    brief = ["--steps", "1", "--sizes", "4", "--runs", str(tmp_path)]
    assert run(["train", "--position", "t5", "--task", "last", *brief]) == 0
    assert "19 of 32 buckets learn" in capsys.readouterr().err
