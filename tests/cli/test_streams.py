"""The real command, in processes of its own."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import TINY

POSEMB = (sys.executable, "-m", "posemb.cli")


def shell(line: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which `posemb` is the command; its exit code is posemb's."""
    script = f'posemb() {{ "{sys.executable}" -m posemb.cli "$@"; }}; {line}'
    return subprocess.run(
        ["bash", "-c", script], cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False
    )


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    said = shell("posemb show rope --code | head -1; exit ${PIPESTATUS[0]}", tmp_path)
    assert said.returncode == 0 and len(said.stdout.splitlines()) == 1
    assert "Traceback" not in said.stderr and "BrokenPipe" not in said.stderr
    # Both streams are gone after the first line; the run goes on to its end.
    said = shell(f"posemb train {' '.join(TINY)} --runs runs 2>&1 | head -1; exit ${{PIPESTATUS[0]}}", tmp_path)
    assert said.returncode == 0
    (curve,) = tmp_path.glob("runs/*/*/*/curve.jsonl")
    assert len(curve.read_text().splitlines()) == 2


def test_signals_save_the_run_and_leave_with_their_code(tmp_path: Path) -> None:
    words = [*POSEMB, "train", *TINY, "--steps", "1000000", "run.log_every=1", "run.validate_every=1", "--json"]
    codes = {signal.SIGINT: 130, signal.SIGTERM: 143}
    processes = {
        number: subprocess.Popen(
            [*words, "--seed", str(int(number))],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number in codes
    }  # fmt: skip
    for number, process in processes.items():
        assert process.stderr is not None
        assert any(line.startswith("step ") for line in process.stderr)
        process.send_signal(number)
    for number, process in processes.items():
        out, err = process.communicate(timeout=60)
        document = json.loads(out)
        assert process.returncode == codes[number]
        assert document["state"] == "interrupted" and document["steps"] >= 1
        assert f"posemb resume {Path(document['run']).relative_to(tmp_path)}" in err
        assert (Path(document["run"]) / "checkpoint.pt").exists()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("posemb list >&-", 0),
        ("posemb list 2>&-", 0),
        ("posemb nope 2>&-", 2),
        ("posemb list >/dev/full", 1),
        ("posemb show rope 2>/dev/full", 0),
    ],
)
def test_streams_that_are_closed_or_full(tmp_path: Path, line: str, code: int) -> None:
    said = shell(line, tmp_path)
    assert said.returncode == code and "Traceback" not in said.stderr


def test_an_encoding_without_arrows(tmp_path: Path) -> None:
    said = shell("posemb show rope", tmp_path, PYTHONIOENCODING="ascii")
    assert said.returncode == 0 and "Rotary" in said.stdout


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_a_document_holds_the_true_path_whatever_the_encoding(finished: Path, tmp_path: Path, encoding: str) -> None:
    paths = [os.fsencode(tmp_path) + name for name in ("/über".encode(), b"/caf\xe9")]  # the second is no UTF-8
    for path in paths:
        os.symlink(finished, path)
        said = shell(f"posemb show {shlex.quote(os.fsdecode(path))} --json", tmp_path, PYTHONIOENCODING=encoding)
        assert said.returncode == 0, said.stderr
        assert os.fsencode(json.loads(said.stdout)["run"]) == path


def test_tables_and_words_in_ascii(finished: Path, tmp_path: Path) -> None:
    one, two = (shell(f"posemb show {finished} {more}", tmp_path, PYTHONIOENCODING="ascii") for more in ("", finished))
    assert "x L" in one.stdout and "?" not in one.stdout + two.stdout
    with_signs = shell(f"posemb show {finished}", tmp_path, PYTHONIOENCODING="utf-8").stdout
    assert "× L" in with_signs
    assert with_signs.count("≤") == one.stdout.count("<=")


BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path, target=None):
        if name == "posemb.cli.app":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Blocked())
from posemb.cli import main
main()
"""


def test_ctrl_c_while_libraries_are_loaded(tmp_path: Path) -> None:
    said = subprocess.run([sys.executable, "-c", BLOCKED], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout, said.stderr) == (130, "", "Interrupted.\n")


LIGHT = [
    ["--help"],
    ["--version"],
    ["train", "-h"],
    ["train", "--steps", "x"],
    ["list"],
    ["list", "--json"],
    ["show", "rope", "--code"],
    ["show", "randomized"],
    ["show", "RUN"],
    ["show", "RUN", "--json"],
    ["eval", "nowhere/at/all"],
]


def test_what_computes_nothing_loads_no_torch(finished: Path, tmp_path: Path) -> None:
    lines = [[str(finished) if word == "RUN" else word for word in line] for line in LIGHT]
    script = (
        "import sys\nfrom posemb.cli.app import run\n"
        f"for line in {lines!r}:\n"
        "    run(line)\n"
        "    heavy = {'torch', 'scipy', 'matplotlib', 'tensorboard'} & set(sys.modules)\n"
        "    assert not heavy, (line, heavy)\n"
    )
    said = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    assert not any(tmp_path.iterdir())


def test_help_is_help_everywhere(tmp_path: Path) -> None:
    said = shell("posemb && posemb -h && posemb --help && posemb train --help", tmp_path)
    assert said.returncode == 0 and said.stdout.count("Usage: posemb") == 4 and said.stderr == ""
