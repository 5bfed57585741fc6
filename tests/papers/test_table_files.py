import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from kinfolk.papers import published, table_files
from kinfolk.papers.published import PrintedCell
from kinfolk.papers.tables import CellComparison, Value

ITEM = published.item("mtcfir-table-2")


def value(*repeats):
    repeats = np.array(repeats)
    spread = repeats.std(ddof=1) if len(repeats) > 1 else np.nan
    return Value(repeats.mean(), spread, repeats, "{}", 1)


def entry(published="64.00±2.00", ours=(63.0, 65.0), **given):
    mine = None if ours is None else value(*ours)
    cell = None if published is None else PrintedCell.read(published)
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
    line = dict(zip(table_files.COLUMN_NAMES, table_files.line(entry(printed, ours), ITEM)))
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
    sentence = table_files.summary(ITEM, [entry(ours=(66.0, 66.0)), entry(ours=None)])
    assert sentence == (
        "1 of 2 figures have ours beside them, on average +2.00; 1 within two standard deviations"
    )
    assert (
        table_files.summary(ITEM, [entry(ours=None)])
        == "none of 1 printed figures has ours beside it"
    )


def test_all_forms_hold_every_line():
    entries = [entry(), entry(ours=None, note="not yet")]
    files = table_files.contents(ITEM, entries, quick=True)
    assert set(files) == {f"mtcfir-table-2.{e}" for e in ("csv", "md", "tex")}
    text = {f".{name.rpartition('.')[2]}": content.decode() for name, content in files.items()}
    rows = list(csv.reader(io.StringIO(text[".csv"])))
    assert rows[0] == list(table_files.COLUMN_NAMES)
    assert rows[2][-1] == "not yet"
    for ending in (".md", ".tex"):
        assert text[ending].count("cornell accuracy") == 2
        assert "chosen with labels" in text[ending]
        assert "Quick form" in text[ending]
    assert r"64.00$\pm$1.41" in text[".tex"]
    assert "n_components" not in text[".tex"]  # an underscore is a command there


@pytest.mark.parametrize("seed", range(8))
def test_two_deviations_are_of_the_sum_of_both_variances(seed):
    random = np.random.default_rng(seed)
    mean, spread = random.uniform(50, 70), random.uniform(0, 3)
    ours = random.uniform(50, 70, size=4)
    printed = f"{mean:.2f}±{spread:.2f}"
    variance = sum((x - sum(ours) / 4) ** 2 for x in ours) / 3 + float(f"{spread:.2f}") ** 2
    near = abs(sum(ours) / 4 - float(f"{mean:.2f}")) <= 2 * variance**0.5 + 0.005
    assert table_files.within_two_deviations(entry(printed, tuple(ours))) == (
        "yes" if near else "no"
    )


@pytest.mark.parametrize(("unit", "decimals"), [("percent", 2), ("seconds", 2), ("fraction", 4)])
def test_digits_follow_the_unit(unit, decimals):
    line = table_files.line(entry("0.5", (0.25,)), replace(ITEM, unit=unit))
    assert line[3] == f"{0.25:.{decimals}f}"
    assert line[5] == f"{-0.25:+.{decimals}f}"


def test_a_summary_leaves_out_rows_that_are_not_printed():
    cells = [entry("60.00", (63.0,)), entry(None, (99.0,)), entry("70.00", (69.0,))]
    assert table_files.summary(ITEM, cells) == (
        "2 of 2 figures have ours beside them, on average +1.00; 0 within two standard deviations"
    )
    assert table_files.summary(ITEM, []) == "none of 0 printed figures has ours beside it"


SPECIAL = 'a|b, "c" & 5 % of x_1 #{~^\\}'


def written(cells):
    files = table_files.contents(ITEM, cells, quick=False)
    return {f".{name.rpartition('.')[2]}": content.decode() for name, content in files.items()}


def test_csv_gives_back_every_cell_as_it_was():
    cells = [replace(entry(), row=SPECIAL), entry(note="two\nlines; and, more")]
    rows = list(csv.reader(io.StringIO(written(cells)[".csv"])))
    assert rows == [
        list(table_files.COLUMN_NAMES),
        *(table_files.line(cell, ITEM) for cell in cells),
    ]


def test_markdown_has_one_line_per_cell_and_as_many_columns_as_its_header():
    text = written([replace(entry(), row=SPECIAL), entry(note="two\nlines")])[".md"]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) == 2 + 2
    columns = [len(line.replace("\\|", "").split("|")) - 2 for line in lines]
    assert columns == [len(table_files.COLUMN_NAMES)] * 4
    assert text.startswith(f"# {ITEM.id}\n")
    assert "Quick form" not in text


def test_latex_keeps_no_character_that_is_a_command():
    text = written([replace(entry(mark="•"), row=SPECIAL)])[".tex"]
    assert 'a|b, "c"' in text
    assert r"\& 5 \% of x\_1 \#\{\~{}\^{}\textbackslash{}\}" in text
    assert r"64.00$\pm$1.41$\bullet$" in text
    assert rf"\label{{{ITEM.id}}}" in text


def test_no_cells_are_files_with_a_header_alone():
    text = written([])
    assert (
        text[".csv"]
        == ",".join(f'"{h}"' if "," in h else h for h in table_files.COLUMN_NAMES) + "\n"
    )
    assert sum(line.startswith("|") for line in text[".md"].splitlines()) == 2
