"""Twenty accidents at random times: processes killed outright, and a disk that runs full. Nothing may be lost by it."""

import hashlib
import json
import os
import random
import signal
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.sweep.conftest import TINY, command, environment

ROUNDS = 20
SWEEP = ("sweep", *TINY, "--steps", "2000", "--position", "ape,rope,nope", "--seed", "0,1,2,3", "--jobs", "2")
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes through /proc")


def descendants(pid: int) -> list[int]:
    """All processes below one."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, todo = [], [pid]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found


def alive(pids: list[int]) -> list[int]:
    found = []
    for pid in pids:
        with suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                found.append(pid)
    return found


def digest(run: Path) -> str:
    names = ("config.yaml", "manifest.json", "metrics.jsonl", "curve.jsonl", "weights.safetensors")
    return hashlib.sha256(b"".join((run / name).read_bytes() for name in names)).hexdigest()


def finished(runs: Path) -> dict[Path, str]:
    """Every completed run, and what is in it."""
    found = {}
    for path in runs.glob("*/*/*/manifest.json"):
        with suppress(OSError, ValueError):
            if json.loads(path.read_text())["state"] == "completed":
                found[path.parent] = digest(path.parent)
    return found


def begin(runs: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command(*SWEEP, "--runs", runs, "--name", "s", "--json"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        start_new_session=True,
    )


def until_all_are_gone(process: "subprocess.Popen[bytes]", family: list[int]) -> None:
    """Orphans save and leave by themselves."""
    until = time.monotonic() + 120
    while left := alive(family):
        assert time.monotonic() < until, f"still alive: {left}"
        time.sleep(0.1)
    process.wait(timeout=120)


def kill(process: "subprocess.Popen[bytes]", chance: random.Random) -> str:
    """`kill -9` to the sweep, to one of its processes, or to all of them."""
    family = [process.pid, *descendants(process.pid)]
    victims = chance.choice([[process.pid], [chance.choice(family)], family])
    for victim in victims:
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
    if process.pid in victims:
        until_all_are_gone(process, family)
    else:
        process.wait(timeout=600)
    return f"killed {len(victims)} of {len(family)}, the sweep {'too' if process.pid in victims else 'not'}"


def fill(process: "subprocess.Popen[bytes]", folder: Path) -> str:
    """Leave no byte on the disk until the sweep has ended, of whatever."""
    with (folder / "ballast").open("wb") as file, suppress(OSError):
        while True:
            file.write(b"0" * 65536)
            file.flush()
    process.wait(timeout=600)
    (folder / "ballast").unlink()
    return f"disk full, exit code {process.returncode}"


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """A disk of a few megabytes in this folder, where this user may mount one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.slow
@needs_proc
def test_nothing_is_lost_and_the_same_command_finishes_the_rest(tmp_path: Path) -> None:
    chance = random.Random(7)
    assert begin(tmp_path / "undisturbed").wait() == 0
    expected = {path.name: (path / "weights.safetensors").read_bytes() for path in finished(tmp_path / "undisturbed")}
    with small_disk(tmp_path / "disk") as mounted:
        if not mounted:
            warnings.warn("no disk can be mounted here, so all accidents are kills", stacklevel=1)
        runs, sets, done = tmp_path / "disk" / "set0", 0, {}
        for number in range(ROUNDS):
            process = begin(runs)
            time.sleep(chance.uniform(2, 14))
            what = fill(process, tmp_path / "disk") if mounted and number % 4 == 3 else kill(process, chance)
            now = finished(runs)
            assert done.items() <= now.items(), f"a finished run was touched: {what}"
            print(f"{number}: {what}; {len(now)} of {len(expected)} finished")
            done = now
            if len(done) == len(expected):
                check(runs, expected)
                sets, done = sets + 1, {}
                runs = tmp_path / "disk" / f"set{sets}"
        assert begin(runs).wait() == 0
        assert done.items() <= finished(runs).items()
        check(runs, expected)


def check(runs: Path, expected: dict[str, bytes]) -> None:
    """Each job has one folder, and came out as if nothing had happened."""
    folders = [path.parent for path in runs.glob("*/*/*/manifest.json")]
    assert sorted(path.name for path in folders) == sorted(expected)
    assert {path.name: (path / "weights.safetensors").read_bytes() for path in finished(runs)} == expected
