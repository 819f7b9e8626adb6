import io
from collections.abc import Callable
from pathlib import Path

import pytest
from posemb.cli.answers import answer_page, verdict

from posemb.eval.answer import Answer
from posemb.position.base import Reach
from tests.cli.conftest import TINY, Said

KEYS = {"schema", "run", "position", "ids", "task", "trained_length", "device", "threads", "answers"}


def test_a_prompt_is_answered_and_judged(posemb: Callable[..., Said], finished: Path) -> None:
    said = posemb("sample", finished, "ab", "abc")
    assert said.code == 0
    assert said.out.startswith("prompt    ab\nanswer    ")
    assert said.out.count("verdict   ") == 2 and said.out.rstrip().endswith("of 2 right")
    document = posemb("sample", finished, "ab", "abc", "--json").json
    assert set(document) == KEYS and document["task"] == "last" and document["run"] == str(finished)
    assert [(one["prompt"], one["expected"], one["length"]) for one in document["answers"]] == [
        ("ab", "b", 6), ("abc", "c", 7)
    ]  # fmt: skip
    for one in document["answers"]:
        assert one["right"] == (one["answer"] == one["expected"] and one["ended"]) == (one["wrong_at"] is None)
        assert (one["status"], one["reason"]) == ("ok", None)


def test_without_a_prompt_rows_of_the_evaluation_are_shown(posemb: Callable[..., Said], finished: Path) -> None:
    prompts = [one["prompt"] for one in posemb("sample", finished, "--json").json["answers"]]
    assert [len(prompt) for prompt in prompts] == [2, 2, 2, 4, 4, 4]
    drawn = posemb("sample", finished, "--size", "3", "--count", "8", "--json").json["answers"]
    assert [len(one["prompt"]) for one in drawn] == [3] * 8
    curve = {row["size"]: row["exact_match"] for row in posemb("show", finished, "--json").json["curve"]}
    assert sum(one["right"] for one in drawn) / 8 == curve[3]
    said = posemb("sample", finished)
    assert said.err.startswith("next: posemb sample") and said.err.rstrip().endswith(f" {prompts[0]}")


def test_prompts_come_from_stdin(posemb: Callable[..., Said], finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("ab\ncd"))
    document = posemb("sample", finished, "-", "ef", "--json").json
    assert [one["prompt"] for one in document["answers"]] == ["ab", "cd", "ef"]
    monkeypatch.setattr("sys.stdin", io.StringIO("ab\ncd"))
    document = posemb("sample", finished, "-", "ef", "-", "--json").json  # it is read once
    assert [one["prompt"] for one in document["answers"]] == ["ab", "cd", "ef"]
    monkeypatch.setattr("sys.stdin", io.StringIO("ab\nc4d\n"))
    said = posemb("sample", finished, "-")
    assert said.code == 2 and said.out == "" and "Line 2 of stdin: '4'" in said.err
    for nothing in (io.StringIO(""), None):  # None: it was closed before Python began
        monkeypatch.setattr("sys.stdin", nothing)
        said = posemb("sample", finished, "-")
        assert said.code == 2 and "there is no prompt on stdin" in said.err


WRONG = {
    "characters outside the alphabet": (["aBc!"], ["'!' 'B'", "abcdef"]),
    "an empty prompt": ([""], ["empty prompt"]),
    "one of several": (["ab", "a b"], ["Prompt 2", "' '"]),
    "no text": (["ab", "--length", "5"], ["--length 5", "text"]),
    "sizes with a prompt": (["ab", "--size", "5"], ["--size 5", "prompts"]),
    "counts with a prompt": (["ab", "--count", "5"], ["--count 5", "prompts"]),
    "no number": (["--size", "x"], ["--size x", "whole number"]),
    "no size": (["--count", "0"], ["--count 0"]),
    "no device": (["ab", "--device", "gpu"], ["--device gpu", "cuda"]),
}


@pytest.mark.parametrize(("words", "told"), WRONG.values(), ids=WRONG)
def test_wrong_usage_is_named(posemb: Callable[..., Said], finished: Path, words: list[str], told: list[str]) -> None:
    said = posemb("sample", finished, *words)
    assert said.code == 2 and said.out == "" and all(word in said.err for word in told), said.err


def test_a_run_without_weights_cannot_be_asked(posemb: Callable[..., Said], finished: Path, tmp_path: Path) -> None:
    for name in ("config.yaml", "manifest.json"):
        (tmp_path / name).write_bytes((finished / name).read_bytes())
    said = posemb("sample", tmp_path, "ab")
    assert said.code == 1 and "no final weights" in said.err
    assert posemb("sample", tmp_path / "nowhere", "ab").code == 2


def test_a_table_that_ends_is_said(posemb: Callable[..., Said], tmp_path: Path) -> None:
    assert posemb("train", *TINY, "--position", "ape", "--runs", tmp_path).code == 0
    (run,) = tmp_path.glob("*/*/*")
    said = posemb("sample", run, "ab", "abc", "abcdefgh")
    assert said.code == 0
    assert "trained up to 6; untrained rows" in said.out
    assert "cannot represent: The table of APE ends before a row of 12 tokens" in said.out
    assert "of 2 right" in said.out
    document = posemb("sample", run, "abcdefgh", "--json").json
    assert document["answers"][0]["status"] == "cannot represent" and document["answers"][0]["answer"] is None


