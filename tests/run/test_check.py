import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from posemb.errors import UsageError
from posemb.run.build import build
from posemb.run.check import check
from posemb.run.compose import CLASSES, compose, groups, options
from posemb.run.identity import config_hash

EVERY_OPTION = [(group, name) for group in groups() for name in options(group)]


def message(config: dict[str, Any], config_dir: Path | None = None) -> str:
    with pytest.raises(UsageError) as error:
        check(config, config_dir)
    assert len(str(error.value).splitlines()) <= 8
    return str(error.value)


@pytest.mark.parametrize(("group", "name"), EVERY_OPTION)
def test_every_option_passes(group: str, name: str) -> None:
    check(compose([f"{group}={name}"]))


BAD = {
    "seed=abc": "seed=abc: must be a whole number.",
    "seed=-1": "seed=-1: must be at least 0.",
    "seed.data=-1": "seed.data=-1: must be at least 0.",
    "train.lr=-1": "train.lr=-1: must be greater than 0.",
    "train.lr=fast": "train.lr=fast: must be a number.",
    "train.lr=true": "train.lr=true: must be a number.",
    "train.lr=nan": "train.lr=nan: must be",
    "train.clip=nan": "train.clip=nan: must be",
    "train.steps=1.5": "train.steps=1.5: must be a whole number.",
    "train.steps=true": "train.steps=true: must be a whole number.",
    "train.steps=null": "train.steps=null: must be a whole number.",
    "train.steps='5'": "train.steps=5: must be a whole number.",
    "train.steps=[1]": "train.steps=[1]: must be a whole number.",
    "eval.sizes=[4,0]": "eval.sizes[1]=0: must be at least 1.",
    "eval.sizes=[]": "eval.sizes=[]: must have at least 1 item.",
    "eval.sizes=5": "eval.sizes=5: must be a list.",
    "run.device=gpu": "run.device=gpu: must be 'auto', 'cpu', 'cuda' or 'mps'.",
    "run.threads=0": "run.threads=0: must be at least 1.",
    "model.width=65": "model.heads",
    "+model.depth=3": "there is no key model.depth",
    "+train.step=3": "Did you mean train.steps?",
    "+other=3": "there is no key other",
    "position.pairs=hal": "position.pairs=hal: must be 'half' or 'interleaved'.",
    "position.base=-1": "position.base=-1: must be greater than",
    "+position.bas=3": "Did you mean position.base?",
    "+ids.limit=3": "there is no key ids.limit",
    "train.size=1000000000": "train.size=1000000000: must be at most",
    "train.batch=10000000000": "train.batch=10000000000: must be at most",
    "model.width=1000000000": "model.width=1000000000: must be at most",
    "model.layers=1000000000": "model.layers=1000000000: must be at most",
    "eval.sizes=[1000000000000]": "eval.sizes[0]=1000000000000: must be at most",
    "eval.count=1000000000000": "eval.count=1000000000000: must be at most",
}


@pytest.mark.parametrize(("token", "expected"), BAD.items(), ids=BAD)
def test_a_wrong_value_is_named(token: str, expected: str) -> None:
    assert expected in message(compose(["position=rope", token]))


BAD_PARTS = {
    "position.parts.rope.base=-1": "position.parts.rope.base=-1: must be greater than 1.",
    "+position.parts.rope.bas=3": "Did you mean position.parts.rope.base?",
    "+position.parts.other=3": "position.parts.other=3: must be a mapping.",
    "+position.parts.other={base: 3}": "position.parts.other._target_ is missing",
    "position.parts=3": "position.parts=3: must be a mapping.",
    "position.layers={rope: evn}": "position.layers.rope=evn: must be 'even' or 'odd', or be a list.",
    "position.layers={rope: [0,-1]}": "position.layers.rope[1]=-1: must be at least 0.",
}


@pytest.mark.parametrize(("token", "expected"), BAD_PARTS.items(), ids=BAD_PARTS)
def test_a_part_of_a_method_is_checked_like_a_method(token: str, expected: str) -> None:
    told = message(compose(["position=ape_rope", token]))
    assert expected in told and len(told.splitlines()) == 1


def test_a_part_is_normalised_like_a_method() -> None:
    config = check(compose(["position=ape_rope", "position.parts.rope.base=500"]))
    assert repr(config["position"]["parts"]["rope"]["base"]) == "500.0"
    assert list(config["position"]["parts"]["rope"]) == list(check(compose(["position=rope"]))["position"])


