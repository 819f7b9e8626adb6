"""How far each group holds, in words: between which two evaluated sizes its curve falls below L90's share."""

from collections.abc import Sequence
from dataclasses import dataclass

from posemb.eval.horizon import RIGHT_ENOUGH
from posemb.report.bound import bounded, nothing_right
from posemb.report.cells import listed
from posemb.report.comparison import Comparison, Group, Row
from posemb.report.group import tasks
from posemb.report.table import multiple
from posemb.report.verdict import here

SPELT = 4  # more figures than that are no sentence any more


@dataclass(frozen=True)
class _Reach:
    """How far groups hold.

    Attributes:
        size: up to which they do; an evaluated one, or 0.
        trained: their trained size.
        after: the next evaluated size; None where `size` is the longest one.
        shared: whether some run was evaluated at a longer size, which the others were not.
    """

    size: int
    trained: int
    after: int | None
    shared: bool


def horizons(comparison: Comparison) -> str:
    """How far each group holds, the farthest first, where it no longer does, and what is left at the longest size.

    L90 is an evaluated size, and where a curve falls between two of them nobody has looked. So the next one is named,
    with the figure there: groups that reach the same size may differ much at the next.
    """
    known = [group for group in comparison.groups if group.l90.median is not None]
    if not known:
        return ""
    known.sort(key=lambda group: -(group.l90.median or 0.0) / group.trained_size)
    alike: dict[_Reach, list[Group]] = {}
    for group in known:
        alike.setdefault(_reach(comparison, group), []).append(group)
    (farthest, best), *others = alike.items()
    names = [group.label for group in best]
    how, holds = _how(farthest, best, comparison), "holds" if len(best) == 1 else "hold"
    if others and _comparable(comparison, alike, farthest):
        said = f"{here(comparison, names)}{listed(names)} {holds} farthest: exact match stays at 90 % or above {how}"
    else:
        said = f"Exact match of {listed(names)} stays at 90 % or above {how}"
    said += "".join(f"; {_named(groups)}: {_how(reach, groups, comparison)}" for reach, groups in others)
    over = ", in the median over seeds" if any(group.success[0] > 1 for group in known) else ""
    return f"{said}{over}. {_at_the_end(known, alike)}".strip()


def _reach(comparison: Comparison, group: Group) -> _Reach:
    size, sizes = int(group.l90.median or 0), sorted({row.size for row in group.rows})
    like = [one for one in comparison.groups if one.trained_size == group.trained_size]
    longest = max(row["size"] for one in like for document in one.documents for row in document["curve"])
    after = next((one for one in sizes if one > size), None)
    return _Reach(size, group.trained_size, after, shared=longest > sizes[-1])


def _comparable(comparison: Comparison, alike: dict[_Reach, list[Group]], farthest: _Reach) -> bool:
    """Whether the farthest can be said to be so: of one task, and none of the others was followed to its end only."""
    return len(tasks(comparison.groups)) == 1 and not any(reach.after is None for reach in alike if reach != farthest)


def _how(reach: _Reach, groups: Sequence[Group], comparison: Comparison) -> str:
    """`up to size 40, 2 times the trained one (at the next evaluated size, 100: 25.0 %)`."""
    if not reach.size:
        far = "at no evaluated size"
    elif reach.size == reach.trained:
        far = f"up to the trained size, {reach.size}"
    elif reach.size < reach.trained:
        far = f"up to size {reach.size}, short of the trained one, {reach.trained}"
    elif reach.after is not None or len(comparison.trained_sizes) > 1:
        far = f"up to size {reach.size}, {multiple(reach.size / reach.trained)} times the trained one"
    else:
        far = f"up to size {reach.size}"
    if reach.after is None:
        return f"{far}, the longest {'that all were evaluated at' if reach.shared else 'evaluated'}"
    which = f"at the next evaluated size, {reach.after}" if reach.size else f"at the smallest, {reach.after}"
    return f"{far} ({which}: {_figures(_rows(groups, reach.after))})"


def _rows(groups: Sequence[Group], size: int) -> list[tuple[Group, Row]]:
    return [(group, row) for group in groups for row in group.rows if row.size == size]


def _figures(at: Sequence[tuple[Group, Row]]) -> str:
    """What some groups come to at one size: each of them, or from the worst to the best."""
    figures = [_figure(*one) for one in at]
    if len(set(figures)) == 1:
        return figures[0] + (" for each" if len(at) > 1 else "")
    if len(at) <= SPELT:
        return ", ".join(f"{figure} for {group.label}" for figure, (group, _) in zip(figures, at, strict=True))
    ranked = sorted((row.estimate.median or 0.0, place) for place, (_, row) in enumerate(at))
    return f"{figures[ranked[0][1]]} to {figures[ranked[-1][1]]}"


def _figure(group: Group, row: Row) -> str:
    """The median of a size past the horizon."""
    value, enough = row.estimate.median, f"{100 * RIGHT_ENOUGH:g} %"
    if value is None:
        return row.status
    if value < RIGHT_ENOUGH:  # 89.97 % would be written as 90.0 %
        return f"just below {enough}" if round(100 * value, 1) >= 100 * RIGHT_ENOUGH else bounded(group, row)
    # Half of an even number of seeds fall here, or others fell before and rose again.
    pairs = zip(group.l90.values, group.counted, strict=True)
    held = [(far or 0) >= row.size for far, counts in pairs if counts]
    return f"{bounded(group, row)}, but only {sum(held)} of {len(held)} seeds hold up to there"


def _named(groups: Sequence[Group]) -> str:
    return listed(group.label for group in groups)


def _at_the_end(known: Sequence[Group], alike: dict[_Reach, list[Group]]) -> str:
    """What is left at the longest size, of those of which that is not said yet."""
    longest = max(row.size for group in known for row in group.rows)
    left = [one for reach, groups in alike.items() for one in groups if reach.after not in (None, longest)]
    at = [(group, row) for group, row in _rows(left, longest) if row.estimate.median is not None]
    if not at:
        return ""
    chance = at[0][1].chance
    guess = f"; a guess is right in {100 * chance:.2g} %" if chance is not None and chance > 0.0005 else ""
    if len(at) > SPELT:
        who = "all" if len(at) == len(known) else f"these {len(at)}: {_named([group for group, _ in at])}"
        return f"At size {longest} it is {_at_most(at)} for {who}{guess}."
    return f"At size {longest} it is {listed(f'{bounded(*one)} for {one[0].label}' for one in at)}{guess}."


def _at_most(at: Sequence[tuple[Group, Row]]) -> str:
    """The largest of some medians of exact match, as a bound of all: `at most 50.0 %`, `≤ 0.75 %`."""
    said = bounded(*max(at, key=lambda one: (one[1].estimate.median or 0.0, nothing_right(*one) or 0.0)))
    return said if said.startswith("≤") else f"at most {said}"
