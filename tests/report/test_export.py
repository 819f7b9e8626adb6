import json
from pathlib import Path

import polars
import pytest

from posemb.errors import RunFolderError
from posemb.report.export import as_document, frames, save_all
from tests.report.groups import THREE, compared, run, text_run

MIXED = [*THREE, run("rope", 7, {10: 0.5, 20: 0.5, 40: None, 80: None})]


def test_the_document_is_plain_and_holds_every_seed():
    told = json.loads(json.dumps(as_document(compared(MIXED)), allow_nan=False))
    ape, rope, _ = told["groups"]
    assert rope["success"] == {"learned": 3, "completed": 4}
    assert [one["counts"] for one in rope["runs"]] == [True, True, True, False]
    assert [one["seed"] for one in rope["runs"]] == [0, 1, 2, 7]
    assert rope["rows"][-1]["estimate"]["values"] == [0.25, 0.26, 0.27, None]
    assert rope["versus"]["pairs"] == 3 and ape["versus"] is None
    assert told["baseline"] == "ape" and told["measure"] == "area"


def test_the_tables_hold_what_the_comparison_does():
    tables = frames(compared(MIXED))
    groups, curves, seeds = tables["groups"], tables["curves"], tables["seeds"]
    assert (len(groups), len(curves), len(seeds)) == (3, 12, 40)
    assert tables["runs"]["area"].to_list()[3:7] == compared(MIXED).groups[1].area.values
    rope = groups.row(by_predicate=polars.col("group") == "rope", named=True)
    assert (rope["learned"], rope["completed"], rope["l90"], rope["pairs"], rope["p"]) == (3, 4, 20, 3, 0.25)
    assert rope["difference_mean"] == pytest.approx(0.125) and rope["l90_low"] == rope["l90_high"] == 20.0
    counted = seeds.filter(polars.col("counts"))
    medians = counted.group_by("group", "size").agg(polars.col("value").median())
    both = curves.join(medians, on=["group", "size"])
    assert both["median"].to_list() == both["value"].to_list() and len(both) == 12


def test_files_read_back_equal(tmp_path: Path):
    what = compared(MIXED)
    written = save_all(what, tmp_path / "out" / "deep")
    assert [path.name for path in written[:3]] == ["figure.png", "figure.svg", "figure.pdf"]
    for name, frame in frames(what).items():
        assert polars.read_parquet(tmp_path / f"out/deep/{name}.parquet").equals(frame)
        assert len(polars.read_csv(tmp_path / f"out/deep/{name}.csv")) == len(frame)


def test_text_and_single_seeds_have_tables_too():
    tables = frames(compared([text_run("ape", 0, 1.0)]))
    assert tables["curves"]["mode"].to_list()[:2] == ["blocked", "sliding"]
    assert tables["groups"]["area_low"].to_list() == [None]


def test_a_list_among_the_keys_is_words():
    runs = [run("ape", 0, {20: 1.0, 40: 0.5}, **{"eval.sizes": sizes}) for sizes in ([20, 40], None)]
    assert frames(compared(runs, by=["eval.sizes"]))["groups"]["eval.sizes"].to_list() == ["[20, 40]", None]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match=r"Cannot write into .*file"):
        save_all(compared(THREE), tmp_path / "file")
