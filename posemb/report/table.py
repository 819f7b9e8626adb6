"""A curve as rows of words, for whoever renders them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

from posemb.report.series import status

NOTHING = "–"


@dataclass(frozen=True)
class Table:
    """Words in columns; all but the last column are best set to the right."""

    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]


def curve_table(document: Mapping[str, Any]) -> Table:
    """The curve of a run, one row for each size (text: and mode). `× L` is the size over the trained size.

    Args:
        document: a run's document; its `curve` may be empty.
    """
    trained, rows = document["trained_size"], document["curve"]
    if any("mode" in row for row in rows):
        text_columns = ("window", "× L", "mode", "bits per character", "loss", "entropy", "characters", "status")
        return Table(text_columns, [_text_row(row, trained) for row in rows])
    columns = ("size", "length", "× L", "exact match", "95 % interval", "tokens", "loss", "entropy", "chance", "status")
    return Table(columns, [_answer_row(row, trained) for row in rows])


def _answer_row(row: Mapping[str, Any], trained: int) -> tuple[str, ...]:
    return (
        str(row["size"]),
        str(row["length"]),
        multiple(row["size"] / trained),
        exact_match(row),
        interval(row),
        percent(row["token_accuracy"]),
        number(row["loss"]),
        number(row["entropy"]),
        percent(row["chance"]),
        status(row),
    )


def _text_row(row: Mapping[str, Any], trained: int) -> tuple[str, ...]:
    return (
        str(row["size"]),
        multiple(row["size"] / trained),
        row["mode"],
        number(row["bits_per_character"]),
        number(row["loss"]),
        number(row["entropy"]),
        str(row["scored_tokens"]),
        status(row),
    )


def exact_match(row: Mapping[str, Any]) -> str:
    """Exact match in per cent. Nothing right is an upper bound, not a zero: 0 of 512 is `≤ 0.75 %`."""
    if row["exact_match"] == 0 and row["high"] is not None:
        return f"≤ {percent(row['high'], ceil)}"
    return percent(row["exact_match"])


def interval(row: Mapping[str, Any]) -> str:
    """The 95 % Wilson interval of exact match, in per cent, rounded outwards."""
    if row["low"] is None or row["high"] is None:
        return NOTHING
    return f"{percent(row['low'], floor)} to {percent(row['high'], ceil)}".replace(" %", "")


def percent(share: float | None, to: Callable[[float], float] = round) -> str:
    """A share in per cent: two decimals below one per cent, else one. Only what is all or nothing has none.

    Args:
        share: 0 to 1, or None.
        to: how to round.
    """
    if share is None:
        return NOTHING
    # Rounding errors leave the ends of an interval a hair off 0 and 1.
    if share <= 0 or share > 1 - 1e-12:
        return "0 %" if share <= 0 else "100 %"
    places = 2 if share < 0.01 else 1
    least = 10.0**-places
    shown = to(100 * share / least) * least
    if to is round and not 0 < shown < 100:  # 0.001 % is not 0 %, and 99.96 % is not 100 %
        return f"< {least:.{places}f} %" if shown == 0 else f"> {100 - least:.{places}f} %"
    return f"{shown:.{places}f} %" if 0 < shown < 100 else f"{round(shown)} %"


def number(value: float | None) -> str:
    """Three decimals."""
    return NOTHING if value is None else f"{value:.3f}"


def multiple(factor: float) -> str:
    """At most two decimals, no trailing zeros: 1, 1.05, 1.4."""
    return f"{factor:.2f}".rstrip("0").rstrip(".")
