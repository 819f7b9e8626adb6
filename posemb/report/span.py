"""The sizes that all runs of a comparison have, so that like is compared with like."""

from collections.abc import Sequence

from posemb.errors import UsageError
from posemb.report.grouping import Bundle


def common_sizes(bundles: Sequence[Bundle]) -> tuple[list[set[int]], float, list[str]]:
    """For each bundle the sizes to look at, how far the area goes (times L), and what must be said about it.

    Where all were trained up to the same size, only sizes that every run has are used; otherwise those that all runs of
    one bundle have, as far out, in multiples of the trained size, as all bundles reach.

    Raises:
        UsageError: there is no such size.
    """
    curves = [[{row["size"] for row in member.document["curve"]} for member in one.members] for one in bundles]
    trained = [one.members[0].document["trained_size"] for one in bundles]
    sizes = [set.intersection(*some) for some in curves]
    if len(set(trained)) == 1:
        sizes = [set.intersection(*sizes)] * len(bundles)
    if not all(sizes):
        raise UsageError("There is no size at which all of these runs were evaluated. Compare fewer of them.")
    notes = []
    if any(one != kept for some, kept in zip(curves, sizes, strict=True) for one in some):
        notes.append("The runs were evaluated at different sizes; only those that all have are used.")
    furthest = min(max(some) / size for some, size in zip(sizes, trained, strict=True))
    if len(set(trained)) > 1:
        notes.append(f"The trained sizes differ; the area goes to {furthest:.3g} times each.")
    return sizes, furthest, notes
