"""What extending a model came to, in plain words."""

from collections.abc import Sequence

from posemb.eval.horizon import RIGHT_ENOUGH, in_distribution
from posemb.report.extension import Outcome, best, farther
from posemb.report.table import multiple

ENOUGH = f"{100 * RIGHT_ENOUGH:g} %"


def answer(found: Sequence[Outcome], trained: int) -> list[str]:
    """Which form extends the plain model, by how much, and what must be known to believe it. A sentence or two each.

    Args:
        found: the outcomes, the plain one first.
        trained: the trained size.
    """
    plain, *others = found
    lines = [_plain(plain, trained)]
    untuned = [one for one in others if not one.tuned]
    tuned = [one for one in others if one.tuned]
    lines += [_held(untuned, plain, trained, "with the trained weights")] if untuned else []
    if tuned:
        lines.append(_held(tuned, plain, trained, f"after {tuned[0].tuned} steps of fine-tuning"))
    if others:
        lines.append(
            "Oracle: what is best was picked by looking at evaluation data. To confirm it, try that one form on a run "
            "with another seed."
        )
    count = max(row["count"] for row in plain.rows)
    lines.append(f"Intervals are over {count} examples a size of one trained model; they say nothing of other seeds.")
    return lines


def _plain(plain: Outcome, trained: int) -> str:
    floor, reached = in_distribution(plain.rows, trained), int(plain.horizon.value)
    if floor is not None and floor < RIGHT_ENOUGH:
        return (
            f"The run did not learn its task: exact match is below {ENOUGH} within the trained size, {trained}. "
            "What a scaling does to it says little."
        )
    if not reached:
        return f"Plain, exact match is below {ENOUGH} at the smallest evaluated size."
    times = f"{multiple(reached / trained)} times the trained one"
    end = "the longest evaluated" if reached == plain.longest else times
    return f"Plain, exact match stays at {ENOUGH} or above up to size {reached}, {end}."


def _held(found: Sequence[Outcome], plain: Outcome, trained: int, how: str) -> str:
    """Whether any of these forms holds farther than the plain one, and which farthest."""
    most = best(found, trained)
    reach, before = most.horizon, plain.horizon
    top = max(found, key=lambda one: (one.horizon.value, one.horizon.low))
    perhaps = f"Perhaps farther: {top.label}, up to size {top.horizon.value:g} ({top.horizon.interval})."
    tried = f"{len(found)} {'was' if len(found) == 1 else 'were'} tried"
    if top.horizon.value <= before.value:
        why = " Plain holds at every size that was evaluated: try larger ones." if before.value == plain.longest else ""
        return f"No form holds farther {how}; {tried}, and the best is {most.label}, up to size {reach.value:g}.{why}"
    if reach.value <= before.value:
        return f"No form surely holds farther {how}; {tried}. {perhaps}"
    text = f"Farthest {how}: {most.label}, up to size {reach.value:g}"
    text += ", the longest evaluated" if reach.value == most.longest else ""
    times = farther(most, plain)
    if times is not None:
        about = "at least " if reach.value == most.longest else ""
        text += f"; that is {about}{multiple(times.value)} times as far as plain ({times.interval})"
    if reach.low <= (before.high or 0):
        text += ". It may be chance: the intervals of L90 meet, and more examples (--count) would tell"
    same = sum(one.horizon == reach for one in found) - 1
    beyond = sum(one.horizon.value > before.value for one in found)
    text += f". {beyond} of {len(found)} {'form holds' if len(found) == 1 else 'forms hold'} farther than plain"
    text += f", {same} just as far as this one." if same else "."
    return f"{text} {perhaps}" if top.horizon.value > reach.value else text
