"""Groups against a baseline, seed by seed."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import mean

from posemb.errors import UsageError
from posemb.report.effect import mean_difference
from posemb.report.group import Document, Group, Versus, tasks
from posemb.report.statistics import holm, least_p, sign_flip


def against_baseline(groups: Sequence[Group], measure: str, baseline: str | None) -> tuple[list[Group], str | None]:
    """Test every comparable group against one of them.

    Two groups are paired by data seed: the same strings in the same order. Where a group has several runs of one data
    seed, their mean stands for it, so that no pair is counted twice.

    Args:
        groups: all of them.
        measure: the figure to test.
        baseline: a label; None takes the first comparable group.

    Returns:
        The groups with their tests, and the label of the baseline; None where nothing can be tested.

    Raises:
        UsageError: there is no group of that label.
    """
    labels = [group.label for group in groups]
    if groups and baseline is not None and baseline not in labels:
        from difflib import get_close_matches

        near = get_close_matches(baseline, labels, n=3)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"Groups: {', '.join(labels)}."
        raise UsageError(f"--baseline {baseline}: no group of that name. {hint}")
    base = next((one for one in groups if one.comparable and baseline in (None, one.label)), None)
    if base is None or len(groups) < 2:
        return list(groups), None
    tested = {one.label: _versus(one, base, measure) for one in groups if one is not base and one.comparable}
    known = {label: one.p for label, one in tested.items() if one.p is not None}
    adjusted = dict(zip(known, holm(list(known.values())), strict=True))
    with_tests = [
        replace(
            one, versus=replace(tested[one.label], adjusted=adjusted.get(one.label)) if one.label in tested else None
        )
        for one in groups
    ]
    return with_tests, base.label


def _versus(group: Group, base: Group, measure: str) -> Versus:
    ours, theirs = (_by_data_seed(one, measure) for one in (group, base))
    # The same number draws other examples in another task, so such runs are no pair.
    shared = [] if tasks([group]) != tasks([base]) else [seed for seed in ours if seed in theirs]
    differences = [ours[seed] - theirs[seed] for seed in shared]
    many = len(differences)
    return Versus(
        difference=mean_difference(differences),
        pairs=many,
        p=sign_flip(differences) if many else None,
        adjusted=None,
        least=least_p(many) if many else None,
        why=None if many else _why_not(group, base, measure),
    )


def _why_not(group: Group, base: Group, measure: str) -> str:
    """Why two groups have no pair, to be read after a colon."""
    if tasks([group]) != tasks([base]):
        return f"another task than that of {base.label}"
    every, counted = (
        set.intersection(*({data_seed(one) for one in some(side)} for side in (group, base)))
        for some in (lambda side: side.documents, _counted)
    )
    if not every:
        return f"no data seed in common with {base.label}"
    if not counted:
        return f"no data seed in common with {base.label} with which both learned the task"
    if measure == "area":
        return f"no figures past the trained size in common with {base.label}"
    return f"no {measure.replace('_', ' ')} to hold against that of {base.label}"


def _counted(group: Group) -> list[Document]:
    return [document for document, counts in zip(group.documents, group.counted, strict=True) if counts]


def data_seed(document: Document) -> int:
    """The seed that a run's examples are drawn from."""
    seed = document["seed"]
    return int(seed if isinstance(seed, int) else seed["data"])


def _by_data_seed(group: Group, measure: str) -> dict[int, float]:
    """The measure of the runs that count, by data seed."""
    found: dict[int, list[float]] = {}
    for document, value, counts in zip(group.documents, group.measure(measure).values, group.counted, strict=True):
        if counts and value is not None:
            found.setdefault(data_seed(document), []).append(value)
    return {seed: mean(values) for seed, values in sorted(found.items())}
