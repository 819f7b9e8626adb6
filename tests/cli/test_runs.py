import csv
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Said
from tests.cli.test_completion import completed
from tests.run.conftest import answered
from tests.sweep.example import config, made, swept

Posemb = Callable[..., Said]


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four runs that ended in different ways, in `runs` below the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("POSEMB_RUNS", raising=False)
    made(Path("runs"), position="ape", seed=0, curve=[answered(20, 0.5)], timings={"training": 61.4})
    made(Path("runs"), position="rope", seed=10, model__width=32)
    made(Path("runs"), position="rope", seed=2, state="diverged", error="The loss became nan.\nAt step 7.", curve=[])
    made(Path("runs"), position="rope", ids="randomized", seed={"init": 0, "data": 1}, state="running", curve=[])
    return Path("runs")


def rows(text: str) -> list[list[str]]:
    """The words of a table, a heading of two words in one piece."""
    lines = text.partition("\n\n")[0].splitlines()
    return [re.split(r" {2,}", line) for line in lines]


def test_a_table_with_the_axes_that_differ(posemb: Posemb, runs: Path) -> None:
    said = posemb("runs")
    assert said.code == 0
    head, *body = rows(said.out)
    assert head == ["method", "task", "seed", "state", "width", "in distribution", "L90", "seconds", "folder"]
    assert [row[:-1] for row in body] == [
        ["ape", "copy", "0", "completed", "64", "50.0 %", "0", "61"],
        ["rope", "copy", "2", "diverged", "64", "–", "–", "1.8"],
        ["rope", "copy", "10", "completed", "32", "95.0 %", "20", "1.8"],
        ["rope+randomized", "copy", "0.1", "running", "64", "–", "–", "–"],
    ]
    assert all((Path(row[-1]) / "manifest.json").is_file() for row in body)
    assert f"{body[1][-1]} diverged: The loss became nan.\n" in said.out and "step 7" not in said.out
    assert "4 runs: 2 completed, 1 running, 1 diverged.\n" in said.err
    assert said.err.endswith("next: posemb compare\n")


def test_no_axis_where_nothing_differs(posemb: Posemb, runs: Path) -> None:
    assert "width" not in posemb("runs", "position=ape").out
    assert "width" not in posemb("runs", "seed=0,2").out


def test_what_two_methods_set_is_no_axis(posemb: Posemb, tmp_path: Path) -> None:
    made(tmp_path, position="ape", position__rows=5)
    made(tmp_path, position="rpe", position__rows=6)
    assert "rows" not in posemb("runs", tmp_path).out
    made(tmp_path, position="rpe", position__rows=7, seed=1)
    head, *body = rows(posemb("runs", tmp_path).out)
    assert [row[head.index("rows")] for row in body] == ["5", "6", "7"]
    made(tmp_path, position="rope", model__rows=1)
    made(tmp_path, position="rope", model__rows=2)
    head, *body = rows(posemb("runs", tmp_path).out)
    assert "rows" not in head and head.index("model.rows") > 0 and head.index("position.rows") > 0
    assert [row[head.index("position.rows")] for row in body] == ["5", "–", "–", "6", "7"]


def test_a_key_within_a_setting_keeps_where_it_is(posemb: Posemb, tmp_path: Path) -> None:
    for layers in ("even", "odd"):
        made(tmp_path, position="mixed", position__layers={"rope": layers, "global": "even"})
    head, *body = rows(posemb("runs", tmp_path).out)
    assert [row[head.index("layers.rope")] for row in body] == ["even", "odd"] and "rope" not in head
    said = posemb("compare", tmp_path, "--group-by", "layers.rope")
    assert said.code == 0 and "layers.rope=even" in said.out and "layers.rope=odd" in said.out
    assert len(rows(posemb("runs", tmp_path, "layers.rope=odd").out)) == 2


ORDER = {
    "seed": ["0", "0.1", "2", "10"],
    "-seed": ["10", "2", "0.1", "0"],
    "l90": ["0", "10", "2", "0.1"],
    "-L90": ["10", "0", "2", "0.1"],
    "-in distribution": ["10", "0", "2", "0.1"],
    "-seconds": ["0", "2", "10", "0.1"],
    "width": ["10", "0", "2", "0.1"],
    "-model.width": ["0", "2", "0.1", "10"],
    "-method": ["0.1", "2", "10", "0"],
    "state": ["0", "10", "2", "0.1"],
}


