"""Addition, on values worked out by hand."""

import pytest
import torch

from posemb.errors import UsageError
from posemb.layout import Layout
from posemb.seeds import stream
from posemb.task.addition import Addition

REVERSED, PLAIN = Addition(), Addition("plain")


def test_by_hand():
    assert (REVERSED.solve("123+456="), PLAIN.solve("123+456=")) == ("9750", "0579")
    assert (REVERSED.solve("999+001="), PLAIN.solve("999+001=")) == ("0001", "1000")
    assert (REVERSED.solve("0+0="), PLAIN.solve("9+9=")) == ("00", "18")
    assert REVERSED.length(3) == PLAIN.length(3) == len("⟨123+456=→9750⟩") == 15
    assert REVERSED.chance(2) == pytest.approx(0.01)
    assert REVERSED.vocabulary == 15


def test_roles_and_digits_by_hand():
    #                                ⟨  1  2  3  +  4  5  6  =  →  .  .  .  .  ⟩
    operands, places = torch.tensor([0, 2, 3, 4, 5, 2, 3, 4, 5, 5]), torch.tensor([0, 1, 2, 3, 0, 1, 2, 3, 0, 0])
    layout = PLAIN.layout("123+456=")
    assert layout.roles.tolist() == [[*operands.tolist(), 1, 2, 3, 4, 0]]
    assert layout.digits.tolist() == [[*places.tolist(), 1, 2, 3, 4, 0]]
    layout = REVERSED.layout("123+456=")
    assert layout.roles.tolist() == [[*operands.tolist(), 4, 3, 2, 1, 0]]
    assert layout.digits.tolist() == [[0, 3, 2, 1, 0, 3, 2, 1, 0, 0, 1, 2, 3, 4, 0]]
    assert layout == Layout(1, 15, 10, layout.roles.clone(), layout.digits.clone()) != PLAIN.layout("123+456=")


@pytest.mark.parametrize("n", [1, 4])
def test_equal_roles_are_equal_significance(n: int):
    """Both digits that are added, and the digit below their carry, wherever they stand."""
    for task in (REVERSED, PLAIN):
        batch = task.sample(n, 50, stream(0), "train")
        roles, tokens = batch.layout.roles.expand(50, -1), batch.tokens
        value = torch.where(tokens < 10, tokens * 10 ** (n + 1 - roles).clamp(min=0), 0)
        asked, said = value[:, : batch.layout.prompt].sum(1), value[:, batch.layout.prompt :].sum(1)
        assert torch.equal(asked, said)  # the sum of the operands is the sum


def test_long_sums_carry_all_the_way():
    batch = REVERSED.sample(60, 50, stream(0), "evaluation")
    for row in batch.tokens:
        prompt, _, answer = REVERSED.decode(row)[1:-1].partition("→")
        first, second = prompt[:-1].split("+")
        assert int(answer[::-1]) == int(first) + int(second)


NO_SUM = r"no sum of two numbers.*123\+456="
WRONG = dict.fromkeys(["12=34+", "+=", "12+34=5", "1+2+3=", "12", "=", "12+="], NO_SUM)
WRONG |= {"12+3=": r"as many digits.*'12\+03='", "1+23": r"as many digits.*'01\+23='", "12+34": r"Write '12\+34='"}


@pytest.mark.parametrize(("prompt", "told"), WRONG.items(), ids=WRONG)
def test_malformed_prompts(prompt: str, told: str):
    with pytest.raises(UsageError, match=told):
        REVERSED.layout(prompt)


def test_numbers_that_python_cannot_read():
    with pytest.raises(UsageError, match="4300 digits"):
        REVERSED.solve("1" * 4300 + "+" + "1" * 4300 + "=")
    assert len(REVERSED.solve("1" * 4299 + "+" + "1" * 4299 + "=")) == 4300
