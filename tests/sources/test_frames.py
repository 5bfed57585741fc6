import numpy as np
import pandas as pd
import pytest

from file_contents import parquet, squeezed
from kinfolk.errors import FileFormatError, InputError
from kinfolk.sources import frame_files, frames, large_files, starts
from kinfolk.sources import parquet as parquet_file
from kinfolk.sources.contents import Contents
from kinfolk.sources.sheets import Roles

held = Contents.of_bytes

BROKEN = [
    # name, content, options, error, pattern
    ("t.csv", "a,b\n1,2\n1,2,3\n", {}, FileFormatError, "Expected 2 fields in line 3, saw 3"),
    ("t.csv", "a,b\n1,2,3\n1,2,3\n", {}, FileFormatError, "more fields than its header"),
    ("t.csv", 'a,b\n1,"2\n3,4\n', {}, FileFormatError, "EOF inside string"),
    ("t.csv", bytes(range(256)), {}, FileFormatError, "not text in UTF-8: save it as UTF-8"),
    ("t.csv", "a,b\n1,2\n".encode("utf-16-le"), {}, FileFormatError, "save it as UTF-8"),
    ("t.csv", squeezed(b"a\n1\n"), {}, FileFormatError, "true format"),
    ("t.csv", "a,b, a\n1,2,3\n", {}, FileFormatError, "more than one column named 'a'"),
    ("t.csv", ",a\n7,2\n", {}, FileFormatError, "column 1 has no name"),
    ("t.csv", "a,b\n1,2\n2,1e\n", {}, InputError, "'b': 1 of its .* '1e' in data row 2"),
    ("t.csv", "a,b\n1,2\n1,-inf\n", {}, InputError, "data row 2 has an infinite .*column 'b'"),
    ("t.csv", "a,b\n1,1e999\n", {}, InputError, "data row 1 has an infinite .*column 'b'"),
    ("t.csv", "a,b\nu,2\n,2\n", {"tasks": "a"}, InputError, "data row 2 has nothing in column 'a'"),
    ("t.csv", "a,b\n1,2\n", {"tasks": "c"}, InputError, "no column 'c'; it has 'a', 'b'"),
    ("t.csv", "a\n1\n", {"tasks": "a"}, InputError, "no column left to cluster on"),
    ("t.jsonl", '{"a": 1}\n[1]\n', {}, FileFormatError, r"line 2 is not a JSON object but '\[1\]'"),
    ("t.jsonl", '{"a": 1}\n{"a": \n', {}, FileFormatError, "line 2 is not JSON"),
    ("t.jsonl", "[" * 100_000, {}, FileFormatError, "line 1 is not JSON"),
    ("t.jsonl", '{"a": 1, "a": 2}\n', {}, FileFormatError, "line 1 has more than one .*'a'"),
    ("t.jsonl", '{"a": [1]}\n', {}, InputError, r"column 'a': data row 1 holds \[1\], a list"),
    ("t.jsonl", f'{{"a": 1{"0" * 400}}}\n', {}, InputError, "'a' holds a number beyond"),
    ("t.jsonl", '{"a": 5}\n', {"text": "a"}, InputError, "'a' is not text .data row 1 holds 5"),
    ("t.jsonl", b'{"a": "\xe9"}\n', {}, FileFormatError, "save it as UTF-8"),
    ("t.parquet", b"PAR1 junk PAR1", {}, FileFormatError, "not a Parquet file"),
    ("t.parquet", parquet(pd.DataFrame({"a": [1, 2]}))[:-9], {}, FileFormatError, "not a Parquet"),
]  # fmt: skip


@pytest.mark.parametrize("file", BROKEN, ids=[row[-1] for row in BROKEN])
def test_a_table_that_cannot_be_used_is_refused_in_one_sentence(assert_refused, file):
    assert_refused(*file)


def test_names_of_columns_lose_their_outer_spaces_only():
    frame = frames.separated_values("t.csv", held(b'"a ,b" , c d\n1,2\n'), Roles(), ",")
    assert list(frame.columns) == ["a ,b", "c d"]


def test_a_quoted_field_may_hold_separators_quotes_and_lines():
    raw = b'w,n\n"a, ""b""\nc",1\n'
    frame = frames.separated_values("t.csv", held(raw), Roles(text="w"), ",")
    assert frame["w"].tolist() == ['a, "b"\nc']
    assert frame["n"].tolist() == [1]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_spaces_behind_a_separator_are_no_part_of_a_field(mark, tmp_path):
    rows = ['"city" "zip" "n"', "a 01067 1", f'"b{mark}.c" "7" "2.5"', *["d 8 "] * 2]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(row.replace(" ", f"{mark}  ") for row in rows))
    frame, _, _ = frame_files.frame(path, Contents.of_file(path), Roles())
    found = {"city": ["a", f"b{mark}.c", "d", "d"], "zip": ["01067", "7", "8", "8"]}
    pd.testing.assert_frame_equal(frame, pd.DataFrame({**found, "n": [1, 2.5, np.nan, np.nan]}))
    file = large_files.opened(path, "city")
    assert [task for piece in file.pieces(9) for task in piece.tasks] == found["city"]


