"""What the pages show in Python is what Python says."""

import doctest
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, blocks

# Python at the prompt. A file that is shown has examples of its own, which posemb check runs (test_adding.py).
SHOWN = [page for page in PAGES if any(block.text.startswith(">>>") for block in blocks(page, "python"))]


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.stem)
def test_examples(page: Path):
    text = "\n".join(block.text for block in blocks(page, "python"))
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    result = doctest.DocTestRunner(verbose=False).run(examples)
    assert result.attempted > 10
    assert result.failed == 0


def test_injection_points_is_among_them():
    assert "injection-points" in [page.stem for page in SHOWN]
