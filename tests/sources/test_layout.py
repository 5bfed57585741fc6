"""Rows of a file that are no data: repeated names, units, sums."""

import gzip

import numpy as np
import pytest

import kinfolk as kf
from kinfolk import sources
from kinfolk.errors import FileFormatError

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


def test_units_in_the_first_row_may_stand_beside_what_is_above_words(put):
    data, notes = read(put, "(name),[kg],cm", *ROWS)
    assert data.written == {"weight": "in kg", "height": "in cm"}
    assert notes[0].startswith("The first row of t.csv has units (weight kg, height cm)")


SURVEY = [f"{'no' if i % 2 else 'uk'},{i % 5 + 1},{20 + i}" for i in range(9)]


@pytest.mark.parametrize(
    "described",
    [
        ["Where do you live?,How satisfied are you?,Your age"],
        [",Response,Open-Ended Response"],
        ["Country,Price,Age", ",".join('"{""ImportId"":""Q""}"' for _ in range(3))],
    ],
)
def test_first_rows_that_describe_columns_of_numbers_are_left_out(put, described):
    whole, _ = read(put, *SURVEY)
    data, notes = read(put, *described, *SURVEY)
    assert data.X.tolist() == whole.X.tolist()
    assert "words above numbers, which describe the columns, and" in notes[0]


@pytest.mark.parametrize(
    "first",
    ["uk,tall,20", "uk,many,", "uk,unknown,n/a", "7,tall,many"],
    ids=["a number beside", "one word", "words for gaps", "a number above words"],
)
def test_a_first_row_with_numbers_or_gaps_stays(put, first):
    asked = {"weight": "number", "height": "number"}
    assert len(read(put, first, *SURVEY, kinds=asked)[0]) == 10
    assert len(read(put, "uk,tall,many", *SURVEY[:4], kinds=asked)[0]) == 5


def test_units_in_the_first_row_may_stand_above_words_for_gaps(put):
    data, notes = read(put, ",[kg],cm", *ROWS, "x,NAN,-", "y,2,30")
    assert (data.columns[0].written, data.columns[1].written) == ("in kg", "in cm")
    assert np.isnan(data.columns[0].values).sum() == np.isnan(data.columns[1].values).sum() == 1
    assert notes[0].startswith("The first row of t.csv has units")


@pytest.mark.parametrize(
    "lines",
    [
        "full name\nAnna Lee\nJohn Doe\n",
        "price in EUR\n1 250 000\n1 400 500\n",
        "income\n1200\n900\n",
        "what they said\nthree or more words\nfour\n",
    ],
)
def test_a_single_column_of_words_or_numbers_is_read(put, lines):
    (path,) = put(**{"t.csv": lines})
    assert [line[0] for line in kf.describe(path).lines()] == [lines.partition("\n")[0]]


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


TITLED = {
    "a title and an empty line": ["Weights 2024", ""],
    "titles as wide as the table": ["Weights 2024,,", ",,", "by hand,,"],
    "comments": ["# made by hand, in 2024", "# a,b,c,d,e"],
    "a note with commas": ["Weights of dogs", "Source: the office, 2024", ""],
    "a title over two lines": ['"Weights', 'of 2024"'],
}


@pytest.mark.parametrize("case", TITLED)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_titles_above_the_names_of_columns_are_left_out(put, case, mark):
    lines = TITLED[case]
    whole, _ = read(put, *ROWS)
    text = mark + "\n".join([*lines, "shop,weight,height,", *[f"{row}," for row in ROWS]]) + "\n"
    reading = sources.read(put(**{"t.csv": text}), tasks="shop")
    assert reading.data.X.tolist() == whole.X.tolist()
    assert reading.data.feature_names == ("weight", "height")
    assert any("left out of t.csv" in note and "title" in note for note in reading.notes)


