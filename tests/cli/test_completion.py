"""TAB, in a real interactive bash, and as zsh and fish ask."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from posemb.run.compose import options

pexpect = pytest.importorskip("pexpect")
PROMPT = "ready$ "


def completed(words: str, cwd: Path, shell: str = "fish") -> list[str]:
    """What is offered where the shell hands over the whole line."""
    environment = {
        "_POSEMB_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_ARGS": words,
    }
    said = subprocess.run(
        [sys.executable, "-c", "import sys; from posemb.cli import main; sys.argv = ['posemb']; main()"],
        env=os.environ | environment, cwd=cwd, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.stderr == ""
    return said.stdout.split("\n")[:-1]


def test_shells_that_hand_over_the_whole_word(tmp_path: Path) -> None:
    assert completed("posemb train position=si", tmp_path) == ["position=sinusoidal"]
    assert completed("posemb train --position ", tmp_path) == list(options("position"))
    assert "model.width=" in completed("posemb train model.", tmp_path)
    assert '"position=sinusoidal"' in "\n".join(completed("posemb train position=si", tmp_path, "zsh"))


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """An interactive bash in which completion is loaded from what posemb itself prints."""
    if shutil.which("bash") is None:
        pytest.skip("no bash")
    home = tmp_path_factory.mktemp("home")
    bin_ = home / "bin"
    bin_.mkdir()
    (bin_ / "posemb").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m posemb.cli "$@"\n')
    (bin_ / "posemb").chmod(0o755)
    configs = home / "configs/position"
    configs.mkdir(parents=True)
    (configs / "zigzag.yaml").write_text("_target_: posemb.position.nope.NoPE\nstep: 3\n")
    environment = os.environ | {"PATH": f"{bin_}:{os.environ['PATH']}", "HOME": str(home), "TERM": "dumb"}
    environment.pop("POSEMB_RUNS", None)
    child = pexpect.spawn(
        "bash",
        ["--norc", "--noprofile"],
        encoding="utf-8",
        timeout=60,
        env=environment,
        cwd=str(home),
        dimensions=(40, 150),
    )
    child.sendline(f"bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; PS1='{PROMPT}'")
    child.expect_exact(f"\n{PROMPT}")
    child.sendline('eval "$(_POSEMB_COMPLETE=source_bash posemb)"; echo loaded')
    child.expect_exact("\r\nloaded")
    child.expect_exact(PROMPT)
    yield child
    child.close(force=True)


LINES = {
    "posemb tr": "posemb train ",
    "posemb list me": "posemb list methods ",
    "posemb show ali": "posemb show alibi ",
    "posemb train --posi": "posemb train --position ",
    "posemb train --position si": "posemb train --position sinusoidal ",
    "posemb train --position=si": "posemb train --position=sinusoidal ",
    "posemb train position=si": "posemb train position=sinusoidal ",
    "posemb train --device cu": "posemb train --device cuda ",
    "posemb train --steps 5 position=si": "posemb train --steps 5 position=sinusoidal ",
    "posemb train model.width=9 task=rev": "posemb train model.width=9 task=reverse ",
    "posemb train model.wid": "posemb train model.width=",
    "posemb train position=rope position.pa": "posemb train position=rope position.pairs=",
    "posemb train run.device=cu": "posemb train run.device=cuda ",
    "posemb train --config-dir configs position=zi": "posemb train --config-dir configs position=zigzag ",
    "posemb train --config-dir configs --position zi": "posemb train --config-dir configs --position zigzag ",
    "posemb train --task text task.fi": "posemb train --task text task.file=",
    "posemb train --config-dir con": "posemb train --config-dir configs/",
}


@pytest.mark.parametrize(("typed", "line"), LINES.items(), ids=LINES)
def test_tab_in_bash(bash: Any, typed: str, line: str) -> None:
    # TAB, Home, `echo "[`, End, `]"`, Enter: bash prints the line that TAB made.
    bash.send(f'{typed}\t\x01echo "[\x05]"\r')
    bash.expect(r"\r\n\[(.*?)\]\r\n")
    assert bash.match[1] == line
    bash.expect_exact(PROMPT)
