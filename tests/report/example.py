"""A comparison of three methods over three seeds, as a report sees it: one learned with two seeds of three."""

from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from posemb.report.canvas import NARROW, WIDE
from posemb.report.comparison import Comparison, compare
from posemb.report.comparison_figure import save_comparison_figure
from posemb.report.page import render
from posemb.report.provenance import Record
from tests.report.conftest import result, row

# Exact match at the sizes 5, 10, 20 (the trained one), 40 and 100.
SIZES = (5, 10, 20, 40, 100)
CURVES = {
    "alibi": ([1, 1, 1, 1, 1], [1, 1, 1, 1, 0.95], [1, 1, 1, 1, 1]),
    "ape": ([1, 1, 0.98, 0, 0], [1, 0.7, 0.45, 0, 0], [1, 1, 0.96, 0, 0]),
    "rope": ([1, 1, 1, 0.92, 0.25], [1, 1, 1, 0.5, 0.125], [1, 1, 1, 0.95, 0.5]),
}


def record(position: str, shares: Sequence[float | None], seed: int, **more: Any) -> Record:
    """A run of 100 steps; `more` goes into its document."""
    curve = [row(size, share, high=0.0075 if share == 0 else 1.0) for size, share in zip(SIZES, shares, strict=True)]
    known = [share for share in shares[:3] if share is not None]
    run = f"/home/somebody/runs/copy/{position}/s{seed}-1234abcd"
    document = result(position, curve, run=run, seed=seed, in_distribution=min(known), **more)
    base = {"position.base": 10000} if position == "rope" else {}
    settings = {"position": position, "ids": "sequential", "task": document["task"], **base, "train.steps": 100}
    settings |= {"eval.sizes": list(SIZES), "seed.init": seed, "seed.data": seed}
    versions = {"python": "3.12.1", "posemb": "0.1.0", "torch": "2.13.0", "hydra-core": "1.3.8"}
    git = {"folder": "/home/somebody/posemb", "commit": "c67daf00e870", "dirty": True}
    manifest = {"versions": versions, "git": git, "device": "cpu", "threads": 1, "platform": "Linux", "error": None}
    argv = ["train", "--position", position, f"seed={seed}", "--runs", "/home/somebody/runs", "--json"]
    return Record(document, settings, manifest, argv)


def records() -> list[Record]:
    """All nine runs."""
    return [record(name, shares, seed) for name, curves in CURVES.items() for seed, shares in enumerate(curves)]


def compared(some: Sequence[Record], **how: Any) -> Comparison:
    """What comes of comparing them."""
    manifests: list[Mapping[str, Any]] = [one.manifest for one in some]
    return compare([one.document for one in some], [one.settings for one in some], manifests=manifests, **how)


def page(some: Sequence[Record], tmp_path: Path, **more: Any) -> str:
    """The whole report of some runs."""
    comparison = compared(some)
    sizes = {"wide": WIDE, "narrow": NARROW} if comparison.groups else {}
    files = [save_comparison_figure(comparison, tmp_path / f"{name}.svg", size) for name, size in sizes.items()]
    drawings = {file.stem: file.read_text(encoding="utf-8") for file in files}
    return render(comparison, some, drawings, made="2026-01-31 12:00 UTC", version="0.1.0", **more)


class Read(HTMLParser):
    """A page taken apart.

    Attributes:
        elements: (name, attributes, text in it) of every element, in the order of their beginnings.
    """

    EMPTY = ("meta", "link")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.open: list[int] = []
        self.feed(html)
        assert not self.open, "an element is not closed"

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes), []))
        if tag not in self.EMPTY:
            self.open.append(len(self.elements) - 1)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes), []))

    def handle_endtag(self, tag: str) -> None:
        assert self.elements[self.open.pop()][0] == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        innermost = self.elements[self.open[-1]][0] if self.open else ""
        for place in self.open[-1:] if innermost in ("script", "style") else self.open:
            self.elements[place][2].append(data)

    def all(self, *names: str) -> list[tuple[dict[str, str | None], str]]:
        """(attributes, text with single spaces) of the elements of these names."""
        return [(given, " ".join(" ".join(text).split())) for name, given, text in self.elements if name in names]

    def text(self, name: str) -> str:
        """The text of the first element of that name."""
        return self.all(name)[0][1]
