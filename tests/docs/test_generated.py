"""The generated pages say what the code says, and leave no key of the config unexplained."""

import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from posemb.run.compose import CLASSES, PARTS, compose, options
from tests.docs.pages import ROOT


@pytest.fixture(scope="module")
def write_docs() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.syspath_prepend(str(ROOT / "scripts"))
        yield importlib.import_module("write_docs")
    for name in [name for name in sys.modules if name == "write_docs" or name.partition(".")[0] == "pages"]:
        del sys.modules[name]


def test_no_page_is_stale(write_docs: ModuleType, capsys: pytest.CaptureFixture[str]):
    assert write_docs.main(["--check"]) == 0, capsys.readouterr().out


def test_a_stale_page_is_found_and_written_anew(
    write_docs: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    readme = (ROOT / "README.md").read_text("utf-8")
    (tmp_path / "README.md").write_text(readme.replace("[alibi](docs/methods.md#alibi)", "[alibi](gone)"), "utf-8")
    monkeypatch.setattr(write_docs, "ROOT", tmp_path)
    assert write_docs.main(["--check"]) == 1
    assert "README.md" in capsys.readouterr().out
    assert write_docs.main([]) == 0
    assert (tmp_path / "README.md").read_text("utf-8") == readme


def test_every_key_of_the_config_is_explained():
    explained = "".join((ROOT / "docs" / f"{page}.md").read_text("utf-8") for page in ("config", "methods", "tasks"))
    for group in CLASSES:
        for name in options(group):
            config = compose([f"{group}={name}"])
            keys = [f"{part}.{key}" for part in PARTS for key in config[part] if key != "_target_"]
            assert [key for key in keys if f"| `{key}` |" not in explained] == [], f"{group}={name}"


@pytest.mark.parametrize("group", CLASSES)
def test_every_option_has_an_entry(group: str):
    page = (ROOT / "docs" / ("tasks.md" if group == "task" else "methods.md")).read_text("utf-8")
    titles = {line.lstrip("# ") for line in page.splitlines() if line.startswith("#")}
    assert set(options(group)) <= titles
