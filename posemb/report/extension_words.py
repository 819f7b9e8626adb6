"""What extending a model came to, in plain words."""

from collections.abc import Sequence

from posemb.eval.horizon import RIGHT_ENOUGH, in_distribution
from posemb.report.cells import counted
from posemb.report.extension import Outcome, best, farther, farthest, hopeful
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
        steps = counted(tuned[0].tuned, "step")
        said = _held(tuned, plain, trained, f"after {steps} of fine-tuning")
        lines.append(said + _control(tuned, plain, trained))
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
    end = "the longest evaluated: try larger ones" if plain.cut_off else times
    return f"Plain, exact match stays at {ENOUGH} or above up to size {reached}, {end}."


def _held(found: Sequence[Outcome], plain: Outcome, trained: int, how: str) -> str:
    """Whether any of these forms holds farther than the plain one, and which farthest."""
    most, top = farthest([plain, *found], trained), hopeful(found, trained)
    perhaps = f"Perhaps farther: {top.label}, up to size {top.horizon.value:g} ({top.horizon.interval})."
    if most is plain:
        tried = f"{len(found)} {'was' if len(found) == 1 else 'were'} tried"
        if top.horizon.value > plain.horizon.value:
            return f"No form surely holds farther {how}; {tried}. {perhaps}"
        if plain.cut_off and (whole := sum(one.cut_off for one in found)):
            kept = f"{whole} of {len(found)} {'holds' if whole == 1 else 'hold'} at every evaluated size, as plain does"
            return f"Whether a form holds farther {how} is not known: {kept}."
        nearest = best(found, trained)
        reached = f"the best is {nearest.label}, up to size {nearest.horizon.value:g}"
        return f"No form holds farther {how}; {tried}, and {reached}."
    reach, before = most.horizon, plain.horizon
    text = f"Farthest {how}: {most.label}, up to size {reach.value:g}"
    text += ", the longest evaluated" if most.cut_off else ""
    times = farther(most, plain)
    if times is not None:
        about = "at least " if most.cut_off else ""
        text += f"; that is {about}{multiple(times.value)} times as far as plain ({times.interval})"
    if reach.low <= before.high:
        text += ". It may be chance: the intervals of L90 meet, and more examples (--count) would tell"
    same = sum(one.horizon == reach for one in found) - 1
    beyond = sum(one.horizon.value > before.value for one in found)
    verb = "holds" if beyond == 1 else "hold"
    text += f". {beyond} of {len(found)} {'form' if len(found) == 1 else 'forms'} {verb} farther than plain"
    text += f", {same} just as far as this one." if same else "."
    return f"{text} {perhaps}" if top.horizon.value > reach.value else text


def _control(tuned: Sequence[Outcome], plain: Outcome, trained: int) -> str:
    """How far the plain form holds after the same steps, so that a scaling is not praised for what the steps did."""
    controls = [one for one in tuned if one.scaling == plain.scaling and one.temperature == plain.temperature]
    if not controls:  # it diverged
        return ""
    most, control = farthest([plain, *tuned], trained), best(controls, trained)
    if most in controls:
        return " That is fine-tuning alone, without a scaling."
    just = " just as far," if most is not plain and control.horizon == most.horizon else ""
    return f" Plain after the same steps holds{just} up to size {control.horizon.value:g} ({control.horizon.interval})."
