"""Rows of a file that are no data: repeated names, units, sums."""

import pytest

from kinfolk import sources

ROWS = ["a,1.5,20", "a,2.5,30", "b,3.5,40", "b,4.0,50"]


def read(put, *lines, **options):
    text = "\n".join(["shop,weight,height", *lines]) + "\n"
    found = sources.read(put(**{"t.csv": text}), tasks="shop", **options)
    return found.data, found.notes


def test_names_of_columns_that_are_repeated_are_no_rows(put):
    whole, _ = read(put, *ROWS)
    data, notes = read(put, *ROWS[:2], "shop,weight,height", *ROWS[2:], "shop,weight,height")
    assert data.X.tolist() == whole.X.tolist()
    assert notes[0].startswith("2 rows of t.csv repeat the names of the columns and are left out")


def test_units_in_the_first_row_are_those_of_the_numbers(put):
    data, notes = read(put, ",[kg],cm", *ROWS)
    assert data.written == {"weight": "in kg", "height": "in cm"}
    assert data.X[0].tolist() == [1.5, 20]
    assert notes[0] == "The first row of t.csv has units (weight kg, height cm) and is left out."


@pytest.mark.parametrize("word", ["Total", "Gesamt:", "Grand total"])
def test_a_last_row_of_sums_is_left_out(put, word):
    whole, _ = read(put, *ROWS)
    data, notes = read(put, *ROWS, f"{word},11.5,140")
    assert data.X.tolist() == whole.X.tolist()
    assert "holds sums of the others and is left out" in notes[0]


def test_a_last_row_that_is_called_total_and_sums_up_nothing_stays(put):
    data, _ = read(put, *ROWS, "Total,9.5,99")
    assert len(data) == 5


def test_a_first_row_of_words_that_are_no_units_stays(put):
    data, _ = read(put, "a,kg,unknown", *ROWS, kinds={"weight": "number", "height": "number"})
    assert len(data) == 5
