import json
import os
import threading
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from posemb.errors import RunFolderError
from posemb.run.folder import RunFolder
from posemb.run.log import TrainingLog
from tests.run.conftest import answered, metric

Make = Callable[..., RunFolder]


def scalars(folder: Path) -> dict[str, list[tuple[int, float, float]]]:
    """What TensorBoard reads from a folder: for each tag (step, value, wall time)."""
    events = EventAccumulator(str(folder))
    events.Reload()
    return {
        tag: [(event.step, event.value, event.wall_time) for event in events.Scalars(tag)]
        for tag in events.Tags()["scalars"]
    }


def logged(folder: RunFolder, steps: Iterator[int] | range) -> None:
    log = TrainingLog(folder)
    for step in steps:
        log.step(metric(step))
    log.close()


def test_rows_go_to_the_journal_and_to_tensorboard(make_run: Make) -> None:
    folder = make_run()
    logged(folder, range(10, 40, 10))
    rows = folder.metrics.read()
    assert [{key: value for key, value in row.items() if key != "time"} for row in rows] == [
        metric(step) for step in (10, 20, 30)
    ]
    seen = scalars(folder.path)
    assert set(seen) == {
        *("train/loss", "train/accuracy", "train/lr", "train/tokens_per_second"),
        *("validation/loss", "validation/exact_match"),
    }
    assert [(step, wall) for step, _, wall in seen["train/loss"]] == [(row["step"], row["time"]) for row in rows]
    assert [value for _, value, _ in seen["train/loss"]] == pytest.approx([1 / 10, 1 / 20, 1 / 30])


def test_after_a_resume_steps_strictly_increase(make_run: Make) -> None:
    folder = make_run()
    logged(folder, range(10, 80, 10))
    before = scalars(folder.path)["train/loss"]
    folder.cut_metrics(40)
    resumed = TrainingLog(folder)
    for step in range(50, 100, 10):
        resumed.step(metric(step))
    resumed.close()
    after = scalars(folder.path)["train/loss"]
    assert [step for step, _, _ in after] == list(range(10, 100, 10))
    assert after[:4] == before[:4]  # the same values at the same wall times
    assert len(list(folder.path.glob("events.*"))) == 1


def test_a_loss_that_is_no_number_has_no_point(make_run: Make) -> None:
    folder = make_run()
    log = TrainingLog(folder)
    log.step(metric(10))
    log.step(metric(20) | {"loss": float("nan")})
    log.close()
    assert [step for step, _, _ in scalars(folder.path)["train/loss"]] == [10]
    assert [step for step, _, _ in scalars(folder.path)["train/lr"]] == [10, 20]


def test_the_curve_has_its_own_folder_and_step_is_length(make_run: Make) -> None:
    folder = make_run()
    log = TrainingLog(folder)
    log.step(metric(10))
    for row in (answered(1, 1.0), answered(2, 0.5), answered(30, None)):
        log.curve(row)
    log.close()
    assert folder.curve.read() == [answered(1, 1.0), answered(2, 0.5), answered(30, None)]
    seen = scalars(folder.path / "curve")
    assert set(seen) == {"curve/exact_match", "curve/token_accuracy", "curve/loss", "curve/entropy"}
    assert [(step, value) for step, value, _ in seen["curve/exact_match"]] == [(5, 1.0), (7, 0.5)]
    assert not any(tag.startswith("curve") for tag in scalars(folder.path))


def test_an_evaluation_done_again_leaves_one_curve(make_run: Make) -> None:
    folder = make_run()
    for _ in range(2):
        folder.clear_curve()
        log = TrainingLog(folder)
        for size in (1, 2, 3):
            log.curve(answered(size, 1.0))
        log.close()
    assert [step for step, _, _ in scalars(folder.path / "curve")["curve/loss"]] == [5, 7, 9]


def test_text_has_bits_per_character_for_each_mode(make_run: Make) -> None:
    folder = make_run()
    log = TrainingLog(folder)
    for mode, bits in (("blocked", 2.5), ("sliding", 2.0)):
        log.curve({"step": 1, "size": 64, "length": 64, "mode": mode, "bits_per_character": bits, "status": "ok"})
    log.close()
    seen = scalars(folder.path / "curve")
    assert seen["curve/bits_per_character/blocked"][0][:2] == (64, 2.5)
    assert seen["curve/bits_per_character/sliding"][0][:2] == (64, 2.0)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_loses_nothing(make_run: Make) -> None:
    folder = make_run()
    logged(folder, range(10, 30, 10))
    kept = folder.metrics.path.rename(folder.path / "kept")
    folder.metrics.path.symlink_to("/dev/full")
    log = TrainingLog(folder)
    with pytest.raises(RunFolderError, match="No space left"):
        log.step(metric(30))
    log.close()
    folder.metrics.path.unlink()
    kept.rename(folder.metrics.path)
    logged(folder, range(30, 40, 10))
    assert [step for step, _, _ in scalars(folder.path)["train/loss"]] == [10, 20, 30]


@pytest.mark.slow
def test_a_tensorboard_server_shows_runs_and_their_curves(make_run: Make, tmp_path: Path) -> None:
    from tensorboard.program import TensorBoard

    folder = make_run()
    logged(folder, range(10, 60, 10))
    folder.cut_metrics(30)
    log = TrainingLog(folder)
    log.step(metric(40))
    log.curve(answered(1, 1.0))
    log.close()
    server = TensorBoard()
    server.configure(argv=["tensorboard", "--logdir", str(tmp_path / "runs"), "--port", "0", "--load_fast", "false"])
    url = server.launch() + "data/plugin/scalars/"
    run = folder.path.relative_to(tmp_path / "runs").as_posix()

    def ask(what: str) -> Any:
        with urllib.request.urlopen(url + what, timeout=10) as answer:
            return json.load(answer)

    for _ in range(100):
        if len(ask("tags")) == 2:
            break
        threading.Event().wait(0.2)
    assert set(ask("tags")) == {run, f"{run}/curve"}
    query = urllib.parse.urlencode({"run": run, "tag": "train/loss"})
    assert [step for _, step, _ in ask(f"scalars?{query}")] == [10, 20, 30, 40]
    query = urllib.parse.urlencode({"run": f"{run}/curve", "tag": "curve/exact_match"})
    assert [(step, value) for _, step, value in ask(f"scalars?{query}")] == [(5, 1.0)]
