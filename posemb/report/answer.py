"""What a comparison answers, in plain words: who learned, who holds how far, and what so few seeds can show."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from posemb.report.cells import bounded, nothing_right
from posemb.report.comparison import Comparison, Group, Row
from posemb.report.table import multiple
from posemb.report.verdict import verdict

SPELT = 4  # more figures than that are no sentence any more


def question(comparison: Comparison) -> str:
    """What was asked, where nobody said it: which of the groups does best."""
    names = [group.label for group in comparison.groups]
    if not names:
        return f"What happens on {comparison.title} past the length it was trained on?"
    if len(names) == 1:
        return f"What does {names[0]} do on {comparison.title}, and what happens past the length it was trained on?"
    which = f"Which of {listed(names)}" if len(names) <= 8 else f"Which of these {len(names)}"
    return f"{which} does best on {comparison.title}, and what happens past the length it was trained on?"


def answer(comparison: Comparison) -> list[str]:
    """The answer in a few paragraphs, each sentence from the figures; nothing that they do not show."""
    said = [_bits(comparison)] if is_text(comparison) else [_learned(comparison), _horizons(comparison)]
    return [paragraph for paragraph in (*said, verdict(comparison)) if paragraph]


def is_text(comparison: Comparison) -> bool:
    """Whether figures are bits per character: lower is better, and nothing can be right."""
    return comparison.figure == "bits per character"


def listed(words: Iterable[str]) -> str:
    """`a, b and c`."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _learned(comparison: Comparison) -> str:
    """Who learned the task in distribution, with how many seeds; who did, first."""
    alike: dict[tuple[int, int], list[str]] = {}
    for group in comparison.groups:
        alike.setdefault(group.success, []).append(group.label)
    if not alike:
        return "No run has been completed, so there is nothing to answer with yet."
    if not any(learned for learned, _ in alike):
        return (
            f"No run learned {comparison.title} at the lengths it was trained on, so what happens past them says "
            "little about any method."
        )
    ranked = sorted(alike.items(), key=lambda pair: -pair[0][0] / pair[0][1])
    said = [
        f"{listed(names)} {_with(*success, first=place == 0, several=len(names) > 1)}"
        for place, (success, names) in enumerate(ranked)
    ]
    left = " Runs that did not learn are shown, and left out of medians and tests."
    if any(group.everyone for group in comparison.groups):
        left = " Runs that did not learn count all the same, as was asked for."
    return "; ".join(said) + "." + (left if any(learned < of for learned, of in alike) else "")


def _with(learned: int, of: int, first: bool, several: bool) -> str:
    verb = "learned the task " if first else ""
    if of == 1:
        only = "their only seed" if several else "its only seed"
        return f"{verb}with {only}" if learned else f"not with {only}"
    return verb + (f"with all {of} seeds" if learned == of else f"with {learned or 'none'} of {of} seeds")


def _horizons(comparison: Comparison) -> str:
    """How far each group holds, the farthest first, and what is left of it at the longest size."""
    known = [group for group in comparison.groups if group.l90.median is not None]
    if not known:
        return ""
    known.sort(key=lambda group: -_known(group.l90.median))
    alike = [
        (_holds(comparison, horizon), [group.label for group in groups])
        for horizon, groups in groupby(known, key=lambda group: _known(group.l90.median))
    ]
    (how, best), *others = alike
    right = "exact match stays at 90 % or above"
    if len(comparison.groups) == 1 or len(known) == 1:
        said = f"{listed(best)} holds {how}: so far {right}"
    elif not others:
        said = f"{listed(best)} hold equally far: {right} {how}"
    else:
        said = f"{listed(best)} {'holds' if len(best) == 1 else 'hold'} farthest: {right} {how}"
    said += "".join(f"; {listed(names)}: {how}" for how, names in others)
    over = " (medians over seeds)" if any(group.success[0] > 1 for group in known) else ""
    return f"{said}{over}. {_at_the_end(comparison, known)}".strip()


def _holds(comparison: Comparison, horizon: float) -> str:
    trained, longest = comparison.trained_sizes, max(_sizes(comparison))
    if horizon >= longest:
        return f"up to size {horizon:g}, the longest evaluated"
    if len(trained) > 1 or not trained:
        return f"up to size {horizon:g}"
    if horizon > trained[0]:
        return f"up to size {horizon:g}, {multiple(horizon / trained[0])} times the trained one"
    if horizon == trained[0]:
        return f"no farther than the trained size, {trained[0]}"
    return f"up to size {horizon:g}, short of the trained one, {trained[0]}" if horizon else "at no size"


def _at_the_end(comparison: Comparison, groups: Sequence[Group]) -> str:
    longest = max(_sizes(comparison))
    # A horizon at the longest size has said it all.
    left = [group for group in groups if _known(group.l90.median) < longest]
    at = [
        (group, row) for group in left for row in group.rows if row.size == longest and row.estimate.median is not None
    ]
    if not at:
        return ""
    chance = at[0][1].chance
    guess = f"; a guess is right in {100 * chance:.2g} %" if chance is not None and chance > 0.0005 else ""
    if len(at) > SPELT:
        who = "all" if len(left) == len(groups) else "the others"
        who += "" if len(at) == len(left) else " that have figures there"
        return f"At size {longest} it is {_at_most(at)} for {who}{guess}."
    return f"At size {longest} it is {listed(f'{bounded(*one)} for {one[0].label}' for one in at)}{guess}."


def _at_most(at: Sequence[tuple[Group, Row]]) -> str:
    """The largest of some medians of exact match, as a bound of all: `at most 50.0 %`, `≤ 0.75 %`."""
    said = bounded(*max(at, key=lambda one: (_known(one[1].estimate.median), nothing_right(*one) or 0.0)))
    return said if said.startswith("≤") else f"at most {said}"


def _bits(comparison: Comparison) -> str:
    known = [group for group in comparison.groups if group.area.median is not None]
    if not known:
        return "No run has figures at every window past the trained one, so there is nothing to answer with yet."
    known.sort(key=lambda group: _known(group.area.median))
    shares = [f"{_known(group.area.median):.3f} for {group.label}" for group in known]
    best = f" {known[0].label} needs the fewest." if len(known) > 1 else ""
    mean = "Bits per character from the trained window on, in the mean over the logarithm of length"
    return f"{mean}: {listed(shares)}.{best}"


def _sizes(comparison: Comparison) -> set[int]:
    return {row.size for group in comparison.groups for row in group.rows} or {0}


def _known(value: float | None) -> float:
    assert value is not None
    return value
