"""What "ok" promises: a row of the curve that says so reads nothing that training left as it was."""

import pytest
import torch

from posemb.errors import UsageError
from posemb.ids.base import IdScheme
from posemb.laws.reach import read
from posemb.laws.subject import Method
from posemb.model.backbone import Backbone
from posemb.position.base import Positions, Reach
from posemb.run.shape import shape_of
from posemb.seeds import stream
from posemb.task.addition import Addition
from posemb.task.base import Task
from posemb.task.copy import Copy
from tests.conftest import Option, options
from tests.laws.subjects import METHODS

TRAINED, LONGER = (1, 2), (3, 4, 6, 9)  # sizes
DRAWS = 300  # rows of each trained size: enough for every offset, and for the rare draw that reaches farthest
TASKS: list[Task] = [Copy(), Addition()]
PLAIN = [method for method in METHODS if method.name in {option.name for option in options("position")}]
LAYERS, HEADS, WIDTH = 2, 2, 16


def scheme(option: Option, task: Task) -> IdScheme | None:
    """An option of the group ids, its range no longer than the longest row, so that few draws show all of it."""
    row = task.sample(TRAINED[-1], 1, stream(0, "reach"), "train").layout
    limit = {"limit": task.length(LONGER[-1])} if "limit" in option.params else {}
    try:
        return option.target(option.target.span(row), **option.params | limit)
    except UsageError:  # the task has nothing that it counts
        return None


def passes(ids: IdScheme, task: Task, size: int, mask: str, training: bool) -> Positions:
    layout = task.sample(size, DRAWS, stream(0, "reach", size), "train" if training else "evaluation").layout
    rows = ids.assign(layout, training, stream(0, "reach", size, "ids"))
    return Positions.span(rows, 0, layout.length, mask == "causal", layout.prompt)


def within(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return all(not (rows & ~other[name]).any() for name, rows in one.items())


@pytest.mark.parametrize("method", PLAIN, ids=[method.name for method in PLAIN])
@pytest.mark.parametrize("option", options("ids"), ids=[option.name for option in options("ids")])
@pytest.mark.parametrize("mask", ["causal", "prefix"])
def test_a_row_is_ok_exactly_where_all_that_it_reads_was_trained(method: Method, option: Option, mask: str):
    if mask == "prefix" and method.causal_only:
        pytest.skip("defined for causal attention only")
    for task in TASKS:
        ids = scheme(option, task)
        if ids is None:
            continue
        rows = [task.sample(size, 1, stream(0, "reach"), "train").layout for size in TRAINED]
        made = method.build(shape_of(Backbone(WIDTH, LAYERS, HEADS, 2, mask), ids, rows, asked=200))
        made.initialise(stream(0, "reach"))
        shown = [read(made, passes(ids, task, size, mask, True).fed) for size in TRAINED]
        trained = {name: shown[0][name] | shown[1][name] for name in shown[0]}
        for size in (*TRAINED, *LONGER):
            at = passes(ids, task, size, mask, False)
            known = within(read(made, at.fed), trained)
            assert made.reach(at) is (Reach.OK if known else Reach.UNTRAINED), (task, size)
            assert known or size in LONGER, (task, size)
