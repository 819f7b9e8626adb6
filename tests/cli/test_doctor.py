from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from tests.cli.conftest import Said


def test_a_working_installation(posemb: Callable[..., Said], tmp_path: Path) -> None:
    said = posemb("doctor", "--runs", tmp_path / "runs")
    assert said.code == 0, said.out
    found = {line.split()[1]: line.split()[0] for line in said.out.splitlines()}
    assert {"python", "torch", "runs", "git", "completion", "position", "forward"} <= set(found)
    assert "broken" not in found.values()
    assert not any(tmp_path.iterdir())


def test_a_version_out_of_range_is_broken(posemb: Callable[..., Said], monkeypatch: pytest.MonkeyPatch) -> None:
    def requires(name: str) -> list[str]:
        return ["torch>=999", "nowhere-to-be-found>=1", "rich>=1", 'mypy>=999; extra == "dev"']

    monkeypatch.setattr(metadata, "requires", requires)
    said = posemb("doctor")
    assert said.code == 1
    broken = [line.split()[1] for line in said.out.splitlines() if line.startswith("broken")]
    assert broken == ["torch", "nowhere-to-be-found"]
    assert "torch, nowhere-to-be-found" in said.err


def test_configs_and_folders_that_do_not_work(posemb: Callable[..., Said], tmp_path: Path) -> None:
    (tmp_path / "position").mkdir()
    (tmp_path / "position/mine.yaml").write_text("_target_: os.system\n")
    (tmp_path / "file").write_text("")
    said = posemb("doctor", "--config-dir", tmp_path, "--runs", tmp_path / "file" / "runs")
    assert said.code == 1
    broken = {line.split()[1] for line in said.out.splitlines() if line.startswith("broken")}
    assert broken == {"position", "runs"}