@pytest.mark.parametrize("target", ["os.system", "posemb.task.copy.Copy", "posemb.position.rope.rotate", 3, None])
def test_a_part_that_is_no_method_of_ours_is_refused(target: Any) -> None:
    config = compose(["position=ape_rope"])
    config["position"]["parts"]["rope"]["_target_"] = target
    assert "position.parts.rope._target_" in message(config)


@pytest.mark.parametrize("name", ["a.b", "", 3, "a b"])
def test_a_part_needs_a_name_that_can_be_typed(name: Any) -> None:
    config = compose(["position=ape_rope"])
    config["position"]["parts"][name] = {"_target_": "posemb.position.nope.NoPE"}
    assert "must be a name" in message(config)


@pytest.mark.parametrize(
    ("option", "token"), [("position=ape", "position.rows=100000000000"), ("ids=randomized", "ids.limit=100000000000")]
)
def test_a_table_beyond_all_memory_is_refused(option: str, token: str) -> None:
    assert f"{token}: must be at most" in message(compose([option, token]))


def test_whole_numbers_pass_for_numbers_and_are_the_same_experiment() -> None:
    whole, given = check(compose(["train.lr=1", "position.base=10000"])), compose(["train.lr=1.0", "position.base=1e4"])
    assert (type(whole["train"]["lr"]), type(whole["position"]["base"])) == (float, float)
    assert whole == given
    assert config_hash(whole, None) == config_hash(check(given), None)
    assert list(whole["position"]) == list(given["position"])


@pytest.mark.parametrize("name", ["../x", "a/b", "a\\b", "..", ".", "", None, 3])
def test_a_choice_that_would_leave_the_folder_of_runs(name: Any) -> None:
    config = compose([])
    config["choice"]["position"] = name
    assert "choice.position=" in message(config)
    assert "choice" in message(config | {"choice": name})


def test_one_mistake_is_one_line_and_many_are_cut() -> None:
    assert len(message(compose(["seed=-1"])).splitlines()) == 1
    config = compose([])
    config["train"] = dict.fromkeys(config["train"], "x")
    assert "more" in message(config).splitlines()[-1]


@pytest.mark.parametrize("part", ["model", "ids", "run"])
def test_a_missing_part_or_key_is_named(part: str) -> None:
    config = compose([])
    without = {key: value for key, value in config.items() if key != part}
    assert part in message(without)
    key = next(iter(config[part]))
    del config[part][key]
    assert f"{part}.{key}" in message(config)
    assert part in message(config | {part: 3})


TARGETS = [
    "os.system",
    "posemb.position.rope.torch",
    "posemb.position.rope.rotate",
    "posemb.position.rope.Rope",
    "posemb.position.rope.os.system",
    "posemb.position.nowhere.Nothing",
    "posemb.position.nope",
    "posemb.position.",
    "posemb.task.copy.Copy",
    "subprocess.Popen",
    "nowhere.Nothing",
    "X",
    "",
    3,
]


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_that_is_no_method_of_ours_is_refused(target: Any) -> None:
    config = compose([])
    config["position"] = {"_target_": target}
    assert "position._target_" in message(config)


def test_a_contract_itself_is_no_task() -> None:
    config = compose([])
    config["task"] = {"_target_": "posemb.task.base.Task"}
    assert "not a Task" in message(config)


