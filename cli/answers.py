"""Answers of a model as a person reads them: what was asked, what it said, and where that goes wrong."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from posemb.report.characters import carries

from .console import width

if TYPE_CHECKING:
    from posemb.eval.answer import Answer

END = "⟩"  # as tasks draw their end mark
# How what would break a line is drawn; and the same where a stream's encoding lacks the sign.
DRAWN = {"\n": "↵", "\t": "→", "\r": "␍"}
POOR = {END: ">", " ": "_", "\n": "|", "\t": "_", "\r": "_"}


def answer_page(answers: Sequence["Answer"], trained_length: int) -> str:
    """A block for each answer; where there are verdicts, under them how many are right.

    Args:
        answers: in the order in which they are shown.
        trained_length: the longest training row, tokens.
    """
    blocks = ["\n".join(_block(one, trained_length)) for one in answers]
    judged = [one for one in answers if one.right is not None]
    if len(judged) > 1:
        blocks.append(f"{sum(bool(one.right) for one in judged)} of {len(judged)} right")
    return "\n\n".join(blocks)


def verdict(one: "Answer", trained_length: int) -> str:
    """What the judge says, and what must be known of the row's length."""
    words = [_judgement(one)]
    if one.length > trained_length:
        words.append(f"{one.length} tokens, trained up to {trained_length}")
    if one.status.value == "untrained rows":
        words.append("untrained rows: it has positions that were never learned")
    return "; ".join(filter(None, words))


def _judgement(one: "Answer") -> str:
    if one.answer is None:
        return f"cannot represent: {(one.reason or '').rstrip('.')}"
    if one.wrong_at is None or one.expected is None:
        return "right" if one.right else ""
    place, said, wanted = one.wrong_at, _with_end(one), one.expected + END
    if place >= len(one.answer):
        return f"wrong: it ends after {place} of {len(one.expected)} characters"
    if place >= len(one.expected):
        return f"wrong: it goes on after {place} characters, where it should end"
    return f"wrong: character {place + 1} is {said[place]!r} instead of {wanted[place]!r}"


def _with_end(one: "Answer") -> str:
    return (one.answer or "") + (END if one.ended else "")


def _block(one: "Answer", trained_length: int) -> Iterator[str]:
    """Its lines, on a terminal in as many columns as fit; the first wrong character stands above a caret."""
    drawn = [("prompt", one.prompt)]
    if one.answer is not None:
        drawn.append(("answer", _with_end(one)))
    if one.wrong_at is not None:
        drawn.append(("right", f"{one.expected}{END}"))
        drawn.append(("", " " * one.wrong_at + "^"))
    room = max(20, width(sys.stdout) - 10) if sys.stdout.isatty() else max(len(text) for _, text in drawn) or 1
    spaces = one.answer is not None and one.right is None  # a text may end in them, or be nothing else
    prompt, *rest = [(name, _line(text, spaces)) for name, text in drawn]
    for group in ([prompt], rest):
        for first in range(0, max((len(text) for _, text in group), default=0), room):
            for name, text in group:
                part = text[first : first + room]
                if part.strip() or (first == 0 and name):
                    yield f"{name if first == 0 else '':8}  {part}".rstrip()
    judged = verdict(one, trained_length)
    if judged:
        yield f"{'verdict' if one.right is not None else '':8}  {judged}"


def _line(text: str, spaces: bool) -> str:
    """Text in which each character takes one place of one line; with `spaces`, these are drawn as well."""
    drawn = DRAWN | {END: END} | ({" ": "␣"} if spaces else {})
    known = {sign: one if carries(sys.stdout.encoding, one) else POOR[sign] for sign, one in drawn.items()}
    return "".join(known.get(character, character) for character in text)
