from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import api_pb2, metadata

from posemb.errors import RunFolderError, UsageError
from posemb.run import board
from posemb.run.folder import RunFolder
from posemb.run.hparams import columns, has_hparams, outcome, save_hparams
from posemb.run.log import TrainingLog
from tests.run.conftest import answered, metric

Make = Callable[..., RunFolder]


def read(folder: Path) -> tuple[dict[str, Any], int, dict[str, list[tuple[int, float]]]]:
    """What TensorBoard finds in a folder: columns, status, and (step, value) for each metric."""
    events = EventAccumulator(str(folder))
    events.Reload()
    contents = events.summary_metadata
    start = metadata.parse_session_start_info_plugin_data(contents[metadata.SESSION_START_INFO_TAG].plugin_data.content)
    end = metadata.parse_session_end_info_plugin_data(contents[metadata.SESSION_END_INFO_TAG].plugin_data.content)
    cells = {key: getattr(value, value.WhichOneof("kind")) for key, value in start.hparams.items()}
    tags = [tag for tag in events.Tags()["scalars"] if tag.startswith("answer/")]
    return cells, end.status, {tag: [(one.step, one.value) for one in events.Scalars(tag)] for tag in tags}


def test_every_key_of_a_config_is_a_column_with_a_value_of_its_kind(config: dict[str, Any]) -> None:
    config["position"] |= {"rows": None, "learned": True, "pairs": "halves"}
    config["eval"]["sizes"] = [5, 30]
    assert columns(config) == {
        **{"position": "rope", "ids": "sequential", "task": "copy"},
        **{"position.base": 10000.0, "position.learned": True, "position.pairs": "halves"},
        **{"model.width": 64, "train.size": 20, "train.steps": 100, "train.lr": 1e-5, "train.note": "1e3"},
        **{"eval.sizes": "[5, 30]", "eval.count": 512, "seed.init": 3, "seed.data": 3},
    }


def test_metrics_are_the_horizon_and_the_accuracy_up_to_the_trained_size() -> None:
    rows = [answered(5, 1.0), answered(20, 0.9375), answered(30, 0.95), answered(40, 0.5), answered(50, 1.0)]
    assert outcome(rows, 20) == {"answer/in_distribution": 0.9375, "answer/l90": 30}
    assert outcome(rows[2:], 20) == {"answer/l90": 30}  # no size up to the trained one was evaluated
    assert outcome([], 20) == {}


def test_metrics_of_text_are_bits_per_character_at_the_trained_size() -> None:
    rows = [
        {"size": size, "mode": mode, "bits_per_character": bits}
        for size, mode, bits in (
            (64, "blocked", 2.5),
            (64, "sliding", 2.25),
            (128, "blocked", 3.5),
            (128, "sliding", 3),
        )
    ]
    assert outcome(rows, 64) == {"answer/bits_per_character/blocked": 2.5, "answer/bits_per_character/sliding": 2.25}


def completed(folder: RunFolder) -> RunFolder:
    log = TrainingLog(folder)
    log.step(metric(100))
    for row in (answered(5, 1.0), answered(20, 0.9375), answered(40, 0.5)):
        log.curve(row)
    log.close()
    folder.finish("completed")
    return folder


def test_a_run_says_its_config_and_results_beside_its_training(make_run: Make) -> None:
    folder = completed(make_run())
    before = {path.name for path in folder.path.rglob("*")}
    assert not has_hparams(folder.path)
    file = save_hparams(folder)
    assert has_hparams(folder.path)
    assert {path.name for path in folder.path.rglob("*")} - before == {file.name}  # no folder, so no run of its own
    cells, status, metrics = read(folder.path)
    assert cells == columns(folder.config)
    assert status == api_pb2.STATUS_SUCCESS
    assert metrics == {"answer/in_distribution": [(100, 0.9375)], "answer/l90": [(100, 20.0)]}


@pytest.mark.parametrize("state", ["diverged", "failed", "interrupted"])
def test_a_run_that_did_not_complete_has_no_results(make_run: Make, state: Any) -> None:
    folder = make_run()
    folder.curve.append(answered(5, 1.0))  # the others were not evaluated any more
    folder.finish(state)
    save_hparams(folder)
    cells, status, metrics = read(folder.path)
    assert (cells["position"], status, metrics) == ("rope", api_pb2.STATUS_FAILURE, {})


def test_a_resumed_run_begins_anew(make_run: Make) -> None:
    folder = make_run()
    folder.finish("interrupted")
    save_hparams(folder)
    save_hparams(completed(folder))
    assert len(list(folder.path.glob("*.hparams"))) == 1
    assert read(folder.path)[1] == api_pb2.STATUS_SUCCESS


def test_a_refusing_disk_leaves_nothing_behind(make_run: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = completed(make_run())
    before = set(folder.path.iterdir())

    def refuse(*_: Any) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("posemb.run.hparams.os.replace", refuse)
    with pytest.raises(RunFolderError, match="Read-only file system"):
        save_hparams(folder)
    assert set(folder.path.iterdir()) == before


def test_the_board_brings_every_ended_run_up_to_date_once(make_run: Make, tmp_path: Path) -> None:
    ended, running, diverged = completed(make_run()), make_run(position="ape"), make_run(position="nope")
    diverged.finish("diverged")
    root = tmp_path / "runs"
    assert board.prepare(root) == (3, [])
    assert [has_hparams(one.path) for one in (ended, running, diverged)] == [True, False, True]
    files = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    assert board.prepare(root) == (3, [])
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == files


def test_the_board_passes_over_what_it_cannot_read_in_one_line(make_run: Make, tmp_path: Path) -> None:
    folders = [completed(make_run(position=name)) for name in ("rope", "ape", "nope")]
    for folder in folders[1:]:
        (folder.path / "manifest.json").write_text("{")
    runs, notes = board.prepare(tmp_path / "runs")
    assert runs == 3
    assert has_hparams(folders[0].path)
    [note] = notes
    assert "ape" in note and "(and 1 more)" in note and "\n" not in note


def test_the_board_finds_runs_as_every_list_does(make_run: Make, tmp_path: Path) -> None:
    for name in ("runs", "more/folders/runs", ".hidden"):
        completed(make_run(tmp_path / name))
    (tmp_path / "runs/copy/rope/s9-00000000").mkdir()  # half-written
    runs, [note] = board.prepare(tmp_path)
    assert runs == 3 and "s9-00000000" in note


def test_a_read_only_folder_is_one_line(make_run: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    completed(make_run())

    def refuse(*_: Any) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("posemb.run.hparams.os.replace", refuse)
    runs, [note] = board.prepare(tmp_path / "runs")
    assert runs == 1 and "Read-only file system" in note and "\n" not in note


def test_no_folder_and_no_runs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no folder"):
        board.prepare(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="posemb train"):
        board.prepare(tmp_path)