@pytest.mark.parametrize("gap", ["", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None"])
def test_a_missing_number_has_many_spellings_and_a_missing_label_only_one(gap):
    raw = f"t,x\n{gap},{gap}\nu,1\n".encode()
    frame = frames.separated_values("t.csv", held(raw), Roles(tasks="t"), ",")
    assert frame["x"].isna().tolist() == [True, False]
    assert frame["t"].isna().tolist() == [gap == "", False]
    assert frame["t"].tolist()[0] == gap or gap == ""


def test_columns_with_a_role_stay_text():
    frame = frames.separated_values(
        "t.csv", held(b"a,b\n007,007\n1e3,1e3\n"), Roles(row_id="a"), ","
    )
    assert frame["a"].tolist() == ["007", "1e3"]
    assert frame["b"].tolist() == [7, 1000]


def test_long_whole_numbers_beside_a_gap_keep_all_their_digits():
    numbers = [str(2**60 + 7 * i) for i in range(5)]
    text = "\n".join(["account,n", *[f"{number},1" for number in numbers], ",2"])
    frame = frames.separated_values("t.csv", held(text.encode()), Roles(), ",")
    assert frame["account"].tolist()[:-1] == numbers


def test_keys_of_json_objects_may_come_in_any_order_and_be_missing():
    raw = b'{"a": 1, "b": "x"}\n\n  \n{"b": null, "c": [2]}\n'
    frame = frames.json_lines("t.jsonl", held(raw), Roles())
    assert list(frame.columns) == ["a", "b", "c"]
    assert frame["a"].isna().tolist() == [False, True]
    assert frame["c"].tolist()[1] == [2]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"a": 1} {"a": 2}', "line 2 is not JSON"),
        ("3", "line 2 is not a JSON object but '3'"),
        ('"a"', "line 2 is not a JSON object but '\"a\"'"),
        ("null", "line 2 is not a JSON object but 'null'"),
        ('{"": 1}', "line 2: column 1 has no name"),
        ('{"a": 1, "b": 2, "a": 3}', "line 2 has more than one column named 'a'"),
    ],
)
def test_each_line_must_be_one_json_object(line, sentence):
    with pytest.raises(FileFormatError, match=sentence):
        frames.json_lines("t.jsonl", held(b'{"a": 0}\n' + line.encode()), Roles())


def test_a_stored_index_is_a_column_only_if_it_has_a_name():
    frame = pd.DataFrame({"x": [1.0, 2.0]}, index=[5, 6])
    assert list(parquet_file.frame("t.parquet", held(parquet(frame)), Roles()).columns) == ["x"]
    named = parquet_file.frame("t.parquet", held(parquet(frame.rename_axis("id"))), Roles())
    assert named["id"].tolist() == [5, 6]


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["a", ""], "column 2 has no name"),
        (["a", "b", "a", "b"], "more than one column named 'a', 'b'"),
        (["\ud800"], "half a character"),
    ],
)
def test_names_of_columns_are_given_and_different(names, sentence):
    with pytest.raises(InputError, match=sentence):
        frames.check_names("t.csv", names)


@pytest.mark.parametrize(("mark", "usual"), [(";", ","), ("\t", ","), (",", "\t"), ("|", ",")])
def test_a_file_with_another_separator_is_recognized(mark, usual):
    assert starts.of("t.csv", held(f"a{mark}b\n1{mark}2\n".encode()), usual).separator == mark


def test_rows_longer_than_a_header_with_the_usual_separator_do_not_change_it():
    assert starts.of("t.csv", held(b"a,b\n1,2,3\n"), ",").separator == ","


def test_a_single_column_needs_no_separator():
    assert frames.separated_values("t.tsv", held(b"a b\n1\n2\n"), Roles(), "\t")[
        "a b"
    ].tolist() == [1, 2]


def test_a_table_wider_than_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(frames.limits, "NAMED_COLUMN_LIMIT", 2)
    with pytest.raises(FileFormatError, match="t.csv has 3 columns; a table can have 1 to 2"):
        frames.separated_values("t.csv", held(b"a,b,c\n1,2,3\n"), Roles(), ",")
    with pytest.raises(FileFormatError, match="t.parquet has 3 columns"):
        parquet_file.frame(
            "t.parquet",
            held(parquet(pd.DataFrame(np.eye(3), columns=list("abc")))),
            Roles(),
        )