@pytest.mark.parametrize(("key", "seeds"), ORDER.items(), ids=ORDER)
def test_sorted(posemb: Posemb, runs: Path, key: str, seeds: list[str]) -> None:
    assert [row[2] for row in rows(posemb("runs", "--sort", key).out)[1:]] == seeds


def test_json(posemb: Posemb, runs: Path) -> None:
    document = posemb("runs", "--json").json
    assert set(document) == {"schema", "runs"}
    ape, diverged, rope, running = document["runs"]
    assert set(ape) == {
        *("run", "state", "position", "ids", "task", "seed", "settings", "in_distribution", "l90", "seconds"),
        *("finished", "error"),
    }
    assert (ape["in_distribution"], ape["l90"], ape["seconds"]) == (0.5, 0, 61.4)
    assert (rope["position"], rope["ids"], rope["settings"]["model.width"]) == ("rope", "sequential", 32)
    assert running["seed"] == {"init": 0, "data": 1}
    assert diverged["error"] == "The loss became nan.\nAt step 7." and Path(diverged["run"]).is_absolute()
    assert posemb("runs", "state=failed", "--json").json["runs"] == []


def test_csv_holds_every_setting(posemb: Posemb, runs: Path) -> None:
    made(runs, task="last", seed=5, position__base=1e4, eval__sizes=[5, 30])
    ape, diverged, *_, last = csv.DictReader(io.StringIO(posemb("runs", "--csv").out))
    assert (ape["model.width"], ape["l90"], ape["in_distribution"], ape["error"]) == ("64", "0", "0.5", "")
    assert (last["position.base"], last["eval.sizes"], ape["eval.sizes"]) == ("10000.0", "[5, 30]", "")
    assert (diverged["error"], diverged["l90"]) == ("The loss became nan.\nAt step 7.", "")
    assert posemb("runs", "state=failed", "--csv").out.startswith("run,state,position,")


WRONG = {
    "posit=rope": "Did you mean position",
    "--sort=-widht": "--sort -widht: no such column. Did you mean width?",
    "runs/copy/rop": "Did you mean runs/copy/rope",
    "--csv --json": "choose one",
}


@pytest.mark.parametrize(("words", "message"), WRONG.items(), ids=WRONG)
def test_wrong_usage(posemb: Posemb, runs: Path, words: str, message: str) -> None:
    said = posemb("runs", *words.split())
    assert (said.code, said.out) == (2, "") and message in said.err


def test_no_runs_is_no_error(posemb: Posemb, runs: Path) -> None:
    said = posemb("runs", "--runs", "nowhere")
    assert (said.code, said.out) == (0, "")
    assert said.err == "No runs in nowhere yet.\nnext: posemb train --position rope --task last\n"
    said = posemb("runs", "position=rope", "state=failed")
    assert (said.code, said.out) == (0, "")
    assert "state=failed leaves no run: state is diverged, completed, running.\n" in said.err
    assert said.err.endswith("next: posemb runs\n")


def test_damage_costs_one_line_each_and_no_more_than_a_few(posemb: Posemb, runs: Path) -> None:
    for seed in range(20, 27):
        (made(runs, seed=seed).path / "manifest.json").write_text("{")
    (made(runs, seed=30).path / "curve.jsonl").write_text("{}\n")
    said = posemb("runs")
    assert said.code == 0 and len(rows(said.out)) == 5
    assert said.err.count("note: Left out: runs/copy/rope/s2") == 5 and "note: 3 more" in said.err
    assert len(posemb("runs", "--json").json["runs"]) == 4


def test_only_a_handful_of_errors(posemb: Posemb, tmp_path: Path) -> None:
    for seed in range(8):
        made(tmp_path, seed=seed, state="failed", error="No space left on device.")
    below = posemb("runs", tmp_path).out.partition("\n\n")[2].splitlines()
    assert len(below) == 6 and below[-1] == "and 3 more"


