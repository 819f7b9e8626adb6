import os
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

# One thread for each test process, before torch is loaded: two processes that take two threads each slow down tenfold.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
import yaml

from posemb.run.compose import compose


class Option(NamedTuple):
    """One YAML file of a config group: what the group's laws must hold for."""

    name: str
    target: type
    params: dict[str, Any]

    def build(self, *args: Any) -> Any:
        return self.target(*args, **self.params)


def options(group: str) -> list[Option]:
    """Every option of a config group that builds classes. The folder is the registry, so a new file joins the laws."""
    found = []
    for file in sorted(files("posemb.configs").joinpath(group).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".yaml"):
            name, body = file.name.removesuffix(".yaml"), yaml.safe_load(file.read_text(encoding="utf-8"))
            if "defaults" in body:  # it builds on other options
                body = compose([f"{group}={name}"])[group]
            params = dict(body.get(group, body))  # a file of the global package holds its group under its own key
            module, _, cls = params.pop("_target_").rpartition(".")
            found.append(Option(name, getattr(import_module(module), cls), params))
    return found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What waits longest first, beside what computes most: a file that begins last would leave other workers idle."""
    first = ("sweep", "laws", "run", "docs", "cli")
    items.sort(key=lambda item: _place(item.path, first))


def _place(path: Path, first: tuple[str, ...]) -> int:
    folder = path.relative_to(Path(__file__).parent).parts[0]
    return first.index(folder) if folder in first else len(first)
