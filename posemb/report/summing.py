"""Curves of one group's runs made into medians, intervals and the figures that sum a curve up."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from posemb.eval.horizon import RIGHT_ENOUGH, horizon, in_distribution
from posemb.report.area import area
from posemb.report.group import Group, Row, is_text
from posemb.report.grouping import Bundle
from posemb.report.series import CANNOT, NOT_FINITE, UNTRAINED, status
from posemb.report.statistics import estimates

HALF = 0.5  # the exact match that L50 asks for
HORIZONS = ("l90", "l50")
WORST_LAST = ("ok", UNTRAINED, NOT_FINITE, CANNOT)


def summed_up(bundle: Bundle, sizes: Collection[int], reach: tuple[float, float], everyone: bool = False) -> Group:
    """Sum a bundle of completed runs up.

    Args:
        bundle: the runs.
        sizes: the sizes to look at.
        reach: the multiples of the trained size where the area begins and ends.
        everyone: count runs that did not learn as well.
    """
    documents = [member.document for member in bundle.members]
    curves = [[row for row in one["curve"] if row["size"] in sizes] for one in documents]
    trained = [one["trained_size"] for one in documents]
    learned = [is_text(one) or (one["in_distribution"] or 0.0) >= RIGHT_ENOUGH for one in documents]
    counted = [one or everyone for one in learned]
    ways: dict[str, Callable[[Sequence[Mapping[str, Any]], int], float | None]] = {
        "in_distribution": in_distribution,
        "l90": lambda curve, _: horizon(curve, RIGHT_ENOUGH),
        "l50": lambda curve, _: horizon(curve, HALF),
        "area": lambda curve, size: area(curve, size, reach),
    }
    figures = [[way(*pair) for pair in zip(curves, trained, strict=True)] for way in ways.values()]
    each = [estimates([row], counted, stepped=name in HORIZONS)[0] for name, row in zip(ways, figures, strict=True)]
    measures = dict(zip(ways, each, strict=True))
    rows = _rows(curves, trained[0], counted)
    return Group(
        bundle.label, bundle.keys, documents, learned, rows, **measures,
        success=(sum(learned), len(learned)), versus=None, everyone=everyone,
    )  # fmt: skip


def _rows(curves: Sequence[Sequence[Mapping[str, Any]]], trained: int, counted: Sequence[bool]) -> list[Row]:
    """One row for each size and mode that every curve has."""
    found = [{(row["size"], row.get("mode")): row for row in curve} for curve in curves]
    places = sorted(set.intersection(*(set(one) for one in found)), key=lambda place: (place[0], place[1] or ""))
    columns = [[one[place] for one in found] for place in places]
    text = any(mode is not None for _, mode in places)
    figure = "bits_per_character" if text else "exact_match"
    values = [[row[figure] for row in column] for column in columns]
    return [
        Row(
            size=size,
            length=column[0]["length"],
            multiple=size / trained,
            mode=mode,
            estimate=estimate,
            chance=column[0].get("chance"),
            status=max((status(row) for row in column), key=WORST_LAST.index),
        )
        for (size, mode), column, estimate in zip(
            places, columns, estimates(values, counted, missing=None if text else 0.0), strict=True
        )
    ]
