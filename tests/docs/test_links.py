"""Every link between the pages leads somewhere."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import BLOCK, PAGES, ROOT

LINK = re.compile(r"\]\(([^)\s]+)\)")


def prose(page: Path) -> str:
    return BLOCK.sub("", page.read_text("utf-8"))


def anchors(page: Path) -> set[str]:
    """The fragments that GitHub gives the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page: Path):
    for link in LINK.findall(prose(page)):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        place, _, fragment = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{page.name}: {link}"
        assert target.is_relative_to(ROOT), f"{page.name}: {link} leaves the repository"
        if fragment:
            assert fragment in anchors(target), f"{page.name}: {link}"
