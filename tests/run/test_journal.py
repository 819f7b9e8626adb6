import math
import os
from pathlib import Path

import pytest

from posemb.errors import RunFolderError
from posemb.run.journal import Journal

needs_full_device = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")


def test_rows_come_back_as_written(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "metrics #1 ä.jsonl")
    assert journal.read() == []
    rows = [{"step": 1, "loss": 0.1, "word": "größer", "group": {"a": [1, 2]}}, {"step": 2, "loss": None}]
    for row in rows:
        journal.append(row)
    assert journal.read() == rows


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_null(tmp_path: Path, number: float) -> None:
    journal = Journal(tmp_path / "metrics.jsonl")
    journal.append({"loss": number, "validation": {"loss": number}, "list": (number, 1.0)})
    assert journal.read() == [{"loss": None, "validation": {"loss": None}, "list": [None, 1.0]}]


@pytest.mark.parametrize("torn", [b"{", b'{"step": 3, "lo', b'{"step": 3}', '{"word": "gr\u00f6'.encode()[:-1]])
def test_a_torn_last_line_is_ignored_and_cut(tmp_path: Path, torn: bytes) -> None:
    journal = Journal(tmp_path / "metrics.jsonl")
    journal.append({"step": 1})
    journal.append({"step": 2})
    with journal.path.open("ab") as file:
        file.write(torn)
    assert journal.read() == [{"step": 1}, {"step": 2}]
    journal.append({"step": 4})
    assert journal.read() == [{"step": 1}, {"step": 2}, {"step": 4}]


def test_a_torn_only_line_is_cut(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "metrics.jsonl")
    journal.path.write_bytes(b'{"st')
    journal.append({"step": 1})
    assert journal.path.read_bytes() == b'{"step": 1}\n'


def test_damage_in_the_middle_is_named(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "metrics.jsonl")
    journal.path.write_bytes(b'{"step": 1}\n{"st\n{"step": 3}\n')
    with pytest.raises(RunFolderError, match=r"metrics\.jsonl, line 2"):
        journal.read()


@needs_full_device
def test_a_full_disk_is_named(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "metrics.jsonl")
    journal.path.symlink_to("/dev/full")
    with pytest.raises(RunFolderError, match=r"metrics\.jsonl: No space left on device"):
        journal.append({"step": 1})


def test_a_failed_rewrite_leaves_the_rows(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "metrics.jsonl")
    journal.append({"step": 1})
    with pytest.raises(TypeError):
        journal.rewrite([{"step": object()}])
    assert journal.read() == [{"step": 1}]
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.jsonl"]
