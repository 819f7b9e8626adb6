import json
from collections.abc import Callable
from pathlib import Path

import pytest

from posemb.errors import RunFolderError
from posemb.run.folder import RunFolder
from posemb.run.inventory import run_paths, summary
from posemb.run.result import document
from tests.run.conftest import answered, metric

Make = Callable[..., RunFolder]


def test_runs_are_found_without_being_opened(tmp_path: Path) -> None:
    names = ["last/rope/s10-00000000", "last/rope/s9-00000000-2", "last/rope/s9-00000000", "copy/rope/s0.1-abcdef01"]
    for name in names:
        (tmp_path / name / "curve").mkdir(parents=True)
    (tmp_path / "last/rope/my copy").mkdir()
    (tmp_path / "last/rope/my copy/config.yaml").touch()
    (tmp_path / "last/rope/notes").mkdir()
    (tmp_path / "last/rope/s1-00000000").touch()
    found = [path.relative_to(tmp_path).as_posix() for path in run_paths(tmp_path)]
    assert found == ["copy/rope/s0.1-abcdef01", "last/rope/my copy", *reversed(names[:3])]
    assert run_paths(tmp_path / names[0]) == [tmp_path / names[0]]
    assert len(run_paths(tmp_path / "last")) == 4
    assert run_paths(tmp_path, depth=2) == [] == run_paths(tmp_path / "nowhere")


def test_digits_of_another_script_are_letters(tmp_path: Path) -> None:
    for name in ("٣", "3", "b"):
        (tmp_path / name / "s0-00000000").mkdir(parents=True)
    assert [path.parent.name for path in run_paths(tmp_path)] == ["3", "b", "٣"]


def test_a_summary_agrees_with_the_document(make_run: Make) -> None:
    folder = make_run(task="last")
    folder.curve.rewrite([answered(10, 1.0), answered(20, 0.95), answered(40, 0.5), answered(80, 0.95)])
    folder.metrics.append(metric(10))
    running = summary(folder)
    assert (running.state, running.seconds, running.finished, running.error) == ("running", None, None, None)
    folder.finish("diverged", "The loss became nan.", timings={"training": 1.5, "evaluation": 0.25})
    found, whole = summary(RunFolder.open(folder.path)), document(folder)
    same = ("run", "state", "position", "ids", "task", "seed", "in_distribution", "l90", "seconds", "error")
    assert {key: getattr(found, key) for key in same} == {key: whole[key] for key in same}
    assert (found.in_distribution, found.l90, found.seconds, found.error) == (0.95, 20, 1.75, "The loss became nan.")
    assert found.finished == folder.manifest["finished"]
    assert found.settings["model.width"] == 64 and "run.device" not in found.settings


def test_a_run_whose_process_is_gone_crashed(make_run: Make) -> None:
    folder = make_run()
    folder.update(process_began="before the flood")
    found = summary(RunFolder.open(folder.path))
    assert found.state == "crashed"
    assert found.error == document(folder)["error"]


def test_two_seeds_are_told_apart(make_run: Make) -> None:
    folder = make_run()
    folder.config["seed"] = {"init": 3, "data": 4}
    assert summary(folder).seed == {"init": 3, "data": 4}


def test_metrics_are_never_read(make_run: Make) -> None:
    folder = make_run()
    folder.metrics.path.write_text("not a row\n")
    assert summary(folder).state == "running"


@pytest.mark.parametrize("row", ["[]", "{}", '{"size": null}'])
def test_a_damaged_curve_names_the_run(make_run: Make, row: str) -> None:
    folder = make_run()
    folder.curve.path.write_text(row + "\n")
    with pytest.raises(RunFolderError, match="damaged") as error:
        summary(folder)
    assert str(folder.path) in str(error.value)


WRONG = {"choice": "choice: [rope]", "choice.task": "choice: {position: rope, ids: sequential}", "seed.init": "seed: 3"}


@pytest.mark.parametrize(("key", "line"), WRONG.items(), ids=WRONG)
def test_a_config_that_no_run_was_made_with_is_damaged(make_run: Make, key: str, line: str) -> None:
    folder = make_run()
    with (folder.path / "config.yaml").open("a") as file:
        file.write(line + "\n")  # of two, YAML takes the last
    with pytest.raises(RunFolderError, match=rf"config.yaml is damaged: .*{key}"):
        RunFolder.open(folder.path)


def test_timings_that_are_no_numbers_are_damage(make_run: Make) -> None:
    folder = make_run()
    manifest = json.loads((folder.path / "manifest.json").read_text()) | {"timings": {"training": "long"}}
    (folder.path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(RunFolderError, match="damaged"):
        summary(RunFolder.open(folder.path))
