"""The Makefile's verbs work wherever the folder is moved."""

import re
from pathlib import Path

RECIPES = re.findall(r"^\t.*$", (Path(__file__).parents[1] / "Makefile").read_text("utf-8"), re.M)


def test_nothing_is_run_by_a_script_that_names_its_interpreter() -> None:
    assert any("$(VENV) -m posemb.cli" in line for line in RECIPES)
    assert not [line for line in RECIPES if ".venv/bin/" in line]
