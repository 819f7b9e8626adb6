from collections.abc import Callable
from pathlib import Path

import pytest
from posemb.cli.curves import summary

from posemb.run.catalog import option
from posemb.run.compose import CLASSES, options
from tests.cli.conftest import Said

EVERY = [(group, name) for group in CLASSES for name in options(group)]
KINDS = {"methods": "position", "ids": "ids", "tasks": "task"}


@pytest.mark.parametrize(("kind", "group"), KINDS.items())
def test_list_names_every_option(posemb: Callable[..., Said], kind: str, group: str) -> None:
    assert set(KINDS.values()) == set(CLASSES)
    said = posemb("list", kind)
    assert said.code == 0
    assert [line.split()[0] for line in said.out.splitlines()[1:] if line] == list(options(group))
    listed = posemb("list", kind, "--json").json
    assert set(listed) == {"schema", kind}
    assert [one["name"] for one in listed[kind]] == list(options(group))


def test_list_shows_where_a_method_enters(posemb: Callable[..., Said]) -> None:
    lines = {line.split()[0]: line.split()[1] for line in posemb("list", "methods").out.splitlines()[1:] if line}
    assert (lines["ape"], lines["rope"], lines["alibi"], lines["nope"]) == ("embedding", "qk", "scores", "nowhere")


def test_a_broken_file_is_named_with_the_nearest_option(posemb: Callable[..., Said], tmp_path: Path) -> None:
    (tmp_path / "position").mkdir()
    mixed = tmp_path / "position/mixed.yaml"
    composite = "_target_: posemb.position.composite.Composite\n"
    mixed.write_text(f"defaults:\n  - ropee@parts.a\n  - ape@parts.b\n{composite}")
    for command in (["list"], ["cite"], ["show", "mixed"], ["train", "--cfg", "--position", "mixed"]):
        said = posemb(*command, "--config-dir", tmp_path)
        assert (said.code, said.out) == (2, "")
        assert f"{mixed}: its defaults list names 'ropee'" in said.err and "Did you mean rope" in said.err
    mixed.write_text(f"defaults:\n  - rope@parts.a\n  - ape@parts.b\n{composite}")
    assert "Here: rope, ape.\n" in posemb("list", "methods", "--config-dir", tmp_path).out
    mixed.write_text(f"defaults:\n  - rope@parts.a\n{composite}parts:\n  b:\n    _target_: posemb.position.nope.NoPE\n")
    assert "Here: rope, NoPE.\n" in posemb("list", "methods", "--config-dir", tmp_path).out


def test_a_method_made_of_methods_names_them(posemb: Callable[..., Said]) -> None:
    line = next(line for line in posemb("list", "methods").out.splitlines() if line.split()[:1] == ["ape_rope"])
    assert "embedding, qk" in line and line.endswith("Here: ape, rope.")
    page = posemb("show", "rope_alternating").out
    assert "enters at: qk" in page and option("position", "rope_alternating").summary in page
    assert "position.parts.rope._target_=posemb.position.rope.RoPE" in page
    assert "position.parts.rope.base=10000.0" in page and "position.layers.rope=even" in page


@pytest.mark.parametrize(("group", "name"), EVERY)
def test_every_option_has_a_page(posemb: Callable[..., Said], group: str, name: str) -> None:
    said = posemb("show", name, "--code")
    assert said.code == 0
    assert "def " in said.out or "class " in said.out
    assert f"posemb train --{group} {name}" in said.err
    if group == "task":
        assert said.out.count("tokens") >= 3 and "^" in said.out


def test_a_page_says_what_the_config_sets(posemb: Callable[..., Said], tmp_path: Path) -> None:
    assert "position.base=10000.0" in posemb("show", "rope").out
    assert posemb("show", "ape_rope", "--json").json["summary"] == option("position", "ape_rope").summary
    (tmp_path / "position").mkdir()
    (tmp_path / "position/rope.yaml").write_text("_target_: posemb.position.rope.RoPE\nbase: 5.0\n")
    assert "position.base=5.0" in posemb("show", "rope", "--config-dir", tmp_path).out
    assert posemb("show", "rope", "--json", "--config-dir", tmp_path).json["parameters"] == {"base": 5.0}


def test_a_name_with_two_meanings_asks_which(posemb: Callable[..., Said], tmp_path: Path) -> None:
    (tmp_path / "ids").mkdir()
    (tmp_path / "ids/rope.yaml").write_text("_target_: posemb.ids.sequential.Sequential\n")
    said = posemb("show", "rope", "--config-dir", tmp_path)
    assert said.code == 2 and "position=rope or ids=rope" in said.err
    assert "id scheme" in posemb("show", "ids=rope", "--config-dir", tmp_path).out


def test_a_run_named_like_a_method_is_the_run(
    posemb: Callable[..., Said], finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("alibi").symlink_to(finished)
    Path("rope").mkdir()
    assert "rope on last" in posemb("show", "alibi").out
    assert "Su et al." in posemb("show", "rope").out
    said = posemb("show", "alibi", "rope")
    assert said.code == 2 and "rope" in said.err


def test_runs_show_their_curves(posemb: Callable[..., Said], finished: Path, tmp_path: Path) -> None:
    said = posemb("show", finished)
    assert said.code == 0 and "exact match" in said.out and "trained up to" in said.out
    document = posemb("show", finished, "--json").json
    assert document["run"] == str(finished) and [row["size"] for row in document["curve"]] == [2, 3]
    both = posemb("show", finished, finished, "--json").json
    assert [one["run"] for one in both["runs"]] == [str(finished)] * 2
    assert "folder" in posemb("show", finished, finished).out
    for suffix in ("svg", "png"):
        figure = tmp_path / f"a figure.{suffix}"
        assert posemb("show", finished, "--figure", figure).code == 0
        assert figure.stat().st_size > 1000
    assert posemb("show", finished, "--figure", tmp_path / "curve.txt").code == 2
    assert posemb("show", finished, "--figure", tmp_path / "nowhere/curve.svg").code == 2
    assert posemb("show", finished, "--code").code == 2


WORDS = {
    "diverged": ("The loss became nan.", "The run diverged: The loss became nan."),
    "failed": ("No space left on device.", "The run failed: No space left on device."),
    "interrupted": ("Interrupted after step 1 of 2.", "The run was interrupted after step 1 of 2."),
    "crashed": ("Process 7 ended without a word.", "The run crashed: Process 7 ended without a word."),
    "running": (None, "The run is still running."),
}


@pytest.mark.parametrize(("state", "error", "sentence"), [(state, *words) for state, words in WORDS.items()])
def test_how_a_run_ended_is_a_sentence(
    posemb: Callable[..., Said], finished: Path, state: str, error: str | None, sentence: str
) -> None:
    document = posemb("show", finished, "--json").json
    assert summary(document | {"state": state, "error": error}) == sentence


def test_what_to_try_next_is_within_reach(posemb: Callable[..., Said], finished: Path, tmp_path: Path) -> None:
    assert "--sizes 2,4\n" in posemb("show", finished, "--figure", tmp_path / "curve.svg").err
    assert "evaluating 1 row of the curve\n" in posemb("eval", finished, "--sizes", "2").err
