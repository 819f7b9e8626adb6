"""A figure's SVG as a part of a page: named for those who cannot see it, and in colours that the page sets."""

import re
from html import escape

from posemb.report.canvas import COLOURS, FAINT, INK, RULE


def inline(svg: str, title: str, description: str, name: str = "figure") -> str:
    """The `<svg>` element of a drawing of ours, to stand inside HTML.

    Its inks become the page's variables: `--ink`, `--faint`, `--paper`, `--rule`, and `--line-1`, `--line-2`, ... for
    the colours of lines, with the drawing's own as fallback. Ids get a prefix, so that two drawings do not share any.

    Args:
        svg: a file's text.
        title: what a screen reader calls it.
        description: what it shows, in words.
        name: the prefix of its ids.
    """
    body = svg[svg.index("<svg") :]
    # Who made it with which program, and addresses of vocabularies: no part of the picture.
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", body, flags=re.DOTALL)
    body = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', body)
    body = re.sub(r'(href="#|url\(#)', rf"\1{name}-", body)
    for colour, variable in _variables().items():
        body = re.sub(rf"{colour}\b", f"var({variable}, {colour})", body, flags=re.IGNORECASE)
    head, rest = body.split(">", 1)
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)
    head += f' role="img" aria-labelledby="{name}-title {name}-desc"'
    told = f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(description)}</desc>'
    return f"{head}>{told}{rest.strip()}"


def line_colours() -> list[str]:
    """The variable of each colour that lines are drawn in, in their order."""
    return [f"var(--line-{place}, {colour})" for place, colour in enumerate(COLOURS, 1)]


def _variables() -> dict[str, str]:
    own = {INK: "--ink", FAINT: "--faint", RULE: "--rule", "#ffffff": "--paper", "#000000": "--ink"}
    return own | {colour: f"--line-{place}" for place, colour in enumerate(COLOURS, 1)}
