from hashlib import sha256
from math import ceil

import pytest
import torch

from posemb.errors import UsageError
from posemb.layout import Layout
from posemb.seeds import stream
from posemb.task.text import Text


@pytest.fixture
def numbered(tmp_path):
    """A text of 2000 different characters in ascending order: a token says where in the file it stands."""
    file = tmp_path / "numbered text #1 = ü.txt"
    file.write_text("".join(chr(0x4E00 + place) for place in range(2000)), encoding="utf-8")
    return Text(str(file))


def test_windows_are_pieces_of_their_own_part(numbered):
    parts = {"train": (0, 1600), "validation": (1600, 1800), "evaluation": (1800, 2000)}
    for split, (low, high) in parts.items():
        tokens = numbered.sample(20, 5000, stream(0, split), split).tokens
        assert torch.equal(tokens.diff(dim=1), torch.ones(5000, 19, dtype=torch.int64))
        assert (tokens.min().item(), tokens.max().item() + 1) == (low, high)  # all of it, and nothing else


def test_a_whole_part_is_a_window(numbered):
    tokens = numbered.sample(200, 3, stream(0), "evaluation").tokens
    assert torch.equal(tokens, torch.arange(1800, 2000).expand(3, -1))


@pytest.mark.parametrize("mode", ["blocked", "sliding"])
@pytest.mark.parametrize("n", [2, 3, 7, 16, 64, 100, 101])
@pytest.mark.parametrize("count", [1, 3, 512])
def test_every_length_and_mode_scores_the_same_characters_once(numbered, mode, n, count):
    batch = getattr(numbered, mode)(n, count)
    stretch = min(16 * count, 100)  # half of the evaluation part at most
    assert batch.tokens[batch.scored].tolist() == list(range(2000 - stretch, 2000))
    assert batch.tokens.min() >= 1800
    assert torch.equal(batch.tokens.diff(dim=1), torch.ones_like(batch.tokens)[:, 1:])
    assert batch.layout == Layout(rows=len(batch.tokens), length=n, prompt=0)
    assert not batch.scored[:, 0].any()


@pytest.mark.parametrize("n", [4, 16, 64])
def test_sliding_windows_score_after_three_quarters_of_context_and_blocked_ones_everything(numbered, n):
    sliding, blocked = numbered.sliding(n, 512), numbered.blocked(n, 512)
    quarter = n // 4
    assert not sliding.scored[:, : n - quarter].any() and sliding.scored[1:, n - quarter :].all()
    assert len(sliding.tokens) == ceil(100 / quarter)
    assert blocked.scored[1:, 1:].all()
    assert len(blocked.tokens) == ceil(100 / (n - 1))


@pytest.mark.parametrize("mode", ["blocked", "sliding"])
def test_a_window_past_half_of_the_part_shortens_the_stretch(numbered, mode):
    batch = getattr(numbered, mode)(150, 512)
    assert batch.tokens[batch.scored].tolist() == list(range(1949, 2000))
    whole = getattr(numbered, mode)(200, 512)
    assert whole.tokens[whole.scored].tolist() == [1999]


def test_the_default_text_is_prose_and_the_same_each_time():
    text = Text()
    assert text.digest == Text().digest
    assert text.vocabulary == len(text.alphabet)
    words = text.decode(text.sample(200, 50, stream(0), "train").tokens.flatten()).split()
    assert words.count("the") > 50
    assert text.layout("yield") == Layout(rows=1, length=5, prompt=0)
    assert text.train_sizes(64) == [64]


def test_any_utf8_file_will_do(tmp_path):
    file = tmp_path / "a.txt"
    content = ("Größe über alles,\r\n→ nein. " * 20).encode()
    file.write_bytes(content)
    text = Text(str(file))
    assert text.digest == sha256(content).hexdigest()
    assert text.alphabet == "".join(sorted(set(content.decode())))
    assert text.decode(text.sample(30, 1, stream(0), "validation").tokens[0]) in content.decode()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"abc\xff" * 99, r"not UTF-8 text \(byte 3\)"),
        (b"a" * 12, "12 characters"),
        (b"ab", "2 characters"),
    ],
)
def test_files_that_are_no_corpus(tmp_path, content, reason):
    file = tmp_path / "corpus.txt"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=reason) as caught:
        Text(str(file))
    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "reason"), [("gone.txt", "does not exist"), (".", "is a folder"), ("a\0b", "cannot be read")]
)
def test_paths_that_are_no_file(tmp_path, name, reason):
    with pytest.raises(UsageError, match=reason):
        Text(str(tmp_path / name))


def test_windows_that_do_not_fit(numbered):
    rng = stream(0)
    for ask in (
        lambda n: numbered.length(n),
        lambda n: numbered.sample(n, 1, rng, "train"),
        lambda n: numbered.blocked(n, 1),
        lambda n: numbered.sliding(n, 1),
    ):
        with pytest.raises(UsageError, match=r"201 characters .*numbered text #1 = ü\.txt.*up to 200"):
            ask(201)
        with pytest.raises(UsageError, match="nothing to predict"):
            ask(1)
