from pathlib import Path

import pytest

from posemb.errors import UsageError
from posemb.run.compose import CLASSES, PARTS, compose, groups, options

EVERY_OPTION = [(group, name) for group in groups() for name in options(group)]


def write(folder: Path, place: str, text: str) -> Path:
    file = folder / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return folder


def message(overrides: list[str], config_dir: Path | None = None) -> str:
    with pytest.raises(UsageError) as error:
        compose(overrides, config_dir)
    text = str(error.value)
    assert len(text.splitlines()) <= 8
    return text


def test_a_config_is_plain_and_has_every_part() -> None:
    config = compose([])
    assert list(config) == ["choice", *PARTS]
    assert set(config["choice"]) == set(CLASSES)
    assert all(type(config[part]) is dict for part in PARTS)


@pytest.mark.parametrize(("group", "name"), EVERY_OPTION)
def test_every_option_composes(group: str, name: str) -> None:
    config = compose([f"{group}={name}"])
    if group in CLASSES:
        assert config["choice"][group] == name
        assert config[group]["_target_"].startswith(f"posemb.{group}.")


def test_overrides_win_over_every_file() -> None:
    config = compose(["model.width=96", "train.lr=1e-3", "eval.sizes=[1,2]", "task=roles", "train.size=7"])
    assert (config["model"]["width"], config["train"]["lr"], config["train"]["size"]) == (96, 1e-3, 7)
    assert config["eval"]["sizes"] == [1, 2]


def test_one_seed_sets_both() -> None:
    assert compose(["seed=3"])["seed"] == {"init": 3, "data": 3}
    assert compose(["seed.init=4"])["seed"] == {"init": 4, "data": 0}


@pytest.mark.parametrize(
    "value",
    [
        "a b#c=ü",
        "it's",
        "'",
        '"x',
        "x\\",
        "file(1).txt",
        "C:\\dir\\",
        "a'b\\'c\\",
        "#",
        "100%",
        "a\nb",
        "é:ü",
        "~/x",
        "a#\\",
    ],
)
def test_a_string_arrives_as_it_was_typed(value: str) -> None:
    if value.startswith('"') or value == "'":  # an open quote is a slip, not a file name
        assert "quotes" in message(["task=text", f"task.file={value}"])
        return
    assert compose(["task=text", f"task.file={value}"])["task"]["file"] == value


BAD = {
    "position=ropee": "Did you mean rope",
    "position=zzzz": "Choices: ",
    "position=": "Choices: ",
    "position=ape,rope": "one value expected",
    "train.lr=range(1,3)": "one value expected",
    "position={_target_:os.system}": "Choices: ",
    "position._target_=os.system": "--config-dir",
    "+task._target_=os.system": "--config-dir",
    "model.widht=3": "Did you mean model.width?",
    "model.zzzz=3": "Keys of model: width,",
    "steps=3": "Did you mean train.steps?",
    "zzz.zzz=3": "Keys: ",
    "train=3": "Choices: ",
    "train.steps=[1": "do not match",
    "train.steps='1": "do not match",
    "train.steps=${nowhere}": "nowhere",
    "train.steps=${train.steps}": "ecursive",
    "train.steps=???": "has no value",
    "model.width.x=3": "no key model.width.x",
    "~train.steps": "cannot be deleted",
    "~position": "cannot be deleted",
    "+train.steps=3": "without +",
    "+position=rope": "without +",
    "rope": "Did you mean position=rope?",
    "=3": "key=value",
    "model.width": "key=value",
    "position@x=rope": "key=value",
    "": "key=value",
    "hydra.run.dir=x": "Hydra",
    "+choice.position=ape": "position=NAME",
    "++choice={position: ../../x}": "position=NAME",
    "seed={init: 3, other: 4}": "other",
}