def test_a_text_is_continued(posemb: Callable[..., Said], tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("the dog bites the man\nand the man bites the dog. " * 40, "utf-8")
    words = ["--task", "text", f"task.file={corpus}", "train.size=8", "--sizes", "8", "eval.count=8"]
    tiny = [word for word in TINY if word not in ("--task", "last", "--sizes", "2,3", "train.size=2", "eval.count=8")]
    assert posemb("train", *tiny, *words, "--position", "nope", "--runs", tmp_path).code == 0
    (run,) = tmp_path.glob("*/*/*/")
    (one,) = posemb("sample", run, "the ", "--length", "5", "--json").json["answers"]
    assert (one["prompt"], len(one["answer"]), one["right"], one["expected"]) == ("the ", 5, None, None)
    said = posemb("sample", run, "the\nman")
    assert said.code == 0 and "verdict" not in said.out and "right" not in said.out
    assert said.out.startswith("prompt    the↵man\nanswer    ")
    assert posemb("sample", run, "--size", "8", "--count", "2").code == 0
    assert posemb("sample", run, "--size", "100000").code == 2


def test_the_next_command_can_be_typed_whatever_a_prompt_begins_with(
    posemb: Callable[..., Said], tmp_path: Path
) -> None:
    (tmp_path / "corpus.txt").write_text("-" * 400, "utf-8")
    (tmp_path / "position").mkdir()
    (tmp_path / "position/mine.yaml").write_text("_target_: posemb.position.nope.NoPE\n")
    words = ["--task", "text", f"task.file={tmp_path / 'corpus.txt'}", "train.size=8", "--sizes", "8", "eval.count=8"]
    tiny = [word for word in TINY if word not in ("--task", "last", "--sizes", "2,3", "train.size=2", "eval.count=8")]
    own = ("--config-dir", tmp_path)
    assert posemb("train", *tiny, *words, "--position", "mine", *own, "--runs", tmp_path).code == 0
    (run,) = tmp_path.glob("text/*/*/")
    for size, prompt in {"8": "-- ----", "2": "PROMPT"}.items():  # a - alone would be stdin
        said = posemb("sample", run, *own, "--size", size)
        command = said.err.splitlines()[-1].removeprefix("next: posemb ")
        assert command == f"sample {run} --config-dir {tmp_path} {prompt}"
        if size == "8":
            assert posemb(*command.split()).out.startswith("prompt    ----\n")


def test_the_first_wrong_character_stands_above_the_caret() -> None:
    one = Answer("abcd", "abxd", True, False, "abcd", 2, 11, Reach.OK)
    assert answer_page([one], 11).splitlines() == [
        "prompt    abcd",
        "answer    abxd⟩",
        "right     abcd⟩",
        "            ^",
        "verdict   wrong: character 3 is 'x' instead of 'c'",
    ]
    early = Answer("abcd", "ab", True, False, "abcd", 2, 11, Reach.OK)
    assert verdict(early, 11) == "wrong: it ends after 2 of 4 characters"
    endless = Answer("ab", "abc", False, False, "ab", 2, 7, Reach.OK)
    assert verdict(endless, 5) == (
        "wrong: it goes on after 2 characters, where it should end; 7 tokens, trained up to 5"
    )


def test_a_long_answer_is_folded_with_its_caret(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "a" * 150
    one = Answer(long, "a" * 120 + "b" + "a" * 29, True, False, long, 120, 303, Reach.OK)
    lines = answer_page([one], 400).splitlines()
    assert [len(line) for line in lines[:4]] == [160, 161, 161, 131]  # for other programs it is one line
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    lines = answer_page([one], 400).splitlines()
    assert max(map(len, lines)) <= 100
    (caret,) = [number for number, line in enumerate(lines) if line.strip() == "^"]
    assert lines[caret - 2][lines[caret].index("^")] == "b" and lines[caret - 1][lines[caret].index("^")] == "a"


NEARLY = {
    ("addition", "12+34"): "Write '12+34='.",
    ("addition", "12+345="): "Put zeros in front: '012+345='.",
    ("roles", "dog bites man"): "'dog bites man' is without a question, which stands behind a '?'.",
    ("roles", "dog likes man?who likes"): "'likes' is not a verb of roles. Take one of bites, calls",
}


def test_a_prompt_that_is_nearly_right_is_told_what_is_missing(posemb: Callable[..., Said], tmp_path: Path) -> None:
    tiny = [word for word in TINY if word not in ("--task", "last")]
    for task in ("addition", "roles"):
        assert posemb("train", *tiny, "--task", task, "--position", "nope", "--runs", tmp_path).code == 0
    for (task, prompt), told in NEARLY.items():
        (run,) = tmp_path.glob(f"{task}/*/*")
        said = posemb("sample", run, prompt)
        assert said.code == 2 and said.out == "" and told in said.err
