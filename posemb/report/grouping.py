"""Which runs are the same but for their seeds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from posemb.errors import UsageError
from posemb.labels import position_label, setting_words

SEEDS = ("seed.init", "seed.data")
METHOD = ("position", "ids")
ABSENT = "–"


@dataclass(frozen=True)
class Member:
    """One run.

    Attributes:
        document: what it came to.
        settings: its config as a flat mapping.
        manifest: how it was made; may be empty.
    """

    document: Mapping[str, Any]
    settings: Mapping[str, Any]
    manifest: Mapping[str, Any]

    @property
    def seed(self) -> tuple[int, int]:
        """Of its weights and of its data."""
        seed = self.document["seed"]
        return (seed, seed) if isinstance(seed, int) else (seed["init"], seed["data"])

    def value(self, key: str) -> str:
        """What a key is set to, for people; a dash where the run has no such key."""
        return shown(self.settings[key]) if key in self.settings else ABSENT


@dataclass(frozen=True)
class Bundle:
    """Runs with the same values of the keys that are grouped by."""

    label: str
    keys: dict[str, Any]
    members: list[Member]


def keys_by(members: Sequence[Member], by: Sequence[str] | None) -> list[str]:
    """The keys to group by: those named, else those of `position` and `ids` that vary, else `position`.

    Raises:
        UsageError: a key is none that any run has, or a seed.
    """
    if by is None:
        return [key for key in METHOD if len({member.value(key) for member in members}) > 1] or ["position"]
    for key in by:
        if key in SEEDS or key == "seed":
            raise UsageError(f"--group-by {key}: the seeds are what a group is summed up over. Group by other keys.")
        check_key("--group-by", key, members)
    return list(dict.fromkeys(by))


def check_key(option: str, key: str, members: Sequence[Member]) -> None:
    """A key that no run has is a typo.

    Raises:
        UsageError: no run has it.
    """
    known = list(dict.fromkeys(key for member in members for key in member.settings))
    if key not in known:
        from difflib import get_close_matches

        tails = {one.rpartition(".")[2]: one for one in reversed(known)}
        near = list(dict.fromkeys([tails.get(one, one) for one in get_close_matches(key, [*tails, *known], n=3)]))
        hint = f"Did you mean {' or '.join(near)}?" if near else "posemb runs --json lists the keys of every run."
        raise UsageError(f"{option} {key}: no run has such a key. {hint}")


def bundled(
    members: Sequence[Member],
    by: Sequence[str],
    every: Sequence[Member] = (),
    order: Mapping[str, Sequence[str]] | None = None,
) -> list[Bundle]:
    """The runs by the values of some keys: numbers ascending, words in the order in which they first appear.

    Args:
        members: the runs.
        by: the keys.
        every: runs among which to look for where a word first appears, those that are left out included.
        order: for a key the values that come before all others, in their order.
    """
    together: dict[tuple[str, ...], list[Member]] = {}
    for member in members:
        together.setdefault(tuple(member.value(key) for key in by), []).append(member)
    words = order or {}
    seen = [list(dict.fromkeys([*words.get(key, ()), *(one.value(key) for one in (*every, *members))])) for key in by]
    ranked = sorted(together, key=lambda values: [_rank(one, known) for one, known in zip(values, seen, strict=True)])
    return [
        Bundle(
            group_label(together[values], by),
            {key: together[values][0].settings.get(key) for key in by},
            sorted(together[values], key=lambda member: member.seed),
        )
        for values in ranked
    ]


def _rank(value: str, seen: Sequence[str]) -> tuple[bool, float]:
    try:
        return False, float(value)
    except ValueError:
        return True, seen.index(value)


def group_label(members: Sequence[Member], by: Sequence[str]) -> str:
    """What a group of such runs is called: `rope`, `rope width=64`, `width=64`. Methods come first."""
    methods = {position_label(member.document) for member in members}
    words, rest = [], list(by)
    if set(METHOD) & set(by) and len(methods) == 1:
        words, rest = [methods.pop()], [key for key in by if key not in METHOD]
    return " ".join([*words, *setting_words({key: members[0].value(key) for key in rest})])


def some(names: Sequence[str], most: int = 3) -> str:
    """`a`, `a and b`, `a, b, c and 4 more`."""
    shown_names = list(names[:most]) if len(names) <= most else [*names[:most], f"{len(names) - most} more"]
    return shown_names[0] if len(shown_names) == 1 else f"{', '.join(shown_names[:-1])} and {shown_names[-1]}"


def shown(value: Any) -> str:
    """A setting as a person would type it: true, null, 0.003, 10000, [5,30]. What differs is shown differently."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return f"[{','.join(map(shown, value))}]"
    return json.dumps(value).removesuffix(".0")
