"""The report in a real browser: on a phone, in the dark, on paper, and with the network watched."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest

from tests.report.example import SIZES, page, record, records

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium: apt-get install chromium")

LIGHT, DARK = "preferredColorScheme=1", "preferredColorScheme=0"
PHONE, SMALL, DESK = 375, 320, 1280

# Looks at the report in frames of several widths, and leaves what it measured in place of itself.
PROBE = """<!DOCTYPE html><title>probe</title><link rel="icon" href="data:,"><body><script>
const luminance = ([r, g, b]) => [r, g, b].map(c => c / 255)
  .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
const colour = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length > 3 && n[3] === 0 ? null : n; };
function ground(at, view) {
  for (; at; at = at.parentElement) {
    const found = colour(view.getComputedStyle(at).backgroundColor);
    if (found) return luminance(found);
  }
}
function contrast(at, view) {
  const ink = luminance(colour(view.getComputedStyle(at)[at.closest("svg") ? "fill" : "color"]));
  const paper = ground(at, view);
  return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
}
function measured(frame) {
  const view = frame.contentWindow, page = frame.contentDocument, root = page.documentElement;
  const wide = [...page.querySelectorAll("body *")].filter(at => !at.closest(".box") &&
    at.getBoundingClientRect().right > root.clientWidth + 1).map(at => at.tagName);
  const names = ["h1", "h2", "p", "li", "dd", "td", "th", "small", "caption", "pre", "code", "figcaption", "svg text"];
  const contrasts = Object.fromEntries(names.filter(name => page.querySelector(name)).map(name =>
    [name, Math.min(...[...page.querySelectorAll(name)].map(at => contrast(at, view)))]));
  return {scroll: root.scrollWidth, width: root.clientWidth, wide, contrasts, paper: ground(page.body, view),
    boxes: [...page.querySelectorAll(".box")].filter(at => at.scrollWidth > at.clientWidth).length,
    seen: page.body.innerText.length};
}
console.log("the probe speaks");
const frames = [WIDTHS].map(width => {
  const frame = document.createElement("iframe");
  Object.assign(frame, {width, height: 800, src: "report.html"});
  return [width, document.body.appendChild(frame)];
});
window.onload = () => {
  const found = Object.fromEntries(frames.map(([width, frame]) => [width, measured(frame)]));
  document.body.textContent = JSON.stringify(found);
};
</script>"""


class Seen(NamedTuple):
    """What a browser made of the report."""

    frames: dict[str, dict[str, Any]]  # by width
    console: list[str]
    asked: set[str]  # every path that was asked of the server


class Chromium:
    """The browser, and a server that gives it one report and remembers what it was asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.report, self.asked = folder, "", set[str]()

    def look(self, report: str, scheme: str) -> Seen:
        """Measure a report in frames of three widths."""
        self.report = report
        said = self.run("--dump-dom", f"{self.address}/probe.html", scheme)
        body = re.search(r"<body>(.*)</body>", said.stdout, re.DOTALL)
        assert body, said.stderr
        lines = [line for line in said.stderr.splitlines() if "CONSOLE" in line]
        return Seen(json.loads(body[1]), lines, self.asked)

    def print(self, report: str) -> bytes:
        """The report as a PDF, asked for by a reader who likes it dark."""
        self.report, paper = report, self.folder / "report.pdf"
        self.run("--no-pdf-header-footer", f"--print-to-pdf={paper}", f"{self.address}/report.html", DARK)
        return paper.read_bytes()

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        *options, address, scheme = words
        assert BROWSER is not None
        command = [
            *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
            *("--enable-logging=stderr", f"--user-data-dir={self.folder / 'profile'}", f"--blink-settings={scheme}"),
            *(*options, address),
        ]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    browser = Chromium(tmp_path_factory.mktemp("browser"))

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            browser.asked.add(self.path)
            pages = {"/report.html": browser.report, "/probe.html": PROBE.replace("WIDTHS", f"{SMALL},{PHONE},{DESK}")}
            self.send_response(200 if self.path in pages else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(pages.get(self.path, "").encode())

        def log_message(self, *anything: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        browser.address = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        yield browser
        server.shutdown()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Nine runs, one failed one, and a long word of a user's own."""
    failed = record("rope", [1] * len(SIZES), 9, state="failed", error="disk full " + "x" * 300)
    return page([*records(), failed], tmp_path_factory.mktemp("report"), asked="Which one? " + "ü" * 200)


@pytest.fixture(scope="module")
def seen(chromium: Chromium, report: str) -> Callable[[str], Seen]:
    """What it looks like in one of the two colour schemes; looked at once."""
    found = {scheme: chromium.look(report, scheme) for scheme in (LIGHT, DARK)}
    return found.__getitem__


def test_it_asks_for_nothing_and_has_nothing_to_complain_about(seen: Callable[[str], Seen]) -> None:
    for scheme in (LIGHT, DARK):
        assert seen(scheme).asked == {"/probe.html", "/report.html"}
        assert [line.partition('"')[2].rpartition('", source')[0] for line in seen(scheme).console] == [
            "the probe speaks"  # so a complaint would have been heard
        ]


@pytest.mark.parametrize("width", [SMALL, PHONE, DESK])
def test_a_page_never_scrolls_sideways(seen: Callable[[str], Seen], width: int) -> None:
    frame = seen(LIGHT).frames[str(width)]
    assert frame["seen"] > 2000
    assert frame["scroll"] <= frame["width"] <= width
    assert frame["wide"] == []
    assert (frame["boxes"] > 0) is (width < DESK)  # on a phone wide tables scroll in their own boxes, and only there


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_all_words_can_be_read_in_light_and_dark(seen: Callable[[str], Seen], scheme: str) -> None:
    frame = seen(scheme).frames[str(PHONE)]
    assert (frame["paper"] < 0.05) if scheme == DARK else (frame["paper"] > 0.9)
    assert {"h1", "p", "td", "small", "caption", "pre", "svg text"} <= set(frame["contrasts"])
    assert min(frame["contrasts"].values()) >= 4.5, frame["contrasts"]  # WCAG 2.2, 1.4.3, for small text


def test_it_prints_on_a4_in_light_colours(chromium: Chromium, report: str) -> None:
    pdf = chromium.print(report)
    assert pdf.startswith(b"%PDF")
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert len(boxes) >= 2
    for wide, high in boxes:  # 210 x 297 mm in points
        assert float(wide) == pytest.approx(595.3, abs=1) and float(high) == pytest.approx(841.9, abs=1)


def test_a_browser_would_complain_about_a_page_that_asks_for_something(chromium: Chromium, report: str) -> None:
    spoiled = report.replace("</main>", '<img src="http://127.0.0.1:9/x.png"><script>1</script></main>')
    console = chromium.look(spoiled, LIGHT).console
    assert sum("Content Security Policy" in line for line in console) >= 2
