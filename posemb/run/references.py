"""The works that a method, an id scheme or a task comes from, as the `Source:` of its docstring names them.

A docstring is the one place. In it a work is `AUTHORS YEAR, "TITLE", arXiv:ID` (or a URL), where authors are
`Su et al.` or `Press, Smith & Lewis`; one of title and address may be missing. `With KEY=VALUE,VALUE: ` before it: it
is used where the option is set so; `With KEY: `, where KEY is set at all. `as in NAME`: the works of that option as
well. `None` at the beginning: there is no work to cite.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posemb.run.bibtex import Work
from posemb.run.catalog import Option, option
from posemb.run.compose import options

_NAME = r"(?:(?:da|de|del|den|der|di|la|le|van|von)[ ])*[^\W\d_][\w'’-]*"
_WORK = re.compile(
    rf"""(?:[Ww]ith[ ](?P<key>\w+)(?:=(?P<values>\w+(?:,\w+)*))?:[ ])?
    \b(?P<authors>{_NAME}(?:(?:,[ ]|[ ]&[ ]){_NAME})*)(?P<others>[ ]et[ ]al\.)?
    [ ](?P<year>[12]\d\d\d)(?=,[ ](?:"[^"]+"|arXiv:|https?://))
    (?:,[ ]"(?P<title>[^"]+)")?
    (?:,[ ]arXiv:(?P<arxiv>\d{{4}}\.\d{{4,5}}|[\w.-]+/\d{{7}}))?
    (?:,[ ](?P<url>https?://\S+?)(?=[.,;]?(?:\s|$)))?""",
    re.VERBOSE,
)
# What is part of a work, where it is left over once every work is taken out.
_LEFT = re.compile(r"\"|arxiv|https?:|\bdoi\b|\b(?:19|20)\d\d\b", re.IGNORECASE)


@dataclass(frozen=True)
class Reference:
    """A work that a docstring names, and the setting that it is for.

    Attributes:
        work: the work.
        key: the parameter that decides; None where it is for every setting.
        values: the values with which it is used; empty for any that is set.
    """

    work: Work
    key: str | None = None
    values: tuple[str, ...] = ()

    def used(self, settings: Mapping[str, Any]) -> bool:
        """Whether an option with these parameters uses it."""
        value = settings.get(self.key) if self.key else True
        return str(value) in self.values if self.values else bool(value)

    def usable(self, settings: Mapping[str, Any]) -> bool:
        """Whether an option that has these parameters could use it, set in another way."""
        return self.key is None or self.key in settings

    @property
    def where(self) -> str:
        """` with scaling=pi`, or nothing."""
        values = f"={','.join(self.values)}" if self.values else ""
        return "" if self.key is None else f" with {self.key}{values}"


def source(one: Option) -> str:
    """What an option's docstring says under `Source:`, in one line; empty where it says nothing."""
    found = re.search(r"^Source:\n((?:[ ]+\S.*(?:\n|$))+)", one.doc, re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


def references(one: Option, config_dir: Path | None = None) -> list[Reference]:
    """The works that an option's docstring names, in its order, then those of the options that it refers to."""
    return list(_references(one, config_dir, {one.target}))


def unread(one: Option, config_dir: Path | None = None) -> bool:
    """Whether an option's `Source:` is missing, or names a work in another form, or neither a work nor `None`."""
    told = source(one)
    if re.match(r"None\b", told):
        return False
    return not references(one, config_dir) or bool(_LEFT.search(_WORK.sub("", told)))


def _references(one: Option, config_dir: Path | None, seen: set[str]) -> Iterator[Reference]:
    told = source(one)
    for found in _WORK.finditer(told):
        authors = tuple(re.split(r", | & ", found["authors"]))
        work = Work(authors, bool(found["others"]), int(found["year"]), found["title"], found["arxiv"], found["url"])
        yield Reference(work, found["key"], tuple(found["values"].split(",")) if found["values"] else ())
    known = options(one.group, config_dir)
    named = [option(one.group, name, config_dir) for name in re.findall(r"\bas in (\w+)", told) if name in known]
    for other in named:
        if other.target not in seen:
            seen.add(other.target)
            yield from _references(other, config_dir, seen)