def test_titles_do_not_hide_the_separator(put):
    lines = ["Weights, heights of 2024", "shop;weight;height", *ROWS]
    text = "\n".join([lines[0], lines[1], *[row.replace(",", ";") for row in ROWS]])
    declared = "sep=;\n" + text.partition("\n")[2].replace(".", ",")
    whole, _ = read(put, *ROWS)
    for content in (text, declared):
        found = sources.read(put(**{"t.csv": content}), tasks="shop").data
        assert found.X.tolist() == whole.X.tolist()
    # By commas, too, all rows but two have three fields.
    rows = [
        "Weights;;",
        "shop;weight;height",
        *[f"{shop};1,5;{n},25" for n, shop in enumerate("aabb")],
    ]
    found = sources.read(put(**{"t.csv": "\n".join(rows)}), tasks="shop").data
    assert found.feature_names == ("weight", "height")
    rows = [
        "shop;weight;height",
        *[f"{shop};1,5;{n},25;" for n, shop in enumerate("aabb")],
        "Source: us",
    ]
    found = sources.read(put(**{"t.csv": "\n".join(rows)}), tasks="shop").data
    assert found.X[-1].tolist() == [1.5, 3.25]
    packed = put(**{"p.csv.gz": gzip.compress(text.encode())})
    assert sources.read(packed, tasks="shop").data.X.tolist() == whole.X.tolist()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["x,,", "4,2,3", "4,5,6"], "has no name"),  # rows of numbers below are no names
        (["a,b,c", "1,2,3,4", "4,5,6,7"], "more fields than its header"),  # names of rows, as in R
        (["a,b", "1,2,c", "4,5,d"], "more fields than its header"),
    ],
)
def test_a_first_row_that_is_no_title_is_taken_for_names(put, lines, said):
    with pytest.raises(FileFormatError, match=said):
        sources.read(put(**{"t.csv": "\n".join(lines)}))


@pytest.mark.parametrize(
    "lines", [["Source: the office"], [",,", "* from 2024 on"], ["Total"], [",,", ",,"]]
)
def test_notes_below_the_rows_are_left_out(put, lines):
    whole, _ = read(put, *ROWS)
    data, notes = read(put, *ROWS, *lines)
    assert data.X.tolist() == whole.X.tolist()
    assert "note" in notes[0]
    data, notes = read(put, *ROWS, "a,11.5,140", *lines)
    assert len(data) == 5


def test_a_last_row_with_a_name_and_gaps_is_no_note(put):
    data, notes = read(put, *ROWS, "a,,")
    assert len(data) == 5
    assert not any("note" in note for note in notes)


@pytest.mark.parametrize("word", ["Mean", "Durchschnitt:", "平均"])
def test_a_last_row_of_means_is_left_out(put, word):
    whole, _ = read(put, *ROWS)
    data, notes = read(put, *ROWS, f"{word},2.88,35")
    assert data.X.tolist() == whole.X.tolist()
    assert "holds means of the others and is left out" in notes[0]
    assert len(read(put, *ROWS, f"{word},9.5,99")[0]) == 5


LAST = {
    "a total and an average": ["Total,11.5,140", "Average,2.88,35"],
    "an average and a total": ["Durchschnitt,2.88,35", "Gesamt,11.5,140"],
    "a sum, a mean and a grand total": ["Somme,11.5,", "Moyenne,2.88,35", "Grand total:,,140"],
}


@pytest.mark.parametrize("case", LAST)
def test_several_last_rows_of_sums_and_means_are_left_out(put, case):
    whole, _ = read(put, *ROWS)
    data, notes = read(put, *ROWS, *LAST[case])
    assert data.X.tolist() == whole.X.tolist()
    assert notes[0].startswith(f"The last {len(LAST[case])} rows of t.csv, ")
    assert notes[0].endswith("hold sums and means of the others and are left out.")


def test_a_last_row_of_sums_below_another_that_sums_up_nothing_is_left_out_alone(put):
    data, notes = read(put, *ROWS, "Total,9.5,99", "Total,21.0,239")
    assert len(data) == 5
    assert notes[0].startswith("The last row of t.csv, 'Total', holds sums")


def test_numbers_that_a_spreadsheet_kept_as_texts_are_numbers(put):
    rows = ["shop,age,size,said", *[f'a,\'{30 + i},"=""1{i}.5""",\'{i} of us' for i in range(4)]]
    data = sources.read(put(**{"t.csv": "\n".join(rows)}), tasks="shop").data
    age, size, said = data.columns
    assert age.values.tolist() == [30, 31, 32, 33]
    assert size.values.tolist() == [10.5, 11.5, 12.5, 13.5]
    assert said.values[0] == "0 of us"
