"""The name of a run: what in its config decides the result, and so which folder it goes to."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def config_hash(config: Mapping[str, Any], digest: str | None) -> str:
    """Eight hexadecimal digits over all that changes the result.

    The `run` group (device, threads, how often to log) is left out. A task that reads a file counts by the file's
    `digest`, so the path to it is left out too.

    Args:
        config: the composed config.
        digest: SHA-256 of the corpus of a task that reads one, else None.
    """
    counted = {key: value for key, value in config.items() if key != "run"}
    if digest is not None:
        counted["task"] = {key: value for key, value in counted["task"].items() if key != "file"}
    canonical = json.dumps([counted, digest], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:8]


def position_label(choice: Mapping[str, str]) -> str:
    """How a method and its ids are called together: `rope`, or `rope+randomized` where ids are not sequential."""
    return choice["position"] if choice["ids"] == "sequential" else f"{choice['position']}+{choice['ids']}"


def folder_label(choice: Mapping[str, str]) -> str:
    """`<task>/<position label>`: where a run's folder stands among all runs."""
    return f"{choice['task']}/{position_label(choice)}"


def folder_name(config: Mapping[str, Any], digest: str | None) -> str:
    """`s<seed>-<hash>`; with two different seeds `s<init>.<data>-<hash>`."""
    init, data = config["seed"]["init"], config["seed"]["data"]
    seed = f"{init}" if init == data else f"{init}.{data}"
    return f"s{seed}-{config_hash(config, digest)}"
