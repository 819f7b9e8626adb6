"""On a real terminal, of a given width."""

import os
import re
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from posemb.run.compose import options
from tests.cli.conftest import TINY

pexpect = pytest.importorskip("pexpect")
SHOW, HIDE = "\x1b[?25h", "\x1b[?25l"


def terminal(words: Sequence[str | Path], cwd: Path, columns: int = 80, script: str | None = None) -> Any:
    """posemb, or a script that ends in it, on a terminal so many columns wide."""
    before = ["-c", script] if script else ["-m", "posemb.cli"]
    # A test runner's own COLUMNS would outweigh the terminal's width.
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    return pexpect.spawn(
        sys.executable,
        [*before, *map(str, words)],
        env=inherited | {"TERM": "xterm", "OMP_NUM_THREADS": "1"},
        cwd=str(cwd),
        dimensions=(24, columns),
        encoding="utf-8",
        timeout=60,
    )


def said(child: Any) -> tuple[int, str]:
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


@pytest.mark.parametrize("columns", [80, 48])
def test_every_frame_fits_and_the_page_after_it_too(tmp_path: Path, columns: int) -> None:
    words = ["train", *TINY, "--steps", "200", "--sizes", "2", "run.log_every=50", "--runs", tmp_path]
    code, text = said(terminal(words, tmp_path, columns))
    assert code == 0
    frames = [plain(frame) for frame in re.split(r"[\r\n]+", text) if "left" in frame]
    assert max(map(len, frames)) <= columns
    assert any("/200" in frame and "loss" in frame for frame in frames)
    assert any(frame.startswith("evaluating") and "size 2" in frame for frame in frames)
    if columns == 80:
        assert any("accuracy" in frame and "tokens/s" in frame for frame in frames)
    assert text.rindex(SHOW) > text.rindex(HIDE)
    (table,) = re.findall(r"^ *size .*\n(?:\r?\n)? +2 .*$", plain(text).replace("\r", ""), re.M)
    assert max(map(len, table.splitlines())) <= 80


def test_a_list_is_readable_in_a_narrow_terminal(tmp_path: Path) -> None:
    code, text = said(terminal(["list", "methods"], tmp_path))
    lines = plain(text).replace("\r", "").split("\n\n")[0].splitlines()[1:]
    assert code == 0 and max(map(len, lines)) <= 80
    first = [line.split()[0] for line in lines if line[2] != " "]
    assert first == list(options("position"))
    assert all(line[2] != " " or not line[:25].strip() for line in lines)


def test_a_very_narrow_list_has_its_words_below(tmp_path: Path) -> None:
    code, text = said(terminal(["list", "methods"], tmp_path, columns=40))
    lines = plain(text).replace("\r", "").split("\n\n")[0].splitlines()[1:]
    assert code == 0 and max(map(len, lines)) <= 40
    assert [line.split()[0] for line in lines if line[2] != " "] == list(options("position"))
    assert any(line.startswith("    Linear biases") for line in lines)


SLOW = """
import time
import posemb.eval.answer as answer
decode = answer.decode
def slow(*given):
    told = given[-1]
    def tell(done, total):
        time.sleep(0.6)
        told(done, total)
    return decode(*given[:-1], tell)
answer.decode = slow
from posemb.cli import main
main()
"""


def test_a_long_answer_shows_how_far_it_is(finished: Path, tmp_path: Path) -> None:
    code, text = said(terminal(["sample", finished, "--size", "40", "--count", "1"], tmp_path, 60, script=SLOW))
    frames = [plain(frame) for frame in re.split(r"[\r\n]+", text) if "answering" in frame]
    assert code == 0 and max(map(len, frames)) <= 60
    assert any(re.search(r"\d+/\d+ tokens", frame) for frame in frames)
    assert text.rindex(SHOW) > text.rindex(HIDE)


STUCK = """
import sys, time
import posemb.run.training as training
training.save_checkpoint = lambda *_: time.sleep(300)
from posemb.cli import main
main()
"""


def test_a_second_ctrl_c_leaves_at_once_with_the_cursor_back(tmp_path: Path) -> None:
    child = terminal(["train", *TINY, "--steps", "1000000", "--runs", tmp_path], tmp_path, script=STUCK)
    child.expect("training")
    child.sendintr()
    child.expect("Stopping")
    child.sendintr()
    code, text = said(child)
    assert code == 130
    assert SHOW in text
    assert "Traceback" not in text


@pytest.mark.parametrize("columns", [80, 40])
def test_an_extension_fits_and_its_tuning_shows(finished: Path, tmp_path: Path, columns: int) -> None:
    copied = shutil.copytree(finished, tmp_path / finished.name)
    sizes = ("--sizes", "2,3,4,5,6,8,10,12,16,20,24,28,32,40,48,64", "--count", "8", "--threads", "1")
    words = ["extend", copied, *sizes, "--scaling", "pi,ntk_by_parts", "--to", "2,4,8", "--tune", "40"]
    code, text = said(terminal(words, tmp_path, columns))
    assert code == 0
    frames = [plain(frame) for frame in re.split(r"[\r\n]+", text) if "left" in plain(frame) and "/" in frame]
    assert max(map(len, frames)) <= columns
    assert any(frame.startswith("tuning") and "/40" in frame for frame in frames)
    page = plain(text[text.rindex("rope on last") :]).replace("\r", "").split("The rows are in")[0]
    assert max(map(len, page.splitlines())) <= columns
    table, heat = page.split("\n\n")[1:3]
    assert "scaling" in table and "tuned" in table and "L90" in table and "ntk_by_parts, s = 8, tuned" in heat
    assert ("No room was left for sizes" in heat) is (columns == 40)


def test_a_second_signal_is_not_needed_within_a_long_row(finished: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(finished, tmp_path / finished.name)
    child = terminal(["extend", copied, "--scaling", "pi", "--sizes", "200000", "--threads", "1"], tmp_path)
    child.expect("evaluating")
    child.kill(signal.SIGTERM)
    code, text = said(child)
    assert code == 143 and "A second signal leaves at once" in text and "the run is as it was" in text
    assert not list(copied.glob("extend-*"))
