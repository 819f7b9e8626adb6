"""Every command of the page on comparing works, in its order, from an empty folder."""

from pathlib import Path

import pytest

from tests.docs.pages import ROOT, follow, write_files

PAGE = ROOT / "docs" / "comparing.md"


def test_its_commands_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(PAGE, tmp_path)
    follow(PAGE, tmp_path, monkeypatch)
    assert {path.suffix for path in (tmp_path / "paper").iterdir()} == {".png", ".svg", ".pdf", ".csv", ".parquet"}
    assert (tmp_path / "report.html").is_file()
