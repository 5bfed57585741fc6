import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from kinfolk.papers import published, table_files
from kinfolk.papers.published import Cell
from kinfolk.papers.tables import CellComparison, Value

ITEM = published.item("mtcfir-table-2")


def value(*repeats):
    repeats = np.array(repeats)
    spread = repeats.std(ddof=1) if len(repeats) > 1 else np.nan
    return Value(repeats.mean(), spread, repeats, "{}", 1)


def entry(published="64.00±2.00", ours=(63.0, 65.0), **given):
    mine = None if ours is None else value(*ours)
    cell = None if published is None else Cell.read(published)
    return CellComparison("k-means", "cornell accuracy", cell, mine, mine, **given)


@pytest.mark.parametrize(
    ("printed", "ours", "gap", "within"),
    [
        ("64.00±2.00", (63.0, 65.0), "+0.00", "yes"),
        ("64.00±0.00", (60.0, 62.0), "-3.00", "no"),  # 2 sqrt(2) is less than 3
        ("64.00±1.00", (60.0, 62.0), "-3.00", "yes"),
        ("64.00", (64.5,), "+0.50", "no"),
        ("0.8", (0.84,), "+0.04", "yes"),
        ("-", (60.0, 62.0), "", ""),
        ("64.00", None, "", ""),
        (None, (60.0, 62.0), "", ""),
    ],
)
def test_the_gap_is_judged_by_both_deviations(printed, ours, gap, within):
    line = dict(zip(table_files.HEADER, table_files.line(entry(printed, ours), ITEM)))
    assert (line["difference"], line["within 2 sd"]) == (gap, within)


def test_a_line_says_all_that_there_is_to_say():
    doubted = ITEM.doubts[0]
    line = table_files.line(
        replace(entry(mark="•", note="9 of 10 runs"), row=doubted.row, column=doubted.column),
        ITEM,
    )
    assert line[:5] == [doubted.row, doubted.column, "64.00±2.00", "64.00±1.41•", "64.00±1.41"]
    assert line[-1] == f"9 of 10 runs; the printed figure is doubtful: {doubted.why}"


def test_a_summary_counts_what_can_be_compared():
    told = table_files.summary(ITEM, [entry(ours=(66.0, 66.0)), entry(ours=None)])
    assert told == (
        "1 of 2 figures have ours beside them, on average +2.00; 1 within two standard deviations"
    )
    assert table_files.summary(ITEM, [entry(ours=None)]) == "none of 1 figures can be compared"


def test_all_forms_hold_every_line(tmp_path):
    entries = [entry(), entry(ours=None, note="not yet")]
    files = table_files.write(ITEM, entries, tmp_path, quick=True)
    assert {path.name for path in files} == {f"mtcfir-table-2.{e}" for e in ("csv", "md", "tex")}
    text = {path.suffix: path.read_text("utf-8") for path in files}
    rows = list(csv.reader(io.StringIO(text[".csv"])))
    assert rows[0] == list(table_files.HEADER)
    assert rows[2][-1] == "not yet"
    for ending in (".md", ".tex"):
        assert text[ending].count("cornell accuracy") == 2
        assert "chosen with labels" in text[ending]
        assert "Quick form" in text[ending]
    assert r"64.00$\pm$1.41" in text[".tex"]
    assert "n_components" not in text[".tex"]  # an underscore is a command there
