"""Runs beside each other: groups over seeds, medians with intervals, and a paired test against a baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from posemb.errors import UsageError
from posemb.report.admission import admitted, check_measure, once_per_seed, without_runs
from posemb.report.caveats import caveats
from posemb.report.differences import differences, refuse
from posemb.report.group import MEASURES, Group, Row, Versus, is_text
from posemb.report.grouping import Bundle, Member, bundled, check_key, keys_by
from posemb.report.pairing import against_baseline
from posemb.report.span import common_sizes
from posemb.report.statistics import Estimate
from posemb.report.summing import summed_up

__all__ = ["MEASURES", "Comparison", "Estimate", "Group", "Row", "Versus", "compare"]


@dataclass(frozen=True)
class Comparison:
    """What came of comparing.

    Attributes:
        title: what is compared, for a heading: the task.
        figure: `exact match` or `bits per character`.
        by: the keys that are grouped by.
        groups: numbers ascending, words in the order of the documents, those that are left out included. Empty where no
            run is completed.
        baseline: label of the group that the others are tested against; None where there is nothing to test.
        measure: what is tested: one of `MEASURES`.
        trained: trained lengths in tokens, ascending.
        trained_sizes: the same as sizes of the task.
        reach: where the area begins and ends, as multiples of the trained size: the same for all groups.
        allowed: keys that differ and were let through.
        notes: what a reader must know, in sentences: runs left out, versions that differ, too few seeds.
    """

    title: str
    figure: str
    by: list[str]
    groups: list[Group]
    baseline: str | None
    measure: str
    trained: list[int]
    trained_sizes: list[int]
    reach: tuple[float, float]
    allowed: list[str]
    notes: list[str]


def compare(
    documents: Sequence[Mapping[str, Any]],
    settings: Sequence[Mapping[str, Any]],
    by: Sequence[str] | None = None,
    baseline: str | None = None,
    measure: str = "area",
    allow: Sequence[str] = (),
    include_unlearned: bool = False,
    manifests: Sequence[Mapping[str, Any]] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
) -> Comparison:
    """Group runs, sum each group up over its seeds, and test the groups against a baseline.

    Only completed runs count, each seed once. Medians, intervals and tests count the runs that learned in distribution.

    Args:
        documents: runs' documents.
        settings: their configs as flat mappings, in the same order.
        by: keys to group by; None takes those of `position` and `ids` that vary.
        baseline: label of the group to test against; None takes the first that is comparable.
        measure: what to test: area, l90, l50 or in_distribution.
        allow: keys that may differ within and between groups.
        include_unlearned: count runs that did not learn in distribution as well.
        manifests: the runs' manifests, in the same order: versions that differ become a note, and of two runs with one
            seed the one that finished first stays.
        order: for a key its words in the order of the groups; None, and words that are not there, as they appear.

    Raises:
        UsageError: there is nothing to compare, something differs that was not allowed, or a name is not known.
    """
    if not documents:
        raise UsageError("There are no runs to compare.")
    if measure not in MEASURES:
        raise UsageError(f"--measure {measure}: expected {', '.join(MEASURES[:-1])} or {MEASURES[-1]}.")
    every = _members(documents, settings, manifests)
    keys = keys_by(every, by)
    for key in allow:
        check_key("--allow", key, every)
    members, notes = admitted(every)
    bundles = bundled(members, keys, every, order)
    notes += without_runs(every, bundles, keys, order)
    found, following = differences(bundles, keys)
    refuse(found, bundles, keys, allow)
    check_measure(members, measure)
    notes += [f"{key} differs and was let through: {words}." for key, words in found.items()]
    notes += [f"{key} follows the task: {words}." for key, words in following.items()]
    summed, reach = _groups(bundles, include_unlearned, notes)
    groups, tested = against_baseline(summed, measure, baseline)
    notes += caveats(groups, tested, baseline)
    shown = [document for group in groups for document in group.documents]
    return Comparison(
        title=" and ".join(dict.fromkeys(member.document["task"] for member in members or every)),
        figure="bits per character" if any(map(is_text, shown)) else "exact match",
        by=keys,
        groups=groups,
        baseline=tested,
        measure=measure,
        trained=sorted({one["trained_length"] for one in shown}),
        trained_sizes=sorted({one["trained_size"] for one in shown}),
        reach=reach,
        allowed=list(found),
        notes=notes,
    )


def _groups(bundles: Sequence[Bundle], everyone: bool, notes: list[str]) -> tuple[list[Group], tuple[float, float]]:
    """The bundles summed up over the sizes that they share, and where the area begins and ends; adds to the notes."""
    if not bundles:
        return [], (1.0, 1.0)
    thinned = [once_per_seed(bundle) for bundle in bundles]
    sizes, reach, said = common_sizes([bundle for bundle, _ in thinned])
    notes += [*(note for _, some in thinned for note in some), *said]
    groups = [summed_up(bundle, some, reach, everyone) for (bundle, _), some in zip(thinned, sizes, strict=True)]
    return groups, reach


def _members(
    documents: Sequence[Mapping[str, Any]],
    settings: Sequence[Mapping[str, Any]],
    manifests: Sequence[Mapping[str, Any]] | None,
) -> list[Member]:
    """The runs; the digest of a text, which only a manifest knows, is a setting like others."""
    found = []
    for document, own, manifest in zip(documents, settings, manifests or [{}] * len(documents), strict=True):
        corpus = {"corpus": manifest["corpus"]} if manifest.get("corpus") else {}
        found.append(Member(document, {**own, **corpus}, manifest))
    return found
