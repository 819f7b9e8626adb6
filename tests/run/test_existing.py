from pathlib import Path

from posemb.run.existing import existing
from posemb.run.process import me
from tests.sweep.example import made


def test_the_run_that_got_farthest_comes_first(tmp_path: Path) -> None:
    first = made(tmp_path, state="interrupted")
    second = made(tmp_path, state="failed")
    second.update(steps=50)
    label, name = "copy/rope", first.path.name
    assert second.path.name == f"{name}-2"
    assert [folder.path for folder in existing(tmp_path, label, name)] == [second.path, first.path]
    third = made(tmp_path, state="completed")
    assert existing(tmp_path, label, name)[0].path == third.path
    first.update(state="running", **me())
    assert [folder.state for folder in existing(tmp_path, label, name)] == ["completed", "running", "failed"]


def test_other_runs_and_damaged_ones_are_passed_over(tmp_path: Path) -> None:
    run = made(tmp_path)
    label, name = "copy/rope", run.path.name
    for other in (f"{name}9", f"{name}-x", f"{name}-2"):
        (run.path.parent / other).mkdir()
    (run.path.parent / f"{name}-2" / "manifest.json").write_text("{")
    assert [folder.path for folder in existing(tmp_path, label, name)] == [run.path]
    assert existing(tmp_path, "copy/none", name) == []
