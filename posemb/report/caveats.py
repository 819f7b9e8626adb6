"""What a reader must know before a figure is believed."""

from collections.abc import Sequence

from posemb.eval.horizon import RIGHT_ENOUGH
from posemb.report.group import Group
from posemb.report.grouping import some
from posemb.report.pairing import data_seed
from posemb.report.series import CANNOT, NOT_FINITE
from posemb.report.statistics import LEVEL, holm, least_p


def caveats(groups: Sequence[Group], tested: str | None, asked: str | None) -> list[str]:
    """Sentences about runs that did not learn, sizes without figures, too few seeds, a baseline that fell out.

    Args:
        groups: all of them, tested.
        tested: label of the baseline.
        asked: the label that the user asked for.
    """
    return [*_unlearned(groups), *_missing(groups), *_seeds(groups, tested), *_baseline(groups, tested, asked)]


def _unlearned(groups: Sequence[Group]) -> list[str]:
    """What "learned" means, and which groups are not comparable for it."""
    some_unlearned = [group for group in groups if group.success[0] < group.success[1]]
    if not some_unlearned:
        return []
    then = "Other runs are drawn, and do not count."
    if some_unlearned[0].everyone:
        then = "All count, as you asked: medians mix runs that learned the task with runs that did not."
    least = f"{100 * RIGHT_ENOUGH:g} %"
    notes = [f"Learned means: exact match of {least} or above at every evaluated size up to the trained one. {then}"]
    unknown = [group.label for group in some_unlearned if not group.known]
    if unknown:
        notes.append(
            f"{some(unknown, 6)}: whether it was learned is not known: nothing was evaluated up to the trained size."
        )
    aside = [group.label for group in some_unlearned if not group.comparable and group.label not in unknown]
    if aside:
        notes.append(f"{some(aside, 6)}: not comparable, as no run learned the task.")
    return notes


def _missing(groups: Sequence[Group]) -> list[str]:
    """Sizes without figures count as nothing right in the area. Text has no area then, and its table shows it."""
    notes = []
    for status in (CANNOT, NOT_FINITE):
        held = [group.label for group in groups if any(row.status == status and row.mode is None for row in group.rows)]
        if held:
            verb = "cannot be represented" if status == CANNOT else "gave no finite figures"
            notes.append(f"{some(held, 6)}: sizes that {verb} count 0 in the area, as no answer is given there.")
    return notes


def _seeds(groups: Sequence[Group], tested: str | None) -> list[str]:
    """Who has too few seeds for an interval or for the test, corrected as it is."""
    notes = []
    single = [group.label for group in groups if sum(group.counted) == 1]
    if single:
        few = [group for group in groups if group.label in single]
        advice = " and ".join(f"seed={seed}" for seed in _unused(few, groups))
        notes.append(f"{some(single, 6)}: one seed counts, so there is no interval. Train {advice} as well.")
    pairs = {group.label: group.versus.pairs for group in groups if group.versus is not None}
    for why, labels in untested(groups).items():
        notes.append(f"{some(labels, 6)}: {why}, so nothing is tested.")
    enough = {label: least_p(many) for label, many in pairs.items() if many}
    best = dict(zip(enough, holm(list(enough.values())), strict=True))
    short = [label for label in best if best[label] > LEVEL]
    # Where no group has enough, the answer says so at length.
    for label in short if len(short) < len(best) else []:
        called = "1 pair" if pairs[label] == 1 else f"{pairs[label]} pairs"
        notes.append(
            f"{label}: {called} of seeds with {tested}, so p cannot fall below {best[label]:g}, "
            f"and no difference can be shown at {LEVEL:g}."
        )
    return notes


def untested(groups: Sequence[Group]) -> dict[str, list[str]]:
    """Why groups have no pair with the baseline, and which ones."""
    found: dict[str, list[str]] = {}
    for group in groups:
        if group.versus is not None and group.versus.why is not None:
            found.setdefault(group.versus.why, []).append(group.label)
    return found


def _unused(few: Sequence[Group], groups: Sequence[Group]) -> list[int]:
    """Two seeds that none of a few groups has: such as others have, where there are any, for only those make pairs."""
    has = {data_seed(one) for group in few for one in group.documents}
    theirs = sorted({data_seed(one) for group in groups for one in group.documents} - has)
    seeds = dict.fromkeys([*theirs, *range(len(has) + 2)])
    return [seed for seed in seeds if seed not in has][:2]


def _baseline(groups: Sequence[Group], tested: str | None, asked: str | None) -> list[str]:
    if len(groups) < 2 or not any(group.comparable for group in groups):
        return []
    if tested is None:
        return [f"{asked} is not comparable, so nothing is tested against it."]
    return [] if asked or tested == groups[0].label else [f"The baseline is {tested}, the first that is comparable."]
