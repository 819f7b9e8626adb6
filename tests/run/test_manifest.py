import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from posemb.run import manifest
from posemb.run.process import alive, began, me

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="no git here")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """A working folder with a posemb that no repository tracks, as when it is installed; and git in that folder."""
    installed = tmp_path / "site"
    installed.mkdir()
    monkeypatch.setattr(manifest, "__file__", str(installed / "manifest.py"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.org")

    def git(*command: str) -> str:
        return subprocess.run(["git", *identity, *command], check=True, capture_output=True, text=True).stdout.strip()

    return git


def test_no_git(elsewhere: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert manifest.git_state() is None


@needs_git
def test_no_repository_then_no_commit_then_clean_then_dirty(elsewhere: Callable[..., str]) -> None:
    assert manifest.git_state() is None
    elsewhere("init", "--quiet")
    assert manifest.git_state() is None
    Path("file").write_text("1")
    elsewhere("add", "file")
    elsewhere("commit", "--quiet", "--message", "first")
    clean = manifest.git_state()
    assert clean is not None
    assert (clean["commit"], clean["dirty"]) == (elsewhere("rev-parse", "HEAD"), False)
    Path("file").write_text("2")
    dirty = manifest.git_state()
    assert dirty is not None and dirty["dirty"] is True


def test_a_process_lives_until_it_ends() -> None:
    assert alive(me())
    other = subprocess.Popen(["sleep", "60"])
    entry = me() | {"pid": other.pid, "process_began": began(other.pid)}
    assert alive(entry)
    other.kill()
    other.wait()
    assert not alive(entry)