@pytest.mark.parametrize(("token", "hint"), BAD.items(), ids=BAD)
def test_a_wrong_override_is_named_with_what_would_be_right(token: str, hint: str) -> None:
    text = message(["task=last", token])
    assert hint in text
    # A value that refers to another is found when all is resolved: its key is named.
    assert token in text or token.partition("=")[0] in text


@pytest.mark.parametrize(
    "twice",
    [
        ["train.steps=3", "train.steps=4"],
        ["position=rope", "position=rope"],
        ["seed=3", "seed.init=4"],
        ["train.steps=3", "++train.steps=4"],
        ["seed=3", "seed={init: 1, data: 2}"],
        ["seed.data=3", "seed={init: 1, data: 2}"],
        ["+position.x={a: {b: 1}}", "++position.x.a.b=2"],
    ],
)
def test_a_key_set_twice_is_an_error(twice: list[str]) -> None:
    text = message(twice)
    assert "is set twice" in text
    assert all(token in text for token in twice)


def test_errors_speak_of_what_was_typed() -> None:
    with pytest.raises(UsageError, match=r"--steps 5 and train\.steps=6"):
        compose(["train.steps=5", "train.steps=6"], typed=["--steps 5", "train.steps=6"])


def test_your_options_add_to_ours_and_replace_them(tmp_path: Path) -> None:
    mine = tmp_path / "my configs #1=ü"
    write(mine, "position/rope.yaml", "_target_: posemb.position.rope.RoPE\nbase: 5.0\npairs: half\n")
    write(mine, "position/slow.yaml", "defaults: [rope]\nbase: 7.0\n")
    write(mine, "task/plain.yaml", "_target_: posemb.task.copy.Copy\n")
    assert compose(["position=rope"], mine)["position"]["base"] == 5.0
    assert compose([])["position"]["base"] != 5.0
    assert compose(["position=slow"], mine)["position"] == {
        "_target_": "posemb.position.rope.RoPE",
        "base": 7.0,
        "pairs": "half",
    }
    config = compose(["task=plain"], mine)
    assert (config["choice"]["task"], config["task"]) == ("plain", {"_target_": "posemb.task.copy.Copy"})
    known = options("position", mine)
    assert list(known) == sorted({*options("position"), "slow"})
    assert known["rope"].is_relative_to(mine) and not known["nope"].is_relative_to(mine)
    assert "slow" in message(["position=slwo"], mine)


def test_a_file_of_yours_cannot_rename_what_was_chosen(tmp_path: Path) -> None:
    body = "# @package _global_\ntask: {_target_: posemb.task.copy.Copy}\nchoice: {position: ../../x}\n"
    assert "sets choice" in message(["task=sly"], write(tmp_path, "task/sly.yaml", body))


def test_a_relative_config_dir_and_another_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "mine/position/far.yaml", "_target_: posemb.position.nope.NoPE\n")
    monkeypatch.chdir(tmp_path)
    assert compose(["position=far"], Path("mine"))["choice"]["position"] == "far"


def test_a_config_dir_that_is_none(tmp_path: Path) -> None:
    assert "no such folder" in message([], tmp_path / "nowhere")
    assert "Groups: " in message([], tmp_path)


@pytest.mark.parametrize("content", ["a: [1\n", "a: 1\na: 2\n", "\x00"])
def test_a_broken_file_is_named_once_it_is_chosen(tmp_path: Path, content: str) -> None:
    write(tmp_path, "position/mine.yaml", content)
    assert "mine.yaml" in message(["position=mine"], tmp_path)
    assert compose(["position=nope"], tmp_path)["choice"]["position"] == "nope"


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    write(tmp_path, "position/mine.yaml", "").joinpath("position/mine.yaml").write_bytes(b"a: \xff\n")
    assert "mine.yaml" in message(["position=mine"], tmp_path)


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    compose(["position=nope"], write(tmp_path, "position/mine.yaml", "a: 1"))
    with pytest.raises(UsageError):
        compose(["position=zzz"])
    assert capfd.readouterr() == ("", "")
