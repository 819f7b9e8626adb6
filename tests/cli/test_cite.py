import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import TINY, Said
from tests.run.test_cite import parsed


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of two methods, the second with a scaling."""
    from posemb.cli.app import run

    folder = tmp_path_factory.mktemp("cited")
    words = [word for word in TINY if word not in ("--threads", "1", "--device", "cpu")]
    both = ["position=rope,ape", "--name", "two", "--device", "cpu", "-j", "1", "--runs", str(folder)]
    assert run(["sweep", *words, *both]) == 0
    assert run(["train", *TINY, "--position", "rope", "position.scaling=pi", "--runs", str(folder)]) == 0
    return folder


def test_all_that_there_is(posemb: Callable[..., Said], tmp_path: Path) -> None:
    said = posemb("cite", "--runs", tmp_path)
    read = parsed(said.out)
    assert said.code == 0 and list(read) == ["posemb", *sorted(read.keys() - {"posemb"})] and len(read) > 20
    assert "no work to cite for copy" in said.err
    document = posemb("cite", "--json", "--runs", tmp_path).json
    assert [one["key"] for one in document["entries"]] == list(read)
    assert {one["key"]: one["fields"] for one in document["entries"]} == read
    assert "sequential" in document["without"]


def test_a_name_cites_all_that_its_docstring_names(posemb: Callable[..., Said]) -> None:
    read = parsed(posemb("cite", "rope", "kerple_log", "kerple_power", "coupled").out)
    assert {"posemb", "su2021roformer", "chen2023extending", "peng2023yarn", "chi2022kerple", "cho2024position"} <= set(
        read
    )
    said = posemb("cite", "kerple_log", "kerple_power")
    assert "% kerple_log; kerple_power\n@misc{chi2022kerple," in said.out and said.out.count("@misc") == 1


def test_runs_cite_what_they_used(posemb: Callable[..., Said], runs: Path) -> None:
    where = ("--runs", runs)
    ape, rope, scaled = {"gehring2017convolutional", "radford2018improving"}, {"su2021roformer"}, {"chen2023extending"}
    for words, keys in {
        ("two",): ape | rope,
        ("last",): set(),  # the task of that name: its runs are runs/last
        (runs / "last",): ape | rope | scaled,
        ("position=ape",): ape,
        ("position=rope", "scaling=none"): rope,
        ("scaling=pi", "alibi"): rope | scaled | {"press2022train"},
        (next((runs / "last/ape").iterdir()),): ape,
    }.items():
        said = posemb("cite", *words, *where)
        assert said.code == 0
        assert set(parsed(said.out)) == keys | {"posemb"}
    for words in (("position=t5",), ("position=t5", "--json"), ("alibi", "position=t5")):  # not to end up in a file
        said = posemb("cite", *words, *where)
        assert (said.code, said.out) == (2, "") and "There are no such runs" in said.err


def test_a_run_cites_the_scalings_that_it_was_extended_with(
    posemb: Callable[..., Said], finished: Path, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(finished, tmp_path / "run"))
    assert posemb("extend", run, "--scaling", "pi,yarn", "--to", "2", "--count", "4").code == 0
    said = posemb("cite", run)
    assert set(parsed(said.out)) == {"posemb", "su2021roformer", "chen2023extending", "peng2023yarn"}
    assert "% rope with scaling=pi\n" in said.out
    (run / "extend-1.jsonl").write_text("x\n")
    said = posemb("cite", run)
    assert set(parsed(said.out)) == {"posemb", "su2021roformer"} and "extend-1.jsonl, line 1, is damaged" in said.err


SOURCES = {
    "another form": "Doe, J. and Roe, R. (2024). A title. NeurIPS.",
    "an id": "arXiv:2401.00001",
    "a DOI": "10.1000/xyz123",
    "an open quote": 'Doe 2024, "A title, arXiv:2401.00001.',
    "words": "My own idea.",
    "one of two": 'Doe 2024, "A title", arXiv:2401.00001; Roe (2023), Another.',
}


def test_a_source_that_cannot_be_read_is_not_one_without_works(
    posemb: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cited(section: str) -> tuple[set[str], str]:
        (tmp_path / "my_source.py").write_text(f'class Mine:\n    """Mine.{section}\n    """\n')
        said = posemb("cite", "mine", "--config-dir", tmp_path)
        assert said.code == 0 and len(said.err.splitlines()) == bool(said.err)
        return set(parsed(said.out)) - {"posemb"}, said.err

    (tmp_path / "position").mkdir()
    (tmp_path / "position/mine.yaml").write_text("_target_: my_source.Mine\n")
    (tmp_path / "my_source.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    for name, told in SOURCES.items():
        works, said = cited(f"\n\n    Source:\n        {told}")
        assert works == ({"doe2024title"} if name == "one of two" else set()), name
        assert 'note: mine: Source names no work, or one in a form that is not read. Write Su et al. 2021, "' in said
    assert "mine: Source names no work" in cited("")[1]
    none = cited("\n\n    Source:\n        None: my own, of 2024.")
    assert none == (set(), "note: There is no work to cite for mine.\n")
    assert cited('\n\n    Source:\n        Doe & Roe 2024, "A title", arXiv:2401.00001.') == ({"doe2024title"}, "")
    cited("\n\n    Source:\n        My own idea.")
    document = posemb("cite", "mine", "copy", "--config-dir", tmp_path, "--json").json
    assert (document["unread"], document["without"]) == (["mine"], ["copy"])


def test_the_version_is_that_of_the_runs(posemb: Callable[..., Said], finished: Path, tmp_path: Path) -> None:
    manifest = json.loads((finished / "manifest.json").read_text())
    manifest["versions"]["posemb"] = "9.9.9"
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "config.yaml").write_bytes((finished / "config.yaml").read_bytes())
    assert parsed(posemb("cite", tmp_path).out)["posemb"]["version"] == "9.9.9"


def test_a_part_that_is_not_posembs_own_is_not_looked_for(
    posemb: Callable[..., Said], finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "foreignpkg").mkdir()
    (tmp_path / "foreignpkg/__init__.py").write_text(f"open({str(tmp_path / 'was run')!r}, 'w')")
    (tmp_path / "foreignpkg/m.py").write_text("class M: pass")
    monkeypatch.syspath_prepend(tmp_path)
    run = Path(shutil.copytree(finished, tmp_path / "run"))
    config = yaml.safe_load((run / "config.yaml").read_text())
    rope = config["position"]

    def cited(part: str, *own: str | Path) -> tuple[set[str], str]:
        inner = {"_target_": "posemb.position.composite.Composite", "parts": {"deep": {"_target_": part}}}
        parts = {"_target_": inner["_target_"], "parts": {"rope": rope, "inner": inner}}
        (run / "config.yaml").write_text(yaml.safe_dump(config | {"position": parts}))
        said = posemb("cite", run, *own)
        assert said.code == 0
        return set(parsed(said.out)), said.err

    keys, err = cited("foreignpkg.m.M")
    assert keys == {"posemb"} and "position=rope (foreignpkg.m.M) is not posemb's own" in err
    assert not (tmp_path / "was run").exists()
    keys, err = cited("posemb.position.missing.Missing")  # the part before it has works
    assert keys == {"posemb"} and "position=rope is left out" in err and "no work to cite for rope" not in err
    (tmp_path / "position").mkdir()
    (tmp_path / "position/rope.yaml").write_text("_target_: foreignpkg.m.M\n")
    keys, err = cited("foreignpkg.m.M", "--config-dir", tmp_path)
    assert keys == {"posemb", "su2021roformer"} and (tmp_path / "was run").exists()
    assert "left out" not in err


def test_an_unknown_word_has_a_nearest(posemb: Callable[..., Said], runs: Path) -> None:
    for word, near in {"alibbi": "alibi", "twoo": "two", "zzzz": "Names: alibi", "": "Names:"}.items():
        said = posemb("cite", word, "--runs", runs)
        assert said.code == 2 and said.out == "" and near in said.err
    assert posemb("cite", "foo=bar", "--runs", runs).code == 2
