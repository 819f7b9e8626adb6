"""Files that are whole, and not what a run writes."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from posemb.errors import RunFolderError
from posemb.run.folder import RunFolder
from posemb.run.result import document
from tests.run.conftest import answered, metric

Make = Callable[..., RunFolder]

WRONG: dict[str, list[Any]] = {
    "timings": [{"training": None}, {"training": "long"}, [], None],
    "steps": ["x", None],
    "state": [None],
    "threads": ["1"],
    "trained_length": [None],
    "finished": [3],
    "versions": [[], {"torch": 2}],
    "git": ["abc", {"dirty": True}, {"commit": 7}],
    "argv": ["posemb train", [1]],
    "processes": [{}, [None], [{"argv": [1]}], [{"versions": "new"}]],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in WRONG.items() for value in values])
def test_a_manifest_that_no_run_wrote_is_damaged(make_run: Make, key: str, value: Any) -> None:
    folder = make_run()
    file = folder.path / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {key: value}))
    with pytest.raises(RunFolderError, match=rf"manifest.json is damaged: {key} cannot be"):
        RunFolder.open(folder.path)


def test_a_manifest_of_another_time_is_read(make_run: Make) -> None:
    folder = make_run()
    said = json.loads((folder.path / "manifest.json").read_text())
    for key in ("steps", "processes", "cpu", "finished", "argv", "versions", "started"):
        del said[key]
    (folder.path / "manifest.json").write_text(json.dumps(said | {"git": None, "later": [1]}))
    assert RunFolder.open(folder.path).manifest["later"] == [1]


def test_a_part_of_a_config_that_is_no_mapping_is_damage(make_run: Make) -> None:
    folder = make_run()
    with (folder.path / "config.yaml").open("a") as file:
        file.write("model: 3\n")  # of two, YAML takes the last
    with pytest.raises(RunFolderError, match=r"config.yaml is damaged: model cannot be"):
        RunFolder.open(folder.path)


ROWS: list[tuple[dict[str, Any], str]] = [
    ({}, "step, size"),
    ({"size": "20"}, "size"),
    ({"exact_match": "all"}, "exact_match"),
    ({"status": None}, "status"),
    ({"mode": "sliding"}, "bits_per_character"),
]


@pytest.mark.parametrize(("change", "keys"), ROWS, ids=[keys for _, keys in ROWS])
def test_a_row_that_no_run_wrote_is_damage(make_run: Make, change: dict[str, Any], keys: str) -> None:
    folder = make_run()
    folder.curve.rewrite([answered(10, None), answered(20, 1.0) | change if change else {}])
    with pytest.raises(RunFolderError, match=rf"curve.jsonl, line 2, is damaged: {keys}"):
        document(folder)


def test_a_logged_step_that_is_none_is_damage(make_run: Make) -> None:
    folder = make_run()
    folder.metrics.rewrite([metric(10), {"loss": 1.0}])
    with pytest.raises(RunFolderError, match=r"metrics.jsonl, line 2, is damaged: step"):
        document(folder)