def test_what_to_type_next(posemb: Posemb, runs: Path, tmp_path: Path) -> None:
    assert re.search(r"next: posemb show runs/copy/ape/s0-\w+\n$", posemb("runs", "position=ape").err)
    stopped = made(runs, seed=40, state="interrupted").path.relative_to(tmp_path)
    made(runs, task="last")
    assert f"next: posemb resume {stopped}\nnext: posemb compare task=copy\n" in posemb("runs").err
    words = ("position=rope,ape", "state=completed", "task=copy")
    here = posemb("runs", *words, "--runs", tmp_path / "runs")
    assert here.err.endswith(f"next: posemb compare {' '.join(words)}\n")
    (tmp_path / "runs").rename(tmp_path / "others")
    elsewhere = posemb("runs", *words, "--runs", tmp_path / "others")
    assert elsewhere.err.endswith(f"next: posemb compare {' '.join(words)} --runs others\n")


def test_a_sweep_by_its_name(posemb: Posemb, runs: Path) -> None:
    swept(runs, "methods", [config(position="ape"), config(position="rope", seed=77)], "Which one?")
    said = posemb("runs", "methods")
    assert [row[0] for row in rows(said.out)[1:]] == ["ape"]
    assert "Sweep methods: Which one?\n" in said.err and "1 of 2 jobs" in said.err


# Not pydantic: Typer loads that itself.
HEAVY = ("torch", "hydra", "omegaconf", "scipy", "matplotlib", "polars", "tensorboard")


def test_a_listing_loads_nothing_heavy(runs: Path) -> None:
    listed = "import sys; from posemb.cli.app import run; run(['runs', 'seed=0', '--sort', 'l90'])"
    code = f"{listed}; print([name for name in {HEAVY} if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[-1] == "[]"


def test_a_folder_of_runs_is_listed_rather_than_shown(posemb: Posemb, runs: Path) -> None:
    said = posemb("show", "runs/copy")
    assert (said.code, said.out) == (2, "") and "posemb runs runs/copy\n" in said.err


def test_a_running_run_has_a_next_step(posemb: Posemb, runs: Path) -> None:
    (run,) = runs.glob("copy/rope+randomized/*")
    assert posemb("show", run).err == f"next: To see how far it has got: posemb show {run}\n"


def test_completion_offers_runs_and_sweeps(runs: Path, tmp_path: Path) -> None:
    swept(runs, "runway", [config()])
    (ape,) = runs.glob("copy/ape/*")
    assert completed("posemb runs runs/copy/a", tmp_path) == [str(ape)]
    assert completed("posemb runs run", tmp_path)[0] == "runway"


def on_a_terminal(columns: int, cwd: Path, **environment: str) -> list[str]:
    """The lines of `posemb runs` on a terminal so wide."""
    pexpect = pytest.importorskip("pexpect")
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    child = pexpect.spawn(
        sys.executable, ["-m", "posemb.cli", "runs"], cwd=str(cwd), encoding="utf-8", dimensions=(24, columns),
        env=inherited | {"TERM": "xterm"} | environment, timeout=60,
    )  # fmt: skip
    child.expect(pexpect.EOF)
    return child.before.replace("\r", "").splitlines()


def test_a_narrow_terminal_keeps_what_matters(runs: Path, tmp_path: Path) -> None:
    all_of_them = on_a_terminal(140, tmp_path, NO_COLOR="1")[0]
    assert "seconds" in all_of_them and "width" in all_of_them
    for columns, gone, kept in ((110, "seconds", "width"), (80, "seed", "method"), (58, "method", "L90")):
        head, *body = on_a_terminal(columns, tmp_path, NO_COLOR="1")[:5]
        assert gone not in head and kept in head and "state" in head and "folder" in head
        assert len(body) == 4 and max(map(len, [head, *body])) <= columns


def test_colour_only_where_it_is_wanted(runs: Path, tmp_path: Path) -> None:
    painted, plain = on_a_terminal(120, tmp_path)[:5], on_a_terminal(120, tmp_path, NO_COLOR="1")[:5]
    assert "\x1b[31mdiverged" in painted[2] and "\x1b[32mcompleted" in painted[1]
    assert [re.sub(r"\x1b\[\d+m", "", line) for line in painted] == plain
