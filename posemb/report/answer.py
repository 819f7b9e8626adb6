"""What a comparison answers, in plain words: who learned, who holds how far, and what so few seeds can show."""

from posemb.report.cells import listed
from posemb.report.comparison import Comparison
from posemb.report.group import tasks
from posemb.report.reached import horizons
from posemb.report.verdict import here, verdict


def question(comparison: Comparison) -> str:
    """What was asked, where nobody said it: which of the groups does best."""
    names = [group.label for group in comparison.groups]
    if not names:
        return f"What happens on {comparison.title} past the length it was trained on?"
    if len(tasks(comparison.groups)) > 1:
        return f"What happens on {comparison.title} past the length each was trained on?"
    if len(names) == 1:
        return f"What does {names[0]} do on {comparison.title}, and what happens past the length it was trained on?"
    which = f"Which of {listed(names)}" if len(names) <= 8 else f"Which of these {len(names)}"
    return f"{which} does best on {comparison.title}, and what happens past the length it was trained on?"


def answer(comparison: Comparison) -> list[str]:
    """The answer in a few paragraphs, each sentence from the figures; nothing that they do not show."""
    said = [_bits(comparison)] if is_text(comparison) else [_learned(comparison), horizons(comparison)]
    return [paragraph for paragraph in (*said, verdict(comparison)) if paragraph]


def is_text(comparison: Comparison) -> bool:
    """Whether figures are bits per character: lower is better, and nothing can be right."""
    return comparison.figure == "bits per character"


def _learned(comparison: Comparison) -> str:
    """Who learned the task in distribution, with how many seeds; who did, first."""
    alike: dict[tuple[int, int], list[str]] = {}
    for group in comparison.groups:
        if group.known:
            alike.setdefault(group.success, []).append(group.label)
    unknown = [group.label for group in comparison.groups if not group.known]
    if not comparison.groups:
        return "No run has been completed, so there is nothing to answer with yet."
    if not alike:
        return f"Whether any run learned {comparison.title} is not known: nothing was evaluated up to the trained size."
    if not any(learned for learned, _ in alike):
        none = "No run is known to have learned" if unknown else "No run learned"
        return (
            f"{none} {comparison.title} at the lengths it was trained on, so what happens past them says "
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
    if unknown:
        said.append(f"of {listed(unknown)} it is not known, as nothing was evaluated up to the trained size")
    return "; ".join(said) + "." + (left if any(learned < of for learned, of in alike) else "")


def _with(learned: int, of: int, first: bool, several: bool) -> str:
    verb = "learned the task " if first else ""
    if of == 1:
        only = "their only seed" if several else "its only seed"
        return f"{verb}with {only}" if learned else f"not with {only}"
    return verb + (f"with all {of} seeds" if learned == of else f"with {learned or 'none'} of {of} seeds")


def _bits(comparison: Comparison) -> str:
    known = sorted((group.area.median, group.label) for group in comparison.groups if group.area.median is not None)
    if not known:
        return "No run has figures at every window past the trained one, so there is nothing to answer with yet."
    shares = [f"{bits:.3f} for {label}" for bits, label in known]
    (least, first), *others = known
    best = ""
    if others and others[0][0] > least:
        best = f" {here(comparison, [first])}{first} needs the fewest."
    mean = "Bits per character from the trained window on, in the mean over the logarithm of length"
    return f"{mean}: {listed(shares)}.{best}"
