import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from posemb.cli.compare import show_comparison

from posemb.eval.curve import wilson
from posemb.sweep.folder import Job, Sweep
from tests.cli.conftest import Said
from tests.cli.test_terminal import plain, said, terminal
from tests.report.groups import compared, text_run

SHARES = {"ape": 0.0, "rope": 0.5, "rpe": 0.75}  # exact match at size 3, one past the trained one


@pytest.fixture(scope="module")
def runs(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three methods with three seeds each: one real run, copied and told other results. It must not be changed."""
    root = tmp_path_factory.mktemp("compared")
    for position, share in SHARES.items():
        for seed in range(3):
            fabricate(finished, root, position, seed, {2: 1.0, 3: share + seed / 64})
    return root


def fabricate(finished: Path, root: Path, position: str, seed: int, curve: dict[int, float], width: int = 8) -> Path:
    """A run folder with such a config and such a curve."""
    folder = root / "last" / position / f"s{seed}-{width:08x}"
    shutil.copytree(finished, folder)
    config = yaml.safe_load((folder / "config.yaml").read_text())
    config["choice"]["position"], config["seed"] = position, {"init": seed, "data": seed}
    config["position"] = {"_target_": "posemb"} | ({"base": 10000.0} if position == "rope" else {})
    config["model"]["width"] = width
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    rows = []
    for line in (folder / "curve.jsonl").read_text().splitlines():
        row = json.loads(line)
        share = curve[row["size"]]
        low, high = wilson(round(share * 512), 512)
        rows.append(row | {"exact_match": share, "count": 512, "low": low, "high": high})
    (folder / "curve.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_groups_stand_beside_each_other(posemb: Callable[..., Said], runs: Path) -> None:
    said = posemb("compare", "--runs", runs)
    assert said.code == 0
    table = {line.split()[0]: line for line in said.out.splitlines()[1:] if line and line.split()[0] in SHARES}
    assert "3 of 3" in table["ape"] and "baseline" in table["ape"]
    assert "3 pairs, p = 0.5" in table["rope"] and "+0.250" in table["rope"]  # half of .5, over one step
    assert "exact match by length in tokens" in said.out and "● ape   ▲ rope   ■ rpe" in said.out
    assert "cannot" in said.out and "p" in said.out
    assert f"posemb compare --runs {runs} --figure curves.png" in said.err
    assert "\x1b" not in said.out + said.err and "\r" not in said.out + said.err


def test_words_choose_the_runs(posemb: Callable[..., Said], runs: Path) -> None:
    told = posemb("compare", "position=ape,rpe", "--runs", runs, "--json").json
    assert [group["label"] for group in told["groups"]] == ["ape", "rpe"]
    told = posemb("compare", runs / "last" / "rope", "--json").json
    assert [group["label"] for group in told["groups"]] == ["rope"] and told["baseline"] is None


def test_json_is_one_document_with_every_seed(posemb: Callable[..., Said], runs: Path) -> None:
    said = posemb("compare", "--runs", runs, "--json", "--measure", "l50", "--baseline", "rope")
    told = said.json
    assert told["schema"] == 1 and (told["measure"], told["baseline"]) == ("l50", "rope")
    rope = told["groups"][1]
    assert rope["rows"][-1]["estimate"] == {
        **{"median": 0.515625, "low": 0.5, "high": 0.53125},
        "values": [0.5, 0.515625, 0.53125],
    }
    assert [run["seed"] for run in rope["runs"]] == [0, 1, 2]


def test_every_size_can_be_listed(posemb: Callable[..., Said], runs: Path) -> None:
    said = posemb("compare", "position=rope", "--runs", runs, "--by-size")
    [line] = [line for line in said.out.splitlines() if line.split()[:2] == ["3", "1.5"]]
    assert line.split() == ["3", "1.5", "51.6", "%", "50.0", "to", "53.2", "50.0", "51.6", "53.1", "ok"]


def test_files_are_written_where_they_are_asked_for(posemb: Callable[..., Said], runs: Path, tmp_path: Path) -> None:
    figure, folder = tmp_path / "a figure.svg", tmp_path / "tables"
    said = posemb("compare", "--runs", runs, "--figure", figure, "--save", folder)
    assert said.code == 0 and "rpe" in figure.read_text() and f"'{figure}'" in said.err
    assert sorted(path.name for path in folder.iterdir()) == [
        *("curves.csv", "curves.parquet", "figure.pdf", "figure.png", "figure.svg"),
        *("groups.csv", "groups.parquet", "runs.csv", "runs.parquet", "seeds.csv", "seeds.parquet"),
    ]
    assert len((folder / "seeds.csv").read_text().splitlines()) == 1 + 18
    assert f"posemb report --runs {runs}" in said.err


def test_a_sweep_is_grouped_by_its_axes_in_their_order(
    posemb: Callable[..., Said], finished: Path, tmp_path: Path
) -> None:
    axes = {"position": ["rpe", "ape"], "model.width": ["8", "16"], "seed": ["0", "1"], "run.threads": ["1"]}
    jobs = []
    for position in axes["position"]:
        for width in (8, 16):
            for seed in (0, 1):
                folder = fabricate(finished, tmp_path, position, seed, {2: 1.0, 3: 0.5}, width)
                jobs.append(Job(f"last/{position}", folder.name, {}, [], {}))
    Sweep("wide", "Which?", axes, [], jobs, [], {}, None, "2026-01-01").save(tmp_path)
    told = posemb("compare", "wide", "--runs", tmp_path, "--json").json
    assert told["by"] == ["position", "model.width"]
    labels = [group["label"] for group in told["groups"]]
    assert labels == ["rpe width=8", "rpe width=16", "ape width=8", "ape width=16"]
    refused = posemb("compare", "--runs", tmp_path)
    assert refused.code == 2 and "model.width: 8 and 16 within ape" in refused.err and refused.out == ""
    assert len(refused.err.splitlines()) <= 8
    for more in (("--group-by", "position,width"), ("--allow", "width"), ("model.width=8",)):
        assert posemb("compare", "--runs", tmp_path, *more).code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--baseline", "rop"), "Did you mean rope"),
        (("--measure", "speed"), "area, l90, l50 or in_distribution"),
        (("--group-by", "widht"), "Did you mean model.width"),
        (("--allow", "nothing.like.it"), "no run has such a key"),
        (("--figure", "curve.gif"), ".png, .svg or .pdf"),
        (("positoin=ape",), "position"),
        (("no-such-sweep",), "no-such-sweep"),
    ],
)
def test_wrong_words_are_named(posemb: Callable[..., Said], runs: Path, words: tuple[str, ...], said: str) -> None:
    answer = posemb("compare", *words, "--runs", runs)
    assert answer.code == 2 and said in answer.err and answer.out == ""
    assert len(answer.err.splitlines()) <= 8 and "Traceback" not in answer.err


def test_what_a_refusal_says_can_be_typed(posemb: Callable[..., Said], finished: Path, tmp_path: Path) -> None:
    for position, sizes in (("ape", [2, 3]), ("rope", [2, 3]), ("rope", None)):
        seed = 0 if sizes else 1
        folder = fabricate(finished, tmp_path, position, seed, {2: 1.0, 3: 0.5})
        config = yaml.safe_load((folder / "config.yaml").read_text())
        config["eval"]["sizes"] = sizes
        (folder / "config.yaml").write_text(yaml.safe_dump(config))
    refused = posemb("compare", "--runs", tmp_path)
    assert refused.code == 2 and refused.out == ""
    [line] = [line for line in refused.err.splitlines() if "To keep to one value, add: " in line]
    [word] = shlex.split(line.split("add: ")[1])
    assert word == "eval.sizes=[2,3]"
    told = posemb("compare", word, "--runs", tmp_path, "--json").json
    assert [len(group["runs"]) for group in told["groups"]] == [1, 1]


def test_without_sizes_past_the_trained_one_no_area_is_explained(
    posemb: Callable[..., Said], runs: Path, tmp_path: Path
) -> None:
    root = tmp_path / "runs"
    shutil.copytree(runs, root)
    for curve in root.glob("*/*/*/curve.jsonl"):
        curve.write_text(curve.read_text().splitlines(keepends=True)[0])
    said = posemb("compare", "--runs", root)
    assert said.code == 0 and "area:" not in said.out and " against " not in said.out.split("\n\n")[1]
    assert "no figures past the trained size in common with ape" in said.out


def test_a_file_is_no_folder_of_runs(posemb: Callable[..., Said], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for command in ("runs", "compare"):
        said = posemb(command, "--runs", tmp_path / "file")
        assert said.code == 2 and "that is a file" in said.err and said.out == ""


def test_no_runs_is_a_usage_error_that_says_what_to_type(posemb: Callable[..., Said], tmp_path: Path) -> None:
    said = posemb("compare", "--runs", tmp_path / "empty")
    assert said.code == 2 and "posemb train" in said.err and said.out == ""


def test_nothing_completed_is_said_and_no_failure(posemb: Callable[..., Said], finished: Path, tmp_path: Path) -> None:
    folder = fabricate(finished, tmp_path, "ape", 0, {2: 1.0, 3: 1.0})
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"state": "diverged", "error": "The loss became nan."}))
    said = posemb("compare", "--runs", tmp_path, "--figure", tmp_path / "curve.png")
    assert said.code == 0 and "no run is completed" in said.out and "1 diverged" in said.out
    assert "Nothing was written" in said.err and not (tmp_path / "curve.png").exists()


@pytest.mark.parametrize("columns", [48, 120])
def test_it_fits_a_terminal(runs: Path, tmp_path: Path, columns: int) -> None:
    code, drawn = said(terminal(["compare", "--runs", runs], tmp_path, columns))
    lines = plain(drawn).splitlines()
    shown = lines[: next(place for place, line in enumerate(lines) if line.startswith("next:"))]
    assert code == 0 and max(map(len, shown)) <= columns
    assert any(line.startswith("rope") and "p = 0.5" in line for line in shown)
    assert any("L50" in line for line in shown) is (columns == 120)


def test_text_is_shown_in_bits(capfd: pytest.CaptureFixture[str]) -> None:
    runs = [text_run(name, seed, bits) for name, bits in (("alibi", 0.1), ("rope", 1.0)) for seed in range(2)]
    show_comparison(compared(runs), by_size=True)
    shown = capfd.readouterr().out
    assert "lower is better" in shown and "bits per character by length in tokens" in shown
    [line] = [line for line in shown.splitlines() if line.split()[:3] == ["256", "4", "sliding"] and "4.000" in line]
    assert line.split()[3:] == ["4.000", "4.000", "to", "4.000", "4.000", "4.000", "ok"]
    assert "in distribution" not in shown and "learned" not in shown


def test_a_real_run_that_learned_nothing_is_not_comparable(posemb: Callable[..., Said], finished: Path) -> None:
    said = posemb("compare", finished)
    assert said.code == 0 and "0 of 1, not comparable" in said.out
    assert posemb("compare", finished, "--include-unlearned").code == 0
