"""Rows of sums within a table are left out if their numbers say so, and stay otherwise."""

import io

import pandas as pd
import pytest

from kinfolk.sources import read

GROUPED = """city,shop,n,price
Oslo,a,3,1.5
Oslo,b,4,2.5
Oslo total,,7,4
Rome,a,1,5.25
Rome,b,2,1.25
Rome,c,5,2
Rome total,,8,8.5
Bonn,a,6,3
Bonn total,,6,3
"""
ROWS = [3.0, 4.0, 1.0, 2.0, 5.0, 6.0]


@pytest.fixture
def put(tmp_path):
    def write(text):
        path = tmp_path / "t.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def numbers(put, text):
    data, notes, _ = read(put(text))
    if data.columns is None:
        return data.X[:, data.feature_names.index("n")].tolist(), notes
    (n,) = (column for column in data.columns if column.name == "n")
    return n.values.tolist(), notes


@pytest.mark.parametrize(
    "end", ["", "Grand total,,21,15.5\n", "Total,,21,15.5\nAverage,,3.5,2.58\n"]
)
def test_rows_of_sums_of_groups_are_left_out_and_told(put, end):
    found, notes = numbers(put, GROUPED + end)
    assert found == ROWS
    assert notes[0].startswith(f"{3 + end.count(chr(10))} rows of ")
    assert "('Oslo total' in data row 3, 'Rome total' in data row 7 and" in notes[0]


@pytest.mark.parametrize("name", ["Subtotal", "SUM:", "Summe Oslo", "oslo - total", "北京 合计"])
def test_a_row_of_sums_has_its_word_alone_or_beside_a_name(put, name):
    found, notes = numbers(put, f"city,m,n\nOslo,2,3\nOslo,1,4\n{name},3,7\nRome,5,1\nRome,1,2\n")
    assert found == [3.0, 4.0, 1.0, 2.0]
    assert "in data row 3) holds sums or means of rows above and is left out." in notes[0]


def test_means_and_sums_of_groups_of_groups_are_left_out(put):
    text = (
        "city,n,m\nOslo,3,1\nOslo,4,3\nSubtotal,7,4\nAverage,3.5,2\nRome,1,2\nRome,2,2\n"
        "Subtotal,3,4\nTotal of Europe,10,8\nLima,5,1\nLima,6,1\nSubtotal,11,2\n"
    )
    assert numbers(put, text)[0] == [3.0, 4.0, 1.0, 2.0, 5.0, 6.0]


@pytest.mark.parametrize(
    "row",
    [
        "Oslo total,9,5,9",  # no sum
        "Total energy,7,1,1",  # fewer than half of the numbers
        "the sum that was found in the end,7,4,2",
        "Oslo,7,4,2",
    ],
)
def test_a_row_that_is_not_surely_a_sum_stays(put, row):
    text = f"city,n,m,k\nOslo,3,1,1\nOslo,4,3,1\n{row}\nRome,1,2,5\nRome,2,2,6\n"
    found, notes = numbers(put, text)
    assert len(found) == 5
    assert not any("sums or means" in note for note in notes)


def test_one_row_called_total_that_repeats_the_one_above_stays(put):
    found, _ = numbers(put, "city,n,m\nOslo,3,1\nTotal,3,1\nRome,1,2\nRome,2,4\nBonn,2,2\n")
    assert found == [3.0, 3.0, 1.0, 2.0, 2.0]


def test_a_workbook_has_them_left_out_too(tmp_path):
    path = tmp_path / "t.xlsx"
    pd.read_csv(io.StringIO(GROUPED)).to_excel(path, index=False)
    data = read(path).data
    assert len(data) == 6
