from typing import Any

import pytest

from posemb.labels import position_label, seed_label
from posemb.run.identity import config_hash, folder_label, folder_name


@pytest.mark.parametrize(("key", "value"), [("device", "cuda"), ("threads", 7), ("log_every", 1)])
def test_the_machine_does_not_change_the_hash(config: dict[str, Any], key: str, value: object) -> None:
    before = config_hash(config, None)
    config["run"][key] = value
    assert config_hash(config, None) == before


@pytest.mark.parametrize(
    ("group", "key", "value"),
    [("train", "lr", 2e-5), ("position", "base", 500.0), ("eval", "count", 8), ("seed", "data", 4), ("task", "x", 1)],
)
def test_what_changes_the_result_changes_the_hash(config: dict[str, Any], group: str, key: str, value: object) -> None:
    before = config_hash(config, None)
    config[group][key] = value
    assert config_hash(config, None) != before


def test_a_corpus_counts_by_its_content_not_its_path(config: dict[str, Any]) -> None:
    config["task"]["file"] = "/here/corpus.txt"
    here = config_hash(config, "d1")
    config["task"]["file"] = "/there/the same.txt"
    assert config_hash(config, "d1") == here
    assert config_hash(config, "d2") != here


def test_the_order_of_keys_does_not_change_the_hash(config: dict[str, Any]) -> None:
    assert config_hash(dict(reversed(config.items())), None) == config_hash(config, None)


def test_names(config: dict[str, Any]) -> None:
    assert position_label({"position": "rope", "ids": "sequential"}) == "rope"
    assert (seed_label(3), seed_label({"init": 3, "data": 3}), seed_label({"init": 0, "data": 1})) == ("3", "3", "0.1")
    assert folder_label({"position": "rope", "ids": "randomized", "task": "last"}) == "last/rope+randomized"
    assert folder_name(config, None) == f"s3-{config_hash(config, None)}"
    config["seed"]["data"] = 5
    assert folder_name(config, None) == f"s3.5-{config_hash(config, None)}"
