"""Which runs take part in a comparison, and what must be said about the others."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from posemb.errors import UsageError
from posemb.report.group import is_text
from posemb.report.grouping import Bundle, Member, bundled, shown, some


def admitted(every: Sequence[Member]) -> tuple[list[Member], list[str]]:
    """The completed runs, each config once; sentences about those left out, and about what differs around the rest."""
    finished = [one for one in every if one.document["state"] == "completed" and one.document["curve"]]
    states = Counter(
        "without a curve" if one.document["state"] == "completed" else one.document["state"]
        for one in every
        if one not in finished
    )
    notes = []
    if states:
        many = sum(states.values())
        told = ", ".join(f"{count} {state}" for state, count in states.items())
        notes.append(f"{many} {'run is' if many == 1 else 'runs are'} left out, not completed: {told}.")
    once, again = first_of_each(finished, lambda one: tuple((key, one.value(key)) for key in sorted(one.settings)))
    return once, [*notes, *repeated(again), *_circumstances(once)]


def first_of_each(members: Sequence[Member], tell: Any) -> tuple[list[Member], list[Member]]:
    """Of the members that `tell` calls equal the one that finished first, in the order given; and the others."""
    first: dict[Any, Member] = {}
    for member in sorted(members, key=lambda one: one.manifest.get("finished") or ""):
        first.setdefault(tell(member), member)
    kept = {id(member) for member in first.values()}
    return [one for one in members if id(one) in kept], [one for one in members if id(one) not in kept]


def repeated(members: Sequence[Member]) -> list[str]:
    """A sentence about runs whose seed is already there; none for none."""
    if not members:
        return []
    names = some([str(one.document["run"]) for one in members], 2)
    verb, their = ("repeats", "its") if len(members) == 1 else ("repeat", "their")
    return [f"{names} {verb} a seed of {their} group, which counts once: left out."]


def once_per_seed(bundle: Bundle) -> tuple[Bundle, list[str]]:
    """A bundle without runs that were trained alike and only evaluated otherwise: one model is not two seeds."""

    def training(one: Member) -> tuple[tuple[str, str], ...]:
        return tuple((key, one.value(key)) for key in sorted(one.settings) if not key.startswith("eval."))

    once, again = first_of_each(bundle.members, training)
    return Bundle(bundle.label, bundle.keys, once), repeated(again)


def without_runs(
    every: Sequence[Member], bundles: Sequence[Bundle], by: Sequence[str], order: Mapping[str, Sequence[str]] | None
) -> list[str]:
    """A sentence about groups of which no run is completed; none for none."""
    there = {bundle.label for bundle in bundles}
    empty = [bundle.label for bundle in bundled(every, by, order=order) if bundle.label not in there]
    return [f"No run of {some(empty, 6)} is completed."] if empty else []


def check_measure(members: Iterable[Member], measure: str) -> None:
    """Text has no right answers, so it shares no figure with other tasks.

    Raises:
        UsageError: text stands beside tasks with answers, or is measured like them.
    """
    kinds = {is_text(one.document) for one in members}
    if len(kinds) > 1:
        raise UsageError("Text is measured in bits per character, other tasks in exact match: compare them apart.")
    if kinds == {True} and measure != "area":
        raise UsageError(f"--measure {measure}: nothing is asked in a text, so nothing can be right. Use area.")


def _circumstances(members: Sequence[Member]) -> list[str]:
    """What differs around the runs: it should not matter, and a reader may want to know."""
    ways: dict[str, list[Any]] = {
        "device": [one.document["device"] for one in members],
        "threads": [one.document["threads"] for one in members],
        "commit": [((one.manifest.get("git") or {}).get("commit") or "none")[:9] for one in members],
    }
    for package in dict.fromkeys(name for one in members for name in one.manifest.get("versions", {})):
        ways[package] = [one.manifest.get("versions", {}).get(package) for one in members]
    notes = []
    for name, values in ways.items():
        often = Counter(shown(value) for value in values)
        if len(often) > 1:
            told = some([f"{value} in {count}" for value, count in often.most_common()], 4)
            notes.append(f"{name} differs between runs: {told}.")
    return notes