MODULE = '''
from typing import Annotated
from annotated_types import Ge
from posemb.position.base import PositionMethod, Shape

class Mine(PositionMethod):
    """Mine."""
    def __init__(self, shape: Shape, strength: Annotated[int, Ge(1)] = 1) -> None:
        super().__init__(shape)

class Stranger:
    def __init__(self) -> None:
        raise SystemExit("called")

class Odd(PositionMethod):
    def __init__(self, shape: Shape, strength: Stranger = None) -> None:
        super().__init__(shape)

class Misfit(PositionMethod):
    def __init__(self, shape: Shape, strength: Annotated[str, Ge(1)] = "x") -> None:
        super().__init__(shape)

class Unresolved(PositionMethod):
    def __init__(self, shape: Shape, strength: "no such thing" = 1) -> None:
        super().__init__(shape)

class Raises(PositionMethod):
    def __init__(self, shape: Shape, strength: int = 1) -> None:
        raise ValueError("not today\\nnor ever")
'''


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of options whose classes lie in an importable module `my_method`."""
    (tmp_path / "my_method.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_method", raising=False)
    folder = tmp_path / "configs"
    (folder / "position").mkdir(parents=True)
    (folder / "position" / "mine.yaml").write_text("_target_: my_method.Mine\nstrength: 2\n")
    return folder


def test_a_class_of_your_own_comes_through_your_folder_only(mine: Path) -> None:
    config = compose(["position=mine"], mine)
    stored = deepcopy(config)
    assert "--config-dir" in message(stored)
    assert "my_method" not in sys.modules, "a foreign module was run without permission"
    check(config, mine)
    assert "strength=0" in message(compose(["position=mine", "position.strength=0"], mine), mine)
    # The chosen option is ours, so the class must be, too.
    config["choice"]["position"] = "nope"
    assert "--config-dir" in message(config, mine)


def test_your_class_may_be_a_part_of_your_option_only(mine: Path) -> None:
    (mine / "position" / "both.yaml").write_text(
        "defaults: [mine@parts.mine, rope@parts.rope]\n_target_: posemb.position.composite.Composite\n"
    )
    config = check(compose(["position=both"], mine), mine)
    names = [type(part).__name__ for part in build(config).model.position.made_of]
    assert names == ["Mine", "RoPE"]
    assert "strength=0" in message(compose(["position=both", "position.parts.mine.strength=0"], mine), mine)
    assert "position.parts.mine._target_=my_method.Mine" in message(config)
    config["choice"]["position"] = "ape_rope"
    assert "--config-dir" in message(config, mine)


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("my_method.Stranger", "not a PositionMethod"),
        ("my_method.Mien", "Did you mean Mine?"),
        ("os.system", "not a PositionMethod"),
        ("my_methods.Mine", "PYTHONPATH"),
        ("my_broken.Mine", "SyntaxError"),
    ],
)
def test_your_class_is_held_against_the_contract_and_never_called(mine: Path, target: str, hint: str) -> None:
    (mine.parent / "my_broken.py").write_text("def :\n")
    (mine / "position" / "mine.yaml").write_text(f"_target_: {target}\n")
    assert hint in message(compose(["position=mine"], mine), mine)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Odd", "parameter strength: values from a config cannot be held against its annotation"),
        ("Misfit", "strength"),
        ("Unresolved", "its annotations do not resolve"),
    ],
)
def test_an_annotation_that_no_value_can_be_held_against(mine: Path, name: str, hint: str) -> None:
    (mine / "position" / "mine.yaml").write_text(f"_target_: my_method.{name}\nstrength: x\n")
    text = message(compose(["position=mine"], mine), mine)
    assert hint in text
    assert name == "Misfit" or f"position=mine (my_method.{name})" in text


def test_a_constructor_that_raises_is_named(mine: Path) -> None:
    (mine / "position" / "mine.yaml").write_text("_target_: my_method.Raises\n")
    config = check(compose(["position=mine"], mine), mine)
    with pytest.raises(UsageError) as error:
        build(config)
    assert str(error.value) == "position=mine (my_method.Raises) cannot be built: ValueError: not today"


@pytest.mark.parametrize(("scheme", "task"), [("abacus", "copy"), ("abacus", "roles"), ("coupled", "last")])
def test_ids_that_the_task_gives_nothing_to_count_are_a_usage_error(scheme: str, task: str) -> None:
    config = check(compose([f"ids={scheme}", f"task={task}"]))
    with pytest.raises(UsageError, match=r"the task (has none|states none): choose a task that"):
        build(config)


def test_ids_count_what_the_longest_training_row_has() -> None:
    addition = build(check(compose(["ids=abacus", "task=addition", "train.size=5"])))
    assert (addition.ids.trained, addition.ids.id_limit) == (6, 31)  # the sum has a digit more
    assert (addition.model.position.shape.trained, addition.trained_length) == (31, 21)
    copy = build(check(compose(["ids=coupled", "task=copy", "train.size=5", "ids.offset=4"])))
    assert (copy.ids.trained, copy.ids.id_limit) == (6, 11)


def test_too_little_memory_says_what_was_being_built(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr("posemb.run.build.Transformer", full)
    with pytest.raises(UsageError, match=r"model\.width=64, model\.layers=2 cannot be built: .*can't allocate memory"):
        build(check(compose([])))


@pytest.mark.parametrize("group", CLASSES)
@pytest.mark.parametrize("content", ["", "- 1\n- 2\n", "just words\n"])
def test_an_option_without_a_class(tmp_path: Path, group: str, content: str) -> None:
    (tmp_path / group).mkdir()
    (tmp_path / group / "empty.yaml").write_text(content)
    assert group in message(compose([f"{group}=empty"], tmp_path), tmp_path)
