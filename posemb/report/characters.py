"""What a terminal can show: the characters that curves are drawn with."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Characters:
    """What a stream's encoding allows to draw with."""

    trained: str  # a measured point of each line in turn
    untrained: str  # the same where its rows were never trained
    missing: str
    join: str
    chance: str
    bar: str

    @property
    def all(self) -> str:
        """Everything that a drawing may hold beyond ASCII."""
        return self.trained + self.untrained + self.missing + self.chance + self.bar + "⠿─┌┐└┘┬┴┤×"


UNICODE = Characters("●▲■◆▼★✦", "○△□◇▽☆✧", "×", "braille", "·", "│")
ASCII = Characters("OXAVHMZ", "oxavhmz", "!", ".", "~", "|")
TO_ASCII = str.maketrans(
    {"─": "-", "–": "-", "−": "-", "│": "|", "×": "x", "≤": "<=", "≥": ">=", **dict.fromkeys("┌┐└┘┬┴┤├┼", "+")}
)


def fitted(text: str, encoding: str | None) -> str:
    """A text of ours with nothing in it that an encoding lacks: `≤ 0.75 %` becomes `<= 0.75 %` for ASCII."""
    return text if carries(encoding, text) else text.translate(TO_ASCII)


def carries(encoding: str | None, text: str) -> bool:
    """Whether an encoding has all characters of a text."""
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
