"""The name of a run: what in its config decides the result, and so which folder it goes to."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from posemb.labels import position_label, seed_label


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


def folder_label(choice: Mapping[str, str]) -> str:
    """`<task>/<position label>`: where a run's folder stands among all runs."""
    return f"{choice['task']}/{position_label(choice)}"


def folder_name(config: Mapping[str, Any], digest: str | None) -> str:
    """`s<seed>-<hash>`; with two different seeds `s<init>.<data>-<hash>`."""
    return f"s{seed_label(config['seed'])}-{config_hash(config, digest)}"


def anchored(config: dict[str, Any], digest: str | None) -> dict[str, Any]:
    """The config as a run keeps it. It must do from any working folder, so a task that reads a file has its whole path.

    Only what is stored is changed: messages name the path as it was typed.

    Args:
        config: a checked config.
        digest: SHA-256 of the corpus of a task that reads one, else None.
    """
    file = config["task"].get("file")
    if digest is None or not isinstance(file, str):
        return config
    return config | {"task": config["task"] | {"file": str(Path(file).absolute())}}
