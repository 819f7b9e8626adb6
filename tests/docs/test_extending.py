"""Every command of the page on extending works, in its order, from an empty folder."""

from pathlib import Path

import pytest

from tests.docs.pages import ROOT, follow


def test_its_commands_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    follow(ROOT / "docs" / "extending.md", tmp_path, monkeypatch)
    assert (tmp_path / "extended.png").read_bytes().startswith(b"\x89PNG")
    assert len(list(tmp_path.glob("runs/last/rope/*/extend-*.jsonl"))) > 2
