import json
import re
import shlex
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
import yaml

from posemb.sweep.folder import Job, Sweep
from tests.cli.conftest import Said

Posemb = Callable[..., Said]


def copied(finished: Path, runs: Path, position: str, seed: int, argv: list[str] | None = None) -> Path:
    """A run like the finished one, of another method and seed, and started by other words."""
    folder = runs / "last" / position / f"s{seed}-{finished.name.partition('-')[2]}"
    folder.mkdir(parents=True)
    config = yaml.safe_load((finished / "config.yaml").read_text())
    config["choice"]["position"] = position
    config["seed"] = {"init": seed, "data": seed}
    (folder / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    manifest = json.loads((finished / "manifest.json").read_text())
    for process in (manifest, *manifest["processes"]):
        process["argv"] = argv or process["argv"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "curve.jsonl").write_bytes((finished / "curve.jsonl").read_bytes())
    return folder


@pytest.fixture(scope="module")
def runs(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two methods, one of them with two seeds."""
    folder = tmp_path_factory.mktemp("runs")
    for position, seed in (("rope", 0), ("rope", 1), ("ape", 0)):
        copied(finished, folder, position, seed)
    return folder


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def data(path: Path) -> dict[str, object]:
    """The numbers in a report."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(encoding="utf-8"))
    assert found
    said: dict[str, object] = json.loads(found[1])
    return said


def test_it_goes_into_the_working_folder_and_says_so(posemb: Posemb, runs: Path) -> None:
    said = posemb("report", "--runs", runs)
    assert said.code == 0
    assert said.out.startswith("No run learned last")  # two steps of training
    assert "The report is report.html" in said.err
    assert said.err.splitlines()[-1] == f"next: posemb compare --save paper --runs {runs}"
    report = Path("report.html").read_text(encoding="utf-8")
    assert "Which of ape and rope does best on last" in report
    for folder in runs.glob("*/*/*"):
        assert "/".join(folder.parts[-3:]) in report
    assert str(runs) not in report
    assert "<svg" in report and len(report) < 1_000_000
    assert [path.name for path in Path().iterdir()] == ["report.html"]


def test_the_next_command_makes_the_same_comparison(posemb: Posemb, runs: Path) -> None:
    asked = ("--include-unlearned", "--measure", "in_distribution", "--allow", "model.width")
    said = posemb("report", "position=rope,ape", "--runs", runs, *asked)
    last = said.err.splitlines()[-1]
    assert said.code == 0 and last.startswith("next: posemb compare position=rope,ape ") and "--save paper" in last
    words = shlex.split(last)[2:]
    told = posemb(*words, "--json").json
    assert told["measure"] == "in_distribution" and told["groups"][0]["runs"][0]["counts"]


def test_a_sweep_beside_other_runs_keeps_its_own_report(posemb: Posemb, finished: Path, tmp_path: Path) -> None:
    folders = [copied(finished, tmp_path / "runs", "rope", seed) for seed in (0, 1)]
    job = Job("last/rope", folders[0].name, {}, [], {})
    Sweep("mine", None, {"seed": ["0"]}, [], [job], ["sweep", "seed=0"], {}, None, "2026-01-01").save(tmp_path / "runs")
    assert posemb("report", "mine", folders[1]).code == 0
    assert not (tmp_path / "runs/sweeps/mine/report.html").exists()
    assert len(commands(Path("report.html"))) == 2 and "posemb sweep" not in "".join(commands(Path("report.html")))


def test_damaged_logs_cost_that_run_alone(posemb: Posemb, finished: Path, tmp_path: Path) -> None:
    folders = [copied(finished, tmp_path / "runs", "rope", seed) for seed in (0, 1)]
    (folders[1] / "curve.jsonl").write_text('{"size": 2}\n')
    said = posemb("report", "--runs", tmp_path / "runs")
    assert said.code == 0 and "curve.jsonl, line 1, is damaged" in said.err and "Traceback" not in said.err
    assert [run["run"] for run in data(Path("report.html"))["runs"]] == [f"last/rope/{folders[0].name}"]  # type: ignore[attr-defined]
    (folders[0] / "curve.jsonl").write_text("[]\n")
    for command in ("report", "compare"):
        said = posemb(command, "--runs", tmp_path / "runs")
        assert said.code == 2 and "None of these runs can be read" in said.err and "Traceback" not in said.err


def test_the_runs_the_groups_and_the_question_are_the_users(posemb: Posemb, runs: Path) -> None:
    asked = 'Is "rope" <b>better</b>?'
    words = ("report", "position=rope", "--runs", runs, "--group-by", "model.width", "--question", asked)
    assert posemb(*words, "--output", "width.html").code == 0
    told = data(Path("width.html"))
    assert told["question"] == asked
    assert [group["label"] for group in told["comparison"]["groups"]] == ["width=8"]  # type: ignore[index]
    assert len(told["runs"]) == 2  # type: ignore[arg-type]
    assert "<b>better" not in Path("width.html").read_text(encoding="utf-8")


def test_a_report_is_written_anew_and_any_other_file_stays(posemb: Posemb, runs: Path) -> None:
    mine = Path("report.html")
    mine.write_text("<title>my diary</title>", encoding="utf-8")
    said = posemb("report", "--runs", runs)
    assert said.code == 2 and "--force" in said.err and "report.html is there already" in said.err
    assert mine.read_text(encoding="utf-8") == "<title>my diary</title>"
    assert posemb("report", "--runs", runs, "--force").code == 0
    assert posemb("report", "--runs", runs, "--question", "Again?").code == 0
    assert data(mine)["question"] == "Again?"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--output", "report.pdf"), "--output report.pdf: a report is HTML, so its name must end in .html."),
        (("--output", "nowhere/report.html"), "there is no folder nowhere"),
        (("--output", "."), "--output report.html"),
        (("--baseline", "rop"), "Did you mean rope?"),
        (("--group-by", "model.widht"), "Did you mean model.width"),
        (("--measure", "speed"), "expected area"),
        (("position=alibi",), "alibi"),
        (("nothing/here",), "nothing/here"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_written(
    posemb: Posemb, runs: Path, words: tuple[str, ...], message: str
) -> None:
    said = posemb("report", *words, "--runs", runs)
    assert said.code == 2 and said.out == ""
    assert message in said.err and len(said.err.splitlines()) <= 8
    assert not list(Path().iterdir())


def test_no_runs_at_all(posemb: Posemb) -> None:
    Path("empty").mkdir()
    said = posemb("report", "--runs", "empty")
    assert said.code == 2 and "There are no" in said.err and "posemb train" in said.err
    assert not Path("report.html").exists()


def test_a_run_is_made_again_by_what_was_typed(posemb: Posemb, finished: Path, tmp_path: Path) -> None:
    typed = ["/usr/bin/posemb", "train", "--position", "rope", "task.words=a b", "--runs", str(tmp_path), "--json"]
    assert posemb("report", copied(finished, tmp_path, "rope", 0, typed), "--output", "typed.html").code == 0
    assert commands(Path("typed.html")) == ["posemb train --position rope 'task.words=a b'"]


def test_a_run_that_was_never_typed_gets_a_command_from_its_config(
    posemb: Posemb, finished: Path, tmp_path: Path
) -> None:
    folder = copied(finished, tmp_path, "rope", 3, ["/usr/lib/python3/joblib/worker.py", "--pipe", "21"])
    assert posemb("report", folder, "--output", "built.html").code == 0
    (command,) = commands(Path("built.html"))
    assert command.startswith(
        "posemb train --position rope --task last --seed 3 --threads 1 --size 2 --steps 2 --sizes 2,3"
    )
    again = posemb(*shlex.split(command)[1:], "--cfg")
    ours, theirs = (yaml.safe_load(text) for text in (again.out, (folder / "config.yaml").read_text()))
    assert {**ours, "run": None} == {**theirs, "run": None}


@pytest.mark.parametrize(
    ("value", "word"), [("null", "'null'"), ("true", "'true'"), ("halves", "halves"), (None, "null")]
)
def test_a_word_that_reads_as_something_else_is_quoted(
    posemb: Posemb, finished: Path, tmp_path: Path, value: str | None, word: str
) -> None:
    folder = copied(finished, tmp_path, "rope", 3, ["/usr/lib/python3/joblib/worker.py"])
    config = yaml.safe_load((folder / "config.yaml").read_text())
    config["task"]["extra"] = value
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    assert posemb("report", folder).code == 0
    (command,) = commands(Path("report.html"))
    told = [one for one in shlex.split(command) if one.startswith("task.extra=")]
    assert told == [f"task.extra={word}"]


def commands(report: Path) -> list[str]:
    """The lines that a report says to type."""
    last = re.findall(r"<pre[^>]*>(.*?)</pre>", report.read_text(encoding="utf-8"), re.DOTALL)[-1]
    return unescape(last).strip().splitlines()
