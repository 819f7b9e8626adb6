"""posemb check, as a user meets it."""

import json
import re
from pathlib import Path

import pytest
from posemb.cli.app import run

from tests.cli.test_terminal import plain, said, terminal

FAULTY = '''
from typing import final

import torch
from posemb.position.base import PositionMethod


@final
class Faulty(PositionMethod):
    """A bias on the distance to the last token so far.

    >>> 0.5 + 0.25
    0.7500

    Formula:
        A_ij = q_i·k_j / √Dh + i / T

    Past the trained length:
        Unknown.

    Source:
        None: made up.
    """

    def at_scores(self, q, k, at, tables, layer):
        WHAT
'''


def mine(folder: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> list[str]:
    """A method of the user's own; the words that lead to it."""
    module = f"faulty_{abs(hash(what))}"
    (folder / f"{module}.py").write_text(FAULTY.replace("WHAT", what), "utf-8")
    (folder / "options" / "position").mkdir(parents=True)
    (folder / "options" / "position" / "faulty.yaml").write_text(f"_target_: {module}.Faulty\n", "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    return ["check", "faulty", "--config-dir", str(folder / "options")]


def test_several_methods_are_a_line_each(capsys: pytest.CaptureFixture[str]):
    assert run(["check", "nope", "alibi", "cope", "--law", "causality", "--law", "values", "--law", "order"]) == 0
    told = capsys.readouterr()
    assert re.search(r"^method +causality +values +order$", told.out, re.MULTILINE)
    assert re.search(r"^alibi +0 +\de-16 +ok$", told.out, re.MULTILINE)
    assert re.search(r"^cope +0 +\de-16 +-$", told.out, re.MULTILINE)
    assert "exempt: order: defined for causal attention only (cope)" in told.out
    assert "where the prompt sees itself: defined for causal attention only (cope)" in told.out
    count = r"^[\d,]+ findings pass, 0 fail, \d+ exempt: 3 variants under \d id schemes"
    assert re.search(count, told.out, re.MULTILINE)
    assert told.err.strip() == "next: posemb show nope"


def test_one_method_is_a_column_for_each_id_scheme(capsys: pytest.CaptureFixture[str]):
    assert run(["check", "t5", "--law", "examples", "--law", "causality", "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert re.search("^law +abacus +coupled +randomized +sequential +unordered +allowed$", out, re.MULTILINE)
    assert re.search("^causality +0 +0 +0 +0 +0 +0$", out, re.MULTILINE)


def test_json_holds_every_finding_and_is_the_same_whatever_the_number_of_jobs(capsys: pytest.CaptureFixture[str]):
    documents = []
    for jobs in ("1", "2"):
        assert run(["check", "rope", "xpos", "--law", "rows", "--law", "shift", "--jobs", jobs, "--json"]) == 0
        documents.append(json.loads(capsys.readouterr().out))
    one, two = documents
    key = lambda finding: [str(value) for value in finding.values()]  # noqa: E731
    assert sorted(one.pop("findings"), key=key) == sorted(two.pop("findings"), key=key) != []
    assert one == two
    assert (one["passed"], one["methods"]) == (True, ["rope", "xpos"])
    assert [law["name"] for law in one["laws"]] == ["rows", "shift"] and all(law["statement"] for law in one["laws"])


def test_a_method_of_ones_own_that_breaks_a_law_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    asked = mine(tmp_path, monkeypatch, "return (at.k / at.k.max())[:, None, None].to(q.dtype)")
    assert run([*asked, "--jobs", "1"]) == 1
    told = capsys.readouterr()
    assert re.search("^decoding .*FAIL", told.out, re.MULTILINE)
    assert re.search(r"^FAIL faulty, decoding: .* tokens, . at a time: \S+, allowed is 1e-10", told.out, re.MULTILINE)
    assert "the law: Over a cache, token by token and in chunks" in told.out
    assert re.search(r"^examples +0 ", told.out, re.MULTILINE)
    assert "next: posemb check faulty --law" in told.err and "--config-dir" in told.err


def test_an_error_inside_a_method_is_a_fault_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    asked = mine(tmp_path, monkeypatch, 'raise KeyError("of my own")')
    assert run([*asked, "--law", "rows", "--jobs", "1"]) == 1
    assert "FAIL faulty, rows: KeyError: 'of my own'" in capsys.readouterr().out


def test_a_worked_value_that_is_wrong_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    asked = mine(tmp_path, monkeypatch, "return None  # 1")
    file = next(tmp_path.glob("*.py"))
    file.write_text(file.read_text("utf-8").replace("0.7500", "0.7502"), "utf-8")
    assert run([*asked, "--law", "examples"]) == 1
    out = capsys.readouterr().out
    assert "FAIL faulty, examples:" in out and "Expected: 0.7502 Got: 0.75" in " ".join(out.split())


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["ropee"], "rope"),
        (["rope", "--law", "decodin"], "decoding"),
        (["rope", "--jobs", "0"], "--jobs"),
        (["rope", "--jobs", "many"], "--jobs"),
        (["rope", "--config-dir", "not-there"], "not-there"),
    ],
)
def test_wrong_words_are_named(words: list[str], named: str, capsys: pytest.CaptureFixture[str]):
    assert run(["check", *words]) == 2
    told = capsys.readouterr()
    assert told.out == "" and named in told.err and "Traceback" not in told.err


@pytest.mark.parametrize(
    ("what", "yaml", "says"),
    [
        ("return None", "slope: abc\n", "position.slope"),
        ("return None", "_target_: gone.Gone\n", "no module 'gone'"),
    ],
)
def test_a_broken_option_is_a_usage_error_as_in_training(
    what: str,
    yaml: str,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    asked = mine(tmp_path, monkeypatch, what + "  # " + yaml.split(":")[0])
    file = tmp_path / "options" / "position" / "faulty.yaml"
    file.write_text(yaml if "_target_" in yaml else file.read_text("utf-8") + yaml, "utf-8")
    assert run(asked) == 2
    told = capsys.readouterr()
    assert told.out == "" and says in told.err and "FAIL" not in told.err


def test_a_method_that_cannot_be_built_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    asked = mine(tmp_path, monkeypatch, "return None\n\n    def __init__(self, shape):\n        raise ValueError('no')")
    assert run(asked) == 2
    err = capsys.readouterr().err
    assert "cannot be built: ValueError: no" in err and "The laws tried models that are 24 wide with 3 heads" in err


def test_what_a_method_prints_is_no_part_of_the_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    asked = mine(tmp_path, monkeypatch, 'print("hello")\n        raise RuntimeError("\\x1b[31mred")')
    assert run([*asked, "--law", "rows", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert re.fullmatch(r"RuntimeError: \?\[31mred, in at_scores \(\w+\.py:\d+\)", document["findings"][0]["reason"])


def test_a_narrow_terminal_gets_more_tables(tmp_path: Path):
    asked = ["check", "alibi", "--law", "rows", "--law", "shift", "--jobs", "1"]
    code, drawn = said(terminal(asked, tmp_path, columns=40))
    lines = plain(drawn).splitlines()
    tables = [place for place, line in enumerate(lines) if re.match("(.*\r)?law +", line)]
    assert code == 0 and len(tables) > 1
    assert max(map(len, lines[tables[0] + 1 :])) <= 40


TABLE = """far = self.shape.asked
        row = self.table[layer][:, at.gap.clamp(-far, far) + far].transpose(0, 1)
        return row.to(q.dtype)

    def __init__(self, shape):
        super().__init__(shape)
        self.table = torch.nn.Parameter(torch.zeros(shape.layers, shape.heads, 2 * shape.asked + 1))"""
SILENT = {
    "a table with distances along its last axis": (TABLE, "reach", "say ok and read what training left of table"),
    "a constant from how far it will be asked": (
        "return (-at.gap.abs() / self.shape.asked * 30)[:, None].to(q.dtype)",
        "contract",
        "Shape.asked may size a table",
    ),
    "noise in training": (
        "return torch.rand_like(q[:, :, :, :1]) if self.training else torch.zeros_like(q[:, :, :, :1])",
        "contract",
        "global generator",
    ),
    "a tuple in place of QK": (
        "return None\n\n    def at_qk(self, q, k, at, tables, layer):\n        return q, -k",
        "contract",
        "QK",
    ),
}


@pytest.mark.parametrize(("what", "law", "says"), SILENT.values(), ids=SILENT.keys())
def test_faults_that_no_output_shows_are_found(
    what: str, law: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    asked = mine(tmp_path, monkeypatch, what)
    assert run([*asked, "--law", law, "--jobs", "1"]) == 1
    assert says in " ".join(capsys.readouterr().out.split())


def test_an_error_that_breaks_every_law_is_said_once_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    asked = mine(tmp_path, monkeypatch, 'raise KeyError("of my own")')
    assert run([*asked, "--law", "rows", "--law", "decoding", "--law", "values", "--jobs", "1"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert out.count("FAIL faulty") == 1 and out.count("of my own") == 1
    assert re.search(r"FAIL faulty, decoding, rows, values: .*, in at_scores \(faulty_\w+\.py:26\)", out)


def test_an_id_scheme_of_ones_own_is_to_blame_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    asked = mine(tmp_path, monkeypatch, "return None")
    (tmp_path / "options" / "ids").mkdir()
    (tmp_path / "options" / "ids" / "short.yaml").write_text("_target_: short_ids.Short\n", "utf-8")
    (tmp_path / "short_ids.py").write_text(
        "import torch\n"
        "from posemb.ids.base import IdScheme\n"
        "class Short(IdScheme):\n"
        "    id_limit = 100\n"
        "    def assign(self, layout, training, rng):\n"
        "        return torch.arange(layout.length - 1)[None]\n",
        "utf-8",
    )
    assert run([*asked, "--law", "rows"]) == 2
    assert "ids=short (short_ids.Short) gives torch.int64 ids of shape (1, 11)" in capsys.readouterr().err
