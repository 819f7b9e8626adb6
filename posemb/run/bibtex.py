"""Works as BibTeX. In ASCII: accents and signs that TeX reads otherwise are written in its own way."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

# Signs that TeX reads as commands, and letters that are no letter with an accent.
SIGNS = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
SIGNS |= {"{": r"\textbraceleft{}", "}": r"\textbraceright{}", **{sign: f"\\{sign}" for sign in "&%$#_"}}
LETTERS = {"ß": r"{\ss}", "ø": r"{\o}", "Ø": r"{\O}", "ł": r"{\l}", "Ł": r"{\L}", "æ": r"{\ae}", "Æ": r"{\AE}"}
LETTERS |= {"œ": r"{\oe}", "ı": r"{\i}", "–": "--", "—": "---", "’": "'", "‘": "`", "“": "``", "”": "''"}
# Combining accents, as TeX names them.
ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": "."}
ACCENTS |= {"\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0328": "k"}

SMALL_WORDS = {"a", "an", "the", "on", "of", "in", "do", "is", "are"}  # never the word of a key


@dataclass(frozen=True)
class Work:
    """A paper, a post, a program.

    Attributes:
        authors: family names, as far as they are told.
        others: whether there are more.
        year: of publication.
        title: None where nobody told it.
        arxiv: its id there, or None.
        url: where it is, if not there.
    """

    authors: tuple[str, ...]
    others: bool
    year: int
    title: str | None = None
    arxiv: str | None = None
    url: str | None = None

    @property
    def identity(self) -> Any:
        """What two mentions of one work share."""
        return self.arxiv or self.url or (self.authors, self.year, self.title)

    @property
    def key(self) -> str:
        """`su2021roformer`: first author, year, first word of weight in the title."""
        words = [word for word in re.split(r"[^a-z0-9]+", _plain(self.title or "")) if word]
        first = next((word for word in words if word not in SMALL_WORDS), "")
        return re.sub(r"[^a-z0-9]", "", _plain(self.authors[0])) + f"{self.year}{first}"

    @property
    def fields(self) -> dict[str, str]:
        """The fields of its entry, escaped. The title stands in double braces, so that styles keep its capitals."""
        names = [*map(escaped, self.authors), *(["others"] if self.others else [])]
        fields = {"author": " and ".join(names), "year": str(self.year)}
        if self.title:
            fields["title"] = f"{{{escaped(self.title)}}}"
        if self.arxiv:
            fields |= {"eprint": self.arxiv, "archivePrefix": "arXiv", "url": f"https://arxiv.org/abs/{self.arxiv}"}
        elif self.url:
            fields["url"] = self.url  # read as it stands by the packages that print it
        return fields


@dataclass(frozen=True)
class Entry:
    """One entry of a bibliography.

    Attributes:
        kind: `misc` or `software`.
        key: what a text cites it by.
        fields: their values without the outer braces, escaped.
        cited_by: which methods, id schemes and tasks name the work.
    """

    kind: str
    key: str
    fields: Mapping[str, str]
    cited_by: Sequence[str] = field(default_factory=tuple)

    def __str__(self) -> str:
        """The entry, under a comment that says for whom it is."""
        said = [f"% {'; '.join(self.cited_by)}"] if self.cited_by else []
        lines = [f"  {name} = {{{value}}}," for name, value in self.fields.items()]
        return "\n".join([*said, f"@{self.kind}{{{self.key},", *lines, "}"])


def entries(works: Mapping[Work, Sequence[str]]) -> list[Entry]:
    """An entry for each work and who cites it, sorted by key; of two works with one key the second gets a `b`."""
    taken: dict[str, int] = {}
    made = []
    for work in sorted(works, key=lambda work: (work.key, work.title or "", str(work.identity))):
        taken[work.key] = taken.get(work.key, 0) + 1
        letter = "" if taken[work.key] == 1 else chr(ord("a") + taken[work.key] - 1)
        made.append(Entry("misc", work.key + letter, work.fields, tuple(sorted(works[work]))))
    return made


def escaped(text: str) -> str:
    """Text as TeX writes it, in ASCII; what it has no name for here stays as it is (UTF-8)."""
    drawn: list[str] = []
    for character in normalize("NFD", text):
        if character in ACCENTS and drawn:
            letter = {"i": r"\i", "j": r"\j"}.get(drawn[-1], drawn[-1])
            drawn[-1] = f"{{\\{ACCENTS[character]}{{{letter}}}}}"
        else:
            drawn.append(SIGNS.get(character) or LETTERS.get(character) or character)
    return normalize("NFC", "".join(drawn))


def _plain(text: str) -> str:
    """Lower case, without accents."""
    return normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
