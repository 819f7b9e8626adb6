import json
from collections.abc import Callable

import pytest

from posemb.eval.horizon import in_distribution, l90
from posemb.run.folder import RunFolder
from posemb.run.result import document
from tests.run.conftest import answered, metric

Make = Callable[..., RunFolder]

KEYS = [
    *("schema", "run", "state", "position", "ids", "task", "seed", "trained_size", "trained_length", "parameters"),
    *("steps", "device", "threads", "config_hash", "in_distribution", "l90", "seconds", "error", "curve"),
]


def test_a_finished_run(make_run: Make) -> None:
    folder = make_run(ids="randomized")
    for step in (50, 100):
        folder.metrics.append(metric(step))
    for row in (answered(10, 1.0), answered(20, 0.96), answered(21, 0.9), answered(22, 0.1)):
        folder.curve.append(row)
    folder.finish("completed", timings={"training": 30.0, "evaluation": 2.5})
    result = document(RunFolder.open(folder.path))
    assert list(result) == KEYS
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result["run"] == str(folder.path)
    assert (result["position"], result["ids"], result["task"]) == ("rope", "randomized", "copy")
    assert (result["state"], result["error"], result["seed"]) == ("completed", None, 3)
    assert (result["steps"], result["seconds"], result["config_hash"]) == (100, 32.5, folder.path.name[3:])
    assert (result["in_distribution"], result["l90"]) == (0.96, 21)
    assert len(result["curve"]) == 4


def test_a_run_that_failed_at_once(make_run: Make) -> None:
    folder = make_run()
    folder.finish("failed", "no room")
    result = document(RunFolder.open(folder.path))
    assert list(result) == KEYS
    assert (result["state"], result["error"]) == ("failed", "no room")
    assert (result["steps"], result["seconds"], result["curve"]) == (0, None, [])
    assert (result["in_distribution"], result["l90"]) == (None, None)


def test_a_killed_run_says_that_it_crashed(make_run: Make) -> None:
    folder = make_run()
    folder.update(process_began="gone")
    result = document(folder)
    assert result["state"] == "crashed"
    assert str(folder.manifest["pid"]) in result["error"]


def test_two_seeds_are_both_named(make_run: Make) -> None:
    folder = make_run()
    folder.config["seed"] = {"init": 1, "data": 2}
    assert document(folder)["seed"] == {"init": 1, "data": 2}


def test_a_later_evaluation_replaces_the_curve(make_run: Make) -> None:
    folder = make_run()
    folder.curve.append(answered(20, 1.0))
    result = document(folder, [answered(40, 0.95)])
    assert [row["size"] for row in result["curve"]] == [40]
    assert (result["in_distribution"], result["l90"]) == (None, 40)


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({1: 1.0, 2: 0.9, 3: 0.89, 4: 1.0}, 2),
        ({3: 0.0, 1: 1.0, 2: 1.0}, 2),  # the order of rows does not matter
        ({1: 0.5, 2: 1.0}, 0),
        ({1: 1.0, 2: None, 3: 1.0}, 1),
        ({}, None),
    ],
)
def test_the_horizon(figures: dict[int, float | None], expected: int | None) -> None:
    assert l90([answered(size, figure) for size, figure in figures.items()]) == expected


@pytest.mark.parametrize(
    ("figures", "expected"),
    [({1: 1.0, 20: 0.5, 21: 0.0}, 0.5), ({21: 1.0}, None), ({1: 1.0, 2: None}, None), ({}, None)],
)
def test_in_distribution(figures: dict[int, float | None], expected: float | None) -> None:
    assert in_distribution([answered(size, figure) for size, figure in figures.items()], 20) == expected


def test_text_has_neither_figure() -> None:
    rows = [{"size": 64, "length": 64, "mode": "blocked", "bits_per_character": 2.0, "status": "ok"}]
    assert l90(rows) is None
    assert in_distribution(rows, 64) is None
