from pathlib import Path

import pytest

from posemb.errors import UsageError
from posemb.position.base import HOOKS, injection_points
from posemb.run.catalog import Option, catalog, hooks, option
from posemb.run.compose import CLASSES, compose
from posemb.run.target import locate

EVERY = [one for group in CLASSES for one in catalog(group)]


@pytest.mark.parametrize("one", EVERY, ids=lambda one: f"{one.group}={one.name}")
def test_what_the_source_says_is_what_the_class_is(one: Option) -> None:
    config = compose([f"{one.group}={one.name}"])
    cls = locate(config, one.group)
    assert one.target == f"{cls.__module__}.{cls.__qualname__}"
    assert one.doc == (cls.__doc__ and __import__("inspect").getdoc(cls))
    assert one.summary and one.summary in one.about and one.doc in one.about
    assert {"_target_": one.target} | one.parameters == config[one.group]
    if one.group == "position" and not one.made_of:  # else a law looks at the method that is built
        assert one.points == injection_points(cls)


def test_the_hooks_are_the_contract_s() -> None:
    assert hooks() == HOOKS


@pytest.mark.parametrize("one", EVERY, ids=lambda one: f"{one.group}={one.name}")
def test_the_code_is_real_and_holds_the_hooks(one: Option) -> None:
    code = one.code()
    source = one.source.read_text("utf-8")
    assert all(block in source for block in code.split("\n\n"))
    assert all(f"def {point}(" in code for point in one.points)


def test_a_method_made_of_methods_enters_where_its_parts_do() -> None:
    both, some = option("position", "ape_rope"), option("position", "rope_alternating")
    assert (both.points, some.points) == (("at_embedding", "at_qk"), ("at_qk",))
    assert [(part.name, part.points) for part in both.made_of] == [("ape", ("at_embedding",)), ("rope", ("at_qk",))]
    assert both.made_of[1].parameters == option("position", "rope").parameters
    assert not option("position", "rope").made_of


def test_options_of_one_class_have_summaries_of_their_own() -> None:
    assert len({one.summary for one in EVERY}) == len(EVERY)
    both, rope = option("position", "ape_rope"), option("position", "rope")
    assert both.about.splitlines()[:3] == [both.summary, "", both.doc.splitlines()[0]]
    assert [part.summary for part in both.made_of] == [option("position", "ape").summary, rope.summary]
    assert rope.about == rope.doc


def test_the_comment_at_the_top_of_a_file_is_its_summary(tmp_path: Path) -> None:
    (tmp_path / "task").mkdir()
    file, inner = tmp_path / "task" / "short.yaml", "task:\n  _target_: posemb.task.copy.Copy # no summary\n"
    for top, summary in {
        "# @package _global_\n": option("task", "copy").summary,
        "# @package _global_\n# Copy, of\n#\n# few letters.\n": "Copy, of few letters.",
        "# @package _global_\n\n# Not at the top.\n": option("task", "copy").summary,
    }.items():
        file.write_text(f"{top}{inner}train:\n  size: 3\n")
        assert option("task", "short", tmp_path).summary == summary


def test_an_option_of_your_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "position").mkdir()
    file = tmp_path / "position" / "mine.yaml"
    (tmp_path / "my_shift.py").write_text('class Shift:\n    """Shifts."""\n    def at_qk(self): ...\n')
    monkeypatch.syspath_prepend(tmp_path)
    file.write_text("_target_: my_shift.Shift\nby: 3\n")
    mine = option("position", "mine", tmp_path)
    assert (mine.summary, mine.points, mine.parameters) == ("Shifts.", ("at_qk",), {"by": 3})
    file.write_text("_target_: my_shift.Shfit\n")
    with pytest.raises(UsageError, match="Did you mean Shift"):
        _ = option("position", "mine", tmp_path).doc
    file.write_text("_target_: nowhere.at.all.Shift\n")
    with pytest.raises(UsageError, match="PYTHONPATH"):
        option("position", "mine", tmp_path)
    with pytest.raises(UsageError, match="Did you mean mine"):
        option("position", "mien", tmp_path)
    file.write_text("defaults: [rope]\nbase: 3.0\n")
    assert option("position", "mine", tmp_path).points == ("at_qk",)
    assert option("position", "mine", tmp_path).parameters["base"] == 3.0
