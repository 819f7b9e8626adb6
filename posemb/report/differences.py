"""What differs between runs though nobody asked about it, and why they are then not compared."""

import shlex
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from posemb.errors import UsageError
from posemb.report.grouping import SEEDS, Bundle, Member, some

MOST = 3  # keys that a refusal spells out


def differences(bundles: Sequence[Bundle], by: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Every key that differs though nobody groups by it, seeds aside, with its values in words.

    What belongs to an option (`position.base`) and is the same for all runs with that option is no difference of its
    own: it comes with the option. Where runs are grouped by task, so does whatever has one value for each task: a task
    brings a recipe.

    Returns:
        What differs, and what follows the task.
    """
    members = [member for bundle in bundles for member in bundle.members]
    keys = dict.fromkeys(key for member in members for key in member.settings if key not in (*by, *SEEDS))
    found, following = {}, {}
    for key in keys:
        owner = key.partition(".")[0]
        if len({member.value(key) for member in members}) == 1 or (owner != key and _follows(key, owner, members)):
            continue
        if "task" in by and _follows(key, "task", members):
            following[key] = _by_task(key, members)
        else:
            found[key] = _words(key, bundles)
    return found, following


def _by_task(key: str, members: Sequence[Member]) -> str:
    """`20 for last, 16 for copy`."""
    values = {member.value("task"): member.value(key) for member in members}
    return ", ".join(f"{value} for {task}" for task, value in values.items())


def _follows(key: str, owner: str, members: Sequence[Member]) -> bool:
    """Whether `key` has one value for each value of the option that it belongs to."""
    if any(owner not in member.settings for member in members):
        return False
    pairs = {(member.value(owner), member.value(key)) for member in members}
    return len(pairs) == len({option for option, _ in pairs})


def _words(key: str, bundles: Sequence[Bundle]) -> str:
    """`64 in ape, 128 in rope and rpe`; where it differs inside a group, `20 and 700 within rope`."""
    for bundle in bundles:
        inside = list(dict.fromkeys(member.value(key) for member in bundle.members))
        if len(inside) > 1:
            return f"{some(inside)} within {bundle.label}"
    holders: dict[str, list[str]] = {}
    for bundle in bundles:
        holders.setdefault(bundle.members[0].value(key), []).append(bundle.label)
    return ", ".join(f"{value} in {some(labels)}" for value, labels in list(holders.items())[:4])


def refuse(found: Mapping[str, str], bundles: Sequence[Bundle], by: Sequence[str], allowed: Collection[str]) -> None:
    """Runs that differ in more than what they are grouped by would answer another question.

    Args:
        found: the differences.
        bundles: the runs.
        by: the keys that are grouped by.
        allowed: keys that may differ.

    Raises:
        UsageError: a key differs that may not.
    """
    keys = [key for key in found if key not in allowed]
    if not keys:
        return
    if "task" in keys:
        keys = ["task"]  # a task brings a recipe of its own: what else differs may follow from it
    lines = [f"{key}: {found[key]}" for key in keys[:MOST]]
    if len(keys) > MOST:
        lines.append(f"and {len(keys) - MOST} more: {some(keys[MOST:], 6)}")
    members = [member for bundle in bundles for member in bundle.members]
    raise UsageError(
        f"These runs differ in more than {some(by)} and their seeds:\n  "
        + "\n  ".join(lines)
        + f"\nTo compare that too: --group-by {','.join([*by, *keys])}"
        + f"\nTo keep to one value, add: {_filters(keys, members)}"
        + f"\nTo let it pass: --allow {','.join(keys)}"
    )


def _filters(keys: Sequence[str], members: Sequence[Member]) -> str:
    """Words that leave runs with one value of each key: those that most runs have together, quoted for a shell."""
    whole = [member for member in members if all(key in member.settings for key in keys)]
    if not whole:  # no filter asks for a key that is not there
        return "leave the other runs out"
    often = Counter(tuple(member.value(key) for key in keys) for member in whole).most_common(1)[0][0]
    return " ".join(shlex.quote(f"{key}={value}") for key, value in zip(keys, often, strict=True))
