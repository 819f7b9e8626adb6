"""The sizes that all runs of a comparison have, so that like is compared with like."""

from collections.abc import Sequence

from posemb.errors import UsageError
from posemb.report.grouping import Bundle, some


def common_sizes(bundles: Sequence[Bundle]) -> tuple[list[set[int]], tuple[float, float], list[str]]:
    """For each bundle the sizes to look at, where the area begins and ends (times L), and what must be said about it.

    Where all were trained up to the same size, only sizes that every run has are used; otherwise those that all runs of
    one bundle have. The area spans the same multiples of the trained size in all bundles: from 1, or where the last of
    them begins, to where the first of them ends. In a bundle that was not evaluated right there its curve is
    interpolated (`posemb.report.area`).

    Raises:
        UsageError: there is no such size, or the runs of one bundle were not trained up to the same one.
    """
    trained = [_trained(one) for one in bundles]
    curves = [[{row["size"] for row in member.document["curve"]} for member in one.members] for one in bundles]
    sizes = [set.intersection(*every) for every in curves]
    if len(set(trained)) == 1:
        sizes = [set.intersection(*sizes)] * len(bundles)
    if not all(sizes):
        raise UsageError("There is no size at which all of these runs were evaluated. Compare fewer of them.")
    notes = []
    if any(one != kept for every, kept in zip(curves, sizes, strict=True) for one in every):
        notes.append("The runs were evaluated at different sizes; only those that all have are used.")
    multiples = [{size / of for size in kept} for kept, of in zip(sizes, trained, strict=True)]
    reach = max(1.0, *map(min, multiples)), min(map(max, multiples))
    return sizes, reach, notes + _ends(multiples, reach, alike=len(set(trained)) == 1)


def _ends(multiples: Sequence[set[float]], reach: tuple[float, float], alike: bool) -> list[str]:
    """A sentence about where the area begins and ends, if that goes without saying for none but the runs at hand."""
    begin, end = reach
    if begin >= end:
        return []
    between = not all(set(reach) <= kept for kept in multiples)
    if not alike:
        start = "" if begin == 1 else f"from {begin:.3g} "
        how = ", on a straight line where that is no evaluated size" if between else ""
        return [f"The trained sizes differ; the area goes {start}to {end:.3g} times each{how}."]
    if between:
        return ["The trained size was not evaluated: the area begins there, on a straight line between its neighbours."]
    if begin > 1:
        return [f"The area begins at {begin:.3g} times the trained size: nothing nearer was evaluated."]
    return []


def _trained(bundle: Bundle) -> int:
    """The one size that the runs of a bundle were trained up to.

    Raises:
        UsageError: there are several.
    """
    found = sorted({member.document["trained_size"] for member in bundle.members})
    if len(found) > 1:
        by = ",".join([*bundle.keys, "train.size"])
        raise UsageError(
            f"train.size: {some(list(map(str, found)))} within {bundle.label}. One group needs one trained size: "
            f"areas and horizons are read against it.\nTo compare the sizes: --group-by {by}. "
            f"To keep to one: add train.size={found[-1]}."
        )
    return int(found[0])
