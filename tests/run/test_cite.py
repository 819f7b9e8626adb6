"""The bibliography: what docstrings name, and what BibTeX reads."""

import re
from pathlib import Path

import pytest

from posemb.run.bibtex import Work, entries, escaped
from posemb.run.catalog import Option, catalog, option
from posemb.run.cite import AUTHORS, YEAR, Bibliography, software
from posemb.run.compose import CLASSES, compose
from posemb.run.references import references, source
from tests.docs.pages import ROOT

EVERY = [one for group in CLASSES for one in catalog(group)]


def parsed(text: str) -> dict[str, dict[str, str]]:
    """BibTeX by a strict grammar: entries of braced fields, and comments outside of them; in ASCII."""
    found: dict[str, dict[str, str]] = {}
    text = "".join(f"{line}\n" for line in text.splitlines() if not line.startswith("% "))
    assert text.isascii() and "%" not in re.sub(r"\\%", "", text)
    while text := text.lstrip("\n"):
        head = re.match(r"@(?:misc|software)\{([a-z0-9]+),\n", text)
        assert head and head[1] not in found, text[:60]
        fields, text = found.setdefault(head[1], {}), text[head.end() :]
        while not text.startswith("}\n"):
            name = re.match(r"  ([a-zA-Z]+) = \{", text)
            assert name and name[1] not in fields, text[:60]
            depth, end = 1, name.end()
            while depth:
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            fields[name[1]], text = text[name.end() : end - 1], text[end:]
            assert text.startswith(",\n"), text[:60]
            text = text.removeprefix(",\n")
        text = text.removeprefix("}\n")
        assert {"author", "year", "title"} <= fields.keys() and fields["year"].isdecimal()
    return found


@pytest.mark.parametrize("one", EVERY, ids=lambda one: f"{one.group}={one.name}")
def test_every_option_names_a_work_or_says_that_there_is_none(one: Option) -> None:
    told, found = source(one), references(one)
    assert told, "no Source: in its docstring"
    assert bool(found) != told.startswith("None: ")
    for reference in found:
        assert reference.work.title and (reference.work.arxiv or reference.work.url or "Radford" in told)
    # What looks like a work is read as one.
    ids = re.findall(r"arXiv:([\d.]*\d)", told)
    assert set(ids) <= {reference.work.arxiv for reference in found}


def test_one_work_is_told_in_one_way() -> None:
    works = {reference.work for one in EVERY for reference in references(one)}
    assert len(works) == len({work.identity for work in works})


def test_every_scaling_has_its_work() -> None:
    rope = option("position", "rope")
    keys = {}
    for scaling in ("none", "pi", "ntk", "dynamic_ntk", "ntk_by_parts", "yarn", "llama3"):
        used = [ref.work.key for ref in references(rope) if ref.used(rope.parameters | {"scaling": scaling})]
        assert used[0] == "su2021roformer"
        keys[scaling] = used[1:]
    assert keys == {
        "none": [], "pi": ["chen2023extending"], "ntk": ["bloc972023ntk"],
        "dynamic_ntk": ["bloc972023ntk", "emozilla2023dynamically"],
        "ntk_by_parts": ["peng2023yarn"], "yarn": ["peng2023yarn"], "llama3": ["grattafiori2024llama"],
    }  # fmt: skip


USED = {
    "position=rope": ["su2021roformer"],
    "position=rope position.scaling=yarn": ["peng2023yarn", "su2021roformer"],
    "position=rope_partial position.scaling=pi": ["black2022gpt", "chen2023extending", "su2021roformer"],
    "position=xpos": ["su2021roformer", "sun2022length"],
    "position=ape_rope": ["gehring2017convolutional", "radford2018improving", "su2021roformer"],
    "position=rope_alternating position.parts.rope.scaling=ntk": [
        "bloc972023ntk", "su2021roformer", "yang2025rope"
    ],
    "position=alibi ids=randomized task=addition": ["lee2023teaching", "press2022train", "ruoss2023randomized"],
    "position=alibi task=addition task.answer=plain": ["press2022train"],
}  # fmt: skip


@pytest.mark.parametrize(("overrides", "keys"), USED.items(), ids=USED)
def test_a_run_cites_what_it_used(overrides: str, keys: list[str]) -> None:
    found = Bibliography()
    found.add_config(compose(overrides.split()), Path("somewhere"))
    assert sorted(parsed("\n\n".join(map(str, found.entries())))) == sorted([*keys, "posemb"])
    assert not found.notes


def test_a_class_of_the_users_own_is_looked_at_only_if_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "position").mkdir()
    (tmp_path / "position/mine.yaml").write_text("_target_: my_cited_shift.Shift\n")
    (tmp_path / "my_cited_shift.py").write_text(
        '"""Mine."""\nclass Shift:\n    """Shifts.\n\n    Source:\n'
        '        Müller, van der Berg & Čapek 2024, "50 % Shift_Work & More: A \\\\(x\\\\)", https://example.org/a;\n'
        '        also as in alibi.\n    """\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    config = compose(["task=copy"]) | {"position": {"_target_": "my_cited_shift.Shift"}}
    config["choice"] = config["choice"] | {"position": "mine"}
    found = Bibliography()
    found.add_config(config, tmp_path)
    assert not found.cited and len(found.notes) == 1 and "--config-dir" in found.notes[0]
    found = Bibliography()
    found.add_config(config, tmp_path, tmp_path)
    read = parsed("\n\n".join(map(str, found.entries())))
    assert read["muller202450"] == {
        "author": r"M{\"{u}}ller and van der Berg and {\v{C}}apek",
        "year": "2024",
        "title": r"{50 \% Shift\_Work \& More: A \textbackslash{}(x\textbackslash{})}",
        "url": "https://example.org/a",
    }
    assert "press2022train" in read
    (tmp_path / "my_cited_shift.py").unlink()
    found = Bibliography()
    found.add_config(config, tmp_path, tmp_path)
    assert found.notes and "position=mine is left out" in found.notes[0]


def test_two_works_with_one_key_have_two() -> None:
    works = {Work(("Li",), True, 2024, "Same One", arxiv=f"2401.0000{number}"): ("a",) for number in range(3)}
    assert [one.key for one in entries(works)] == ["li2024same", "li2024sameb", "li2024samec"]


def test_text_as_tex_writes_it() -> None:
    assert escaped("naïve Øre, Łódź: {x}_1 – 5 %") == (
        r"na{\"{\i}}ve {\O}re, {\L}{\'{o}}d{\'{z}}: \textbraceleft{}x\textbraceright{}\_1 -- 5 \%"
    )


def test_posemb_is_cited_as_its_license_says() -> None:
    licensed = (ROOT / "LICENSE").read_text("utf-8")
    assert f"{YEAR} {AUTHORS.removeprefix('The ')}" in re.sub(r"\s+", " ", licensed).replace("the posemb", "posemb")
    read = parsed(str(software(["0.1.0", "0.2.0"])))["posemb"]
    assert read["version"] == "0.1.0 and 0.2.0" and read["title"].startswith("{posemb: ")
