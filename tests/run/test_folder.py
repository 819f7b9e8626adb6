import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
import yaml

from posemb.errors import RunFolderError, UsageError
from posemb.run.evaluations import save_evaluation
from posemb.run.folder import RunFolder
from posemb.run.opening import dump_config
from tests.run.conftest import CONFIG, metric

Make = Callable[..., RunFolder]

PRELUDE = f"""
import sys, time
from pathlib import Path
from posemb.run.folder import RunFolder
from posemb.run.identity import folder_label, folder_name
from posemb.run.manifest import describe
config = {CONFIG!r}
def make(runs, seed):
    config["seed"] = dict(init=seed, data=seed)
    manifest = describe(config, digest=None, parameters=7, trained_length=43, device="cpu", threads=1)
    return RunFolder.create(Path(runs), folder_label(config["choice"]), folder_name(config, None), config, manifest)
"""


def process(body: str, *argv: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PRELUDE + dedent(body), *map(str, argv)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_new_folder_says_what_runs_in_it(make_run: Make) -> None:
    folder = make_run()
    assert folder.path.parts[-3:-1] == ("copy", "rope")
    assert folder.path.name.startswith("s3-")
    assert folder.note is None
    manifest = json.loads((folder.path / "manifest.json").read_text())
    assert manifest["schema"] == 1
    assert manifest["state"] == "running"
    assert manifest["pid"] == os.getpid()
    assert manifest["seed"] == {"init": 3, "data": 3}
    assert manifest["versions"]["torch"]
    assert yaml.safe_load((folder.path / "config.yaml").read_text()) == folder.config
    again = RunFolder.open(folder.path)
    assert (again.config, again.manifest, again.state) == (folder.config, folder.manifest, "running")


@pytest.mark.parametrize("name", ["a b", "x#y", "k=v", "größe 尺", "trailing\\", "[1,2]*?"])
def test_any_name_works(make_run: Make, tmp_path: Path, name: str) -> None:
    folder = make_run(tmp_path / name, task=name)
    folder.metrics.append({"step": 1})
    folder.finish("interrupted")
    again = RunFolder.open(folder.path)
    assert again.metrics.read() == [{"step": 1}]
    assert again.state == "interrupted"
    again.claim()
    assert RunFolder.open(folder.path).state == "running"


def test_a_taken_name_gets_a_number_and_says_so(make_run: Make) -> None:
    first, second, third = make_run(), make_run(), make_run()
    assert second.path.name == f"{first.path.name}-2"
    assert third.path.name == f"{first.path.name}-3"
    assert third.note is not None and third.path.name in third.note


@pytest.mark.parametrize("seeds", [[0] * 8, range(8)], ids=["one seed", "eight seeds"])
def test_eight_starts_at_once_get_eight_folders(tmp_path: Path, seeds: list[int]) -> None:
    body = "print(make(sys.argv[1], int(sys.argv[2])).path)"
    starts = [process(body, tmp_path, seed) for seed in seeds]
    made = {start.communicate()[0].strip() for start in starts}
    assert all(start.returncode == 0 for start in starts)
    assert len(made) == 8
    for path in made:
        assert RunFolder.open(path).state == "crashed"  # its process ended without a word


def test_a_living_run_is_not_resumed_and_a_killed_one_is(tmp_path: Path) -> None:
    run = process("folder = make(sys.argv[1], 0); print(folder.path, flush=True); time.sleep(60)", tmp_path)
    assert run.stdout is not None
    path = run.stdout.readline().strip()
    try:
        folder = RunFolder.open(path)
        assert folder.state == "running"
        with pytest.raises(RunFolderError, match="another process"):
            folder.claim()
    finally:
        run.send_signal(signal.SIGKILL)
        run.communicate()
    folder = RunFolder.open(path)
    assert folder.state == "crashed"
    folder.claim()
    assert folder.manifest["pid"] == os.getpid()
    assert RunFolder.open(path).state == "running"


def test_without_locks_the_pid_still_protects_a_living_run(make_run: Make, tmp_path: Path) -> None:
    run = process("print(make(sys.argv[1], 0).path, flush=True); time.sleep(60)", tmp_path)
    assert run.stdout is not None
    alive = json.loads((Path(run.stdout.readline().strip()) / "manifest.json").read_text())
    folder = make_run()
    folder.release()
    try:
        folder.update(**{key: alive[key] for key in ("pid", "host", "process_began")})
        with pytest.raises(RunFolderError, match=f"still running as process {run.pid}"):
            folder.claim()
    finally:
        run.kill()
        run.communicate()


def test_a_reused_pid_is_not_the_old_process(make_run: Make) -> None:
    folder = make_run()
    folder.update(process_began="another boot/1")
    folder.release()
    assert folder.state == "crashed"
    folder.claim()
    assert folder.state == "running"


def test_a_run_left_on_another_host_is_taken_over_with_a_note(make_run: Make) -> None:
    folder = make_run()
    folder.update(host="another-host", pid=1)
    folder.release()
    assert folder.state == "running"
    folder.claim()
    assert folder.note is not None and "another-host" in folder.note


def test_two_cannot_resume_one_run(make_run: Make) -> None:
    folder = make_run()
    folder.finish("interrupted")
    first, second = RunFolder.open(folder.path), RunFolder.open(folder.path)
    first.claim()
    with pytest.raises(RunFolderError, match="being written"):
        second.claim()
    first.finish("interrupted")
    second.claim()


def test_a_run_that_was_completed_meanwhile_is_not_resumed(make_run: Make) -> None:
    folder = make_run()
    folder.finish("interrupted")
    first, second = RunFolder.open(folder.path), RunFolder.open(folder.path)
    first.claim()
    first.finish("completed")
    with pytest.raises(UsageError, match="is completed"):
        second.claim()
    assert RunFolder.open(folder.path).state == "completed"


def test_paths_that_are_not_utf8(make_run: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = os.fsdecode(b"caf\xe9")
    monkeypatch.setattr(sys, "argv", ["posemb", "train", "--runs", odd])
    try:
        folder = make_run(tmp_path / odd)
    except RunFolderError:
        pytest.skip("this file system takes no such name")
    folder.config["task"]["file"] = odd
    folder.metrics.append({"step": 1, "file": odd})
    (folder.path / "config.yaml").write_bytes(dump_config(folder.config))
    again = RunFolder.open(folder.path)
    assert again.manifest["argv"][-1] == again.config["task"]["file"] == again.metrics.read()[0]["file"] == odd


def test_an_ended_run_keeps_how_it_ended(make_run: Make) -> None:
    folder = make_run()
    folder.finish("diverged", "The loss became nan at step 7.", timings={"training": 1.5})
    manifest = RunFolder.open(folder.path).manifest
    assert manifest["state"] == "diverged"
    assert manifest["error"] == "The loss became nan at step 7."
    assert manifest["timings"] == {"training": 1.5}
    assert manifest["finished"] >= manifest["started"]


def test_missing_folder(tmp_path: Path, make_run: Make) -> None:
    with pytest.raises(UsageError, match=r"no run folder at .*nowhere"):
        RunFolder.open(tmp_path / "nowhere")
    folder = make_run()
    with pytest.raises(UsageError, match=f"Runs near it: .*{folder.path.name}"):
        RunFolder.open(folder.path.parent / "s4")


def test_a_folder_that_is_no_run_names_the_runs_in_it(tmp_path: Path, make_run: Make) -> None:
    folder = make_run()
    with pytest.raises(UsageError, match=f"not a run folder.*\n.*{folder.path.name}"):
        RunFolder.open(tmp_path / "runs")


@pytest.mark.parametrize("name", ["manifest.json", "config.yaml"])
@pytest.mark.parametrize("keep", [None, 0, 20], ids=["missing", "empty", "torn"])
def test_half_written(make_run: Make, name: str, keep: int | None) -> None:
    file = make_run().path / name
    if keep is None:
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(RunFolderError, match=r"half-written|damaged") as error:
        RunFolder.open(file.parent)
    assert name in str(error.value)
    assert str(file.parent) in str(error.value)


def test_a_manifest_that_lacks_keys_names_them(make_run: Make) -> None:
    folder = make_run()
    (folder.path / "manifest.json").write_text('{"schema": 1, "state": "running", "corpus": null}')
    with pytest.raises(RunFolderError, match=r"half-written.*config_hash, parameters, .*timings") as error:
        RunFolder.open(folder.path)
    assert "corpus" not in str(error.value)


def test_a_newer_schema_is_refused(make_run: Make) -> None:
    folder = make_run()
    folder.update(schema=2)
    with pytest.raises(RunFolderError, match="newer posemb"):
        RunFolder.open(folder.path)


def test_runs_below_a_file_cannot_be_made(make_run: Make, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match=r"Cannot write .*file"):
        make_run(tmp_path / "file")


def test_metrics_are_cut_back(make_run: Make) -> None:
    folder = make_run()
    for step in (10, 20, 30):
        folder.metrics.append(metric(step))
    with folder.metrics.path.open("ab") as file:
        file.write(b'{"step": 4')
    folder.cut_metrics(20)
    assert folder.metrics.read() == [metric(10), metric(20)]
    assert folder.metrics.path.read_bytes().endswith(b"\n")


def test_evaluations_get_numbers_of_their_own(make_run: Make) -> None:
    folder = make_run()
    paths = [save_evaluation(folder, [{"size": n}, {"size": n + 1}]) for n in (1, 5)]
    assert [path.name for path in paths] == ["eval-1.jsonl", "eval-2.jsonl"]
    assert [json.loads(line)["size"] for line in paths[1].read_text().splitlines()] == [5, 6]
    assert folder.curve.read() == []


def test_reading_needs_no_torch(make_run: Make) -> None:
    folder = make_run()
    body = """
        from posemb.run.result import document
        document(RunFolder.open(sys.argv[1]))
        print([name for name in ("torch", "hydra", "scipy", "tensorboard") if name in sys.modules])
    """
    said, errors = process(body, folder.path).communicate()
    assert said.strip() == "[]", errors
