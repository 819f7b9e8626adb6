from math import ceil, floor

import pytest

from posemb.eval.curve import wilson
from posemb.report.table import curve_table, percent
from tests.report.conftest import APE, EMPTY, TEXT, not_finite, result, row, text_row


def test_every_row_has_every_column() -> None:
    for document in (APE, TEXT):
        table = curve_table(document)
        assert len(table.rows) == len(document["curve"])
        assert all(len(line) == len(table.columns) for line in table.rows)
    assert curve_table(EMPTY).rows == []


def test_nothing_right_is_an_upper_bound() -> None:
    low, high = wilson(0, 512)
    line = dict(zip(*cells(row(40, 0.0) | {"low": low, "high": high}), strict=True))
    assert line["exact match"] == "≤ 0.75 %"
    assert line["95 % interval"] == "0 to 0.75"
    assert line["× L"] == "2"


def test_all_right_has_its_interval() -> None:
    low, high = wilson(512, 512)
    line = dict(zip(*cells(row(21, 1.0) | {"low": low, "high": high}), strict=True))
    assert (line["exact match"], line["95 % interval"], line["× L"]) == ("100 %", "99.2 to 100", "1.05")


def test_what_cannot_be_represented_has_no_figures() -> None:
    line = dict(zip(*cells(row(100, None)), strict=True))
    assert {line[name] for name in ("exact match", "95 % interval", "tokens", "loss", "entropy")} == {"–"}
    assert line["status"] == "cannot represent"


def test_what_is_not_finite_has_no_figures_and_says_so() -> None:
    line = dict(zip(*cells(not_finite(row(30, 1.0))), strict=True))
    assert {line[name] for name in ("exact match", "95 % interval", "tokens", "loss", "entropy")} == {"–"}
    assert line["status"] == "not finite"
    line = dict(zip(*cells(not_finite(text_row(64, "sliding", 2.0))), strict=True))
    assert (line["bits per character"], line["status"]) == ("–", "not finite")


def cells(one: dict[str, object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    table = curve_table(result("rope", [one]))
    return table.columns, table.rows[0]


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        *((None, "–"), (0.0, "0 %"), (1.0, "100 %"), (0.5, "50.0 %"), (0.0375, "3.8 %"), (0.0015, "0.15 %")),
        *((1e-9, "< 0.01 %"), (0.9996, "> 99.9 %"), (0.999, "99.9 %")),
    ],
)
def test_per_cent(share: float | None, shown: str) -> None:
    assert percent(share) == shown


def test_per_cent_can_be_rounded_outwards() -> None:
    assert percent(0.12311, ceil) == "12.4 %"
    assert percent(0.12399, floor) == "12.3 %"
    assert percent(1e-9, floor) == "0 %"
    assert percent(0.99999, ceil) == "100 %"
