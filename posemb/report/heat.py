"""A heat map drawn with characters: forms down, sizes across, the darker the more is right."""

import re
from collections.abc import Collection, Mapping, Sequence
from textwrap import wrap

from posemb.report.characters import carries

# Exact match from which each shade counts. The last is what L90 asks for.
LEVELS = (0.0, 0.1, 0.3, 0.6, 0.9)
WORDS = ("below 10 %", "10 %", "30 %", "60 %", "90 % and above")
UNICODE, ASCII = ("·░▒▓█", "×", "│"), (".:=*#", "!", "|")
# Of the 256 colours, from dark violet to yellow: the order can be told without telling the hues.
COLOURS = (55, 62, 30, 71, 220)
ESCAPE = re.compile("\x1b\\[[0-9;]*m")  # takes no column


def heat_map(
    lines: Mapping[str, Mapping[int, float | None]],
    trained: int,
    keep: Collection[int] = (),
    width: int = 80,
    colour: bool = False,
    encoding: str | None = "utf-8",
) -> str:
    """Draw one line for each form, a legend, and which sizes there was no room for.

    Args:
        lines: exact match at each size, by the form's label; None where there is no figure.
        trained: the trained size; a bar stands after it.
        keep: the sizes that go last where the width is too small for all.
        width: columns.
        colour: with ANSI colours.
        encoding: of the stream that will carry the drawing; what it cannot carry is drawn in ASCII.
    """
    shades, missing, bar = UNICODE if carries(encoding, "".join(UNICODE)) else ASCII
    margin = max(map(len, ["size", *lines]))
    sizes = sorted({size for line in lines.values() for size in line})
    cell = len(str(max(sizes))) + 1
    sizes, every = _thinned(sizes, {trained, *keep}, (width - margin - 3) // cell), sizes
    after = max((size for size in sizes if size <= trained), default=None)

    def joined(cells: Sequence[str]) -> str:
        return "".join(one + (bar if size == after else "") for size, one in zip(sizes, cells, strict=True))

    drawn = [f"{'size'.ljust(margin)}  {joined([str(size).rjust(cell) for size in sizes])}"]
    for label, line in lines.items():
        cells = [_cell(line.get(size), cell, shades, missing, colour) for size in sizes]
        drawn.append(f"{label.ljust(margin)}  {joined(cells)}")
    names = [f"{_painted(2 * shades[level], level, colour)} {word}" for level, word in enumerate(WORDS)]
    if any(value is None for line in lines.values() for value in line.values()):
        names.append(f"{missing * 2} no figure")
    drawn += _legend([*names, f"{bar} trained up to {trained}"], width)
    if left_out := [str(size) for size in every if size not in sizes]:
        text = f"No room was left for {'size' if len(left_out) == 1 else 'sizes'} {', '.join(left_out)}."
        drawn += wrap(text, width, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(drawn)


def _legend(names: Sequence[str], width: int) -> list[str]:
    """What the signs mean, in as many lines as it takes."""
    lines = [f"  {names[0]}"]
    for name in names[1:]:
        longer = f"{lines[-1]}   {name}"
        lines = [*lines[:-1], longer] if len(ESCAPE.sub("", longer)) <= width else [*lines, f"  {name}"]
    return lines


def _cell(value: float | None, cell: int, shades: str, missing: str, colour: bool) -> str:
    if value is None:
        return missing * cell
    level = sum(value >= least for least in LEVELS) - 1
    return _painted(shades[level] * cell, level, colour)


def _painted(text: str, level: int, colour: bool) -> str:
    return f"\x1b[38;5;{COLOURS[level]}m{text}\x1b[0m" if colour else text


def _thinned(sizes: list[int], kept: Collection[int], room: int) -> list[int]:
    """As many sizes as there is room for: where they are densest, one is left out, of those to keep only at last."""
    sizes = list(sizes)
    while len(sizes) > max(room, 2):
        inner = sizes[1:-1]
        spare = [size for size in inner if size not in kept] or inner
        sizes.remove(min(spare, key=lambda size: size / sizes[sizes.index(size) - 1]))
    return sizes
