"""The examples of the pages on adding a method and a task: written as told, listed, shown and trained."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from posemb.cli.app import run

from posemb.run.build import instance
from posemb.run.compose import compose
from posemb.seeds import stream
from tests.docs.pages import ROOT, follow, forget, newest_run, write_files

METHOD, TASK = ROOT / "docs" / "adding-a-method.md", ROOT / "docs" / "adding-a-task.md"


@contextmanager
def followed(page: Path, folder: Path) -> Iterator[None]:
    """The page's files are written and its commands done; inside, its modules are importable."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        write_files(page, folder)
        try:
            follow(page, folder, monkeypatch)
            yield
        finally:
            forget(page)


def test_the_method_of_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with followed(METHOD, tmp_path):
        printed = capsys.readouterr().out
        assert re.search("^  root_distance +scores +Root biases", printed, re.MULTILINE)  # list
        assert "def at_scores" in printed  # show --code
        assert re.search("^examples +0 +5e-05$", printed, re.MULTILINE)  # check: its worked values
        assert re.search(r"^\d+ findings pass, 0 fail, \d+ exempt", printed, re.MULTILINE)
        line = r"^  turn_and_fade +qk, scores +Rotary .* in turn\. Here: rope, root_distance\.$"
        assert re.search(line, printed, re.MULTILINE)  # list: its methods, whatever the parts are called
        assert newest_run(tmp_path).startswith("runs/last/turn_and_fade/")

        mine = ["--config-dir", "my_configs", "--position", "root_distance"]
        assert run(["train", *mine, "--steps", "1", "position.slope=-1"]) == 2
        assert "position.slope=-1" in capsys.readouterr().err

        assert run(["show", newest_run(tmp_path), "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert (document["position"], document["state"], document["steps"]) == ("turn_and_fade", "completed", 3)

        assert run(["show", newest_run(tmp_path), "--config-dir", "my_configs"]) == 0
        assert "turn_and_fade parts.fade.slope=0.5 layers.turn=[0] on last, " in capsys.readouterr().out

        assert run(["cite", "turn_and_fade", "root_distance", "--config-dir", "my_configs"]) == 0
        said = capsys.readouterr()
        assert "% turn in turn_and_fade" in said.out and "no work to cite for fade, root_distance" in said.err


def test_a_method_from_outside_needs_its_folder_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with followed(METHOD, tmp_path):
        last = newest_run(tmp_path)
        again = ["--sizes", "4", "--count", "8"]
        assert run(["eval", last, *again]) == 2
        assert "--config-dir" in capsys.readouterr().err
        assert run(["eval", last, *again, "--config-dir", "my_configs"]) == 0


def test_the_task_of_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with followed(TASK, tmp_path):
        printed = capsys.readouterr().out
        assert re.search("^  stutter +Say every letter twice.", printed, re.MULTILINE)  # list
        assert "⟨" in printed and "^" in printed  # show: real rows, scored tokens marked
        assert newest_run(tmp_path).startswith("runs/stutter/rope/")

        config = compose(["task=stutter"], tmp_path / "my_configs")
        assert config["train"]["size"] == 12
        task = instance(config["task"])
        batch = task.sample(4, 8, stream(0, "law"), "evaluation")
        assert batch.tokens.shape == (8, task.length(4))
        for row in batch.tokens:
            prompt, _, answer = task.decode(row)[1:-1].partition("→")
            assert answer == task.solve(prompt)
        assert torch.equal(batch.tokens, task.sample(4, 8, stream(0, "law"), "evaluation").tokens)
