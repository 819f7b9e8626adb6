import pytest

from posemb.errors import UsageError
from posemb.run.grammar import written
from posemb.run.overrides import read
from posemb.sweep.axes import Axes, Token, read_axes

CHOICES = {"position": ["ape", "rope", "rpe"]}


def axes(*tokens: str, zipped: tuple[str, ...] = ()) -> Axes:
    return read_axes([Token(token, token) for token in tokens], zipped, CHOICES)


def combined(found: Axes) -> list[str]:
    return [" ".join(token.text for token in one.values()) for one in found.combinations()]


@pytest.mark.parametrize(
    ("token", "values"),
    {
        "model.width=64,128": ["64", "128"],
        "seed=range(0,5,2)": ["0", "2", "4"],
        "train.lr=range(0.1,0.5,0.1)": ["0.1", "0.2", "0.3", "0.4"],
        "position=glob(r*)": ["rope", "rpe"],
        "position=glob(*,exclude=a*)": ["rope", "rpe"],
        "position=choice(ape,rope)": ["ape", "rope"],
        "eval.sizes=[1,2],[3]": ["[1,2]", "[3]"],
        "task.file='a,b',c": ["'a,b'", "c"],
    }.items(),
)
def test_the_values_of_an_axis(token: str, values: list[str]) -> None:
    (axis,) = axes(token).axes
    assert axis.values == values
    assert combined(axes(token)) == [f"{axis.key}={value}" for value in values]


@pytest.mark.parametrize("token", ["model.width=64", "eval.sizes=[5,30]", "task.file='a,b'", "task.file=a b (1)"])
def test_one_value_is_no_axis(token: str) -> None:
    found = axes(token)
    assert not found.axes and [one.text for one in found.fixed] == [token]


def test_all_are_crossed_the_seed_slowest_and_the_last_fastest() -> None:
    found = axes("position=ape,rope", "seed=0,1", "model.width=8,16")
    assert len(found) == 8
    assert combined(found)[:5] == [
        "position=ape seed=0 model.width=8",
        "position=ape seed=0 model.width=16",
        "position=rope seed=0 model.width=8",
        "position=rope seed=0 model.width=16",
        "position=ape seed=1 model.width=8",
    ]


def test_zipped_axes_go_in_step() -> None:
    found = axes("position=ape,rope", "seed=0,1", "train.lr=0.1,0.2", zipped=("train.lr", "position"))
    assert len(found) == 4
    assert combined(found) == [
        "position=ape seed=0 train.lr=0.1",
        "position=rope seed=0 train.lr=0.2",
        "position=ape seed=1 train.lr=0.1",
        "position=rope seed=1 train.lr=0.2",
    ]


def test_what_was_typed_is_kept_for_messages() -> None:
    found = read_axes([Token("position=ape,rope", "--position ape,rope")], (), CHOICES)
    assert [token.typed for one in found.combinations() for token in one.values()] == [
        "--position ape",
        "--position rope",
    ]


@pytest.mark.parametrize(
    ("tokens", "zipped", "words"),
    [
        (("train.lr=interval(0,1)",), (), "an interval has no end of values"),
        (("model.width=glob(6*)",), (), "glob() picks options of a group, and model.width is none"),
        (("position=glob(x*)",), (), "no value at all"),
        (("seed=0,1", "seed=2,3"), (), "seed is set twice"),
        (("seed=0,1", "position=ape,rope,rpe"), ("seed", "position"), "seed 2, position 3"),
        (("seed=0,1",), ("seed", "positon"), "--zip positon: no axis is called that"),
        (("seed=0,1",), ("seed",), "name two axes or more"),
        (("seed=0,1",), ("seed", "seed"), "each once"),
    ],
)
def test_what_cannot_be_swept(tokens: tuple[str, ...], zipped: tuple[str, ...], words: str) -> None:
    with pytest.raises(UsageError) as refusal:
        axes(*tokens, zipped=zipped)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    "value", ["rope", "a b", "it's", "null", "1e3", "a,b", True, None, 3, 0.001, [1, "x y"], "ü#="]
)
def test_a_value_of_a_file_means_the_same_to_hydra(value: object) -> None:
    assert read(f"key={written(value)}", "key", {}).value == value
