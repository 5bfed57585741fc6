import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kinfolk as kf
from kinfolk.errors import InputError

ROWS = {"shop": ["b", "b", "o"], "price": [1, 3, 5], "size": [2.5, 4.0, 6.0]}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_data_frame_of_any_library_is_read_like_its_file(put, library):
    (path,) = put(**{"t.csv": pd.DataFrame(ROWS).to_csv(index=False)})
    of_file = kf.read(path, tasks="shop").data
    of_frame = kf.read(library(ROWS), tasks="shop").data
    assert of_frame.feature_names == of_file.feature_names
    assert of_frame.tasks.tolist() == of_file.tasks.tolist()
    np.testing.assert_array_equal(of_frame.X, of_file.X)
    assert of_frame.name == "the table"


def test_frames_of_a_list_are_tasks_in_their_order():
    first = pd.DataFrame({"x": [1.0, 2.0], "y": [0.0, 1.0]})
    found = kf.read([first, first[["y", "x"]]]).data
    assert found.tasks.tolist() == ["table 1", "table 1", "table 2", "table 2"]
    np.testing.assert_array_equal(found.X[:2], found.X[2:])


def test_tables_by_name_may_be_frames_and_files(put):
    (path,) = put(**{"r.csv": "x\n7\n"})
    data = kf.read({"Oslo": pd.DataFrame({"x": [1, 2]}), "Rome": path}).data
    assert data.tasks.tolist() == ["Oslo", "Oslo", "Rome"]
    assert data.name == "Oslo and 1 more"


def test_frames_by_name_are_views_of_the_same_rows():
    labs = pd.DataFrame({"id": ["p", "q"], "iron": [1.0, 2.0]})
    scans = pl.DataFrame({"id": ["q", "p"], "area": [4.0, 3.0]})
    data = kf.read({"labs": labs, "scans": scans}, views="files", row_id="id").data
    assert list(data.views) == ["labs", "scans"]
    np.testing.assert_array_equal(data.X, [[1, 3], [2, 4]])


def test_a_role_may_name_the_index_of_a_pandas_frame():
    frame = pd.DataFrame({"x": [1.0, 2.0]}, index=pd.Index(["p", "q"], name="patient"))
    assert kf.read(frame, row_id="patient").data.row_ids.tolist() == ["p", "q"]
    # Without a role an index is no column, as in scikit-learn.
    assert kf.read(frame).data.feature_names == ("x",)


def test_a_dictionary_of_columns_is_read_like_a_data_frame():
    frame = pd.DataFrame(ROWS)
    found = kf.read({name: list(values) for name, values in frame.items()}, tasks=frame.columns[0])
    expected = kf.read(frame, tasks=frame.columns[0])
    assert found.data.task_names == expected.data.task_names
    assert found.data.name == expected.data.name == "the table"


def test_words_gaps_and_categories_of_a_frame_are_decided_as_in_files():
    plan = pd.Categorical(["pro", "free", "pro"] * 4)
    frame = pd.DataFrame({"plan": plan, "age": [31, None, 40] * 4, "shop": ["b", "o", "o"] * 4})
    data = kf.read(frame, tasks="shop").data
    assert [(c.name, c.kind) for c in data.columns] == [("plan", "category"), ("age", "amount")]


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ([], "No file is given"),
        ({}, "No file is given"),
        (np.eye(2), "the table is an ndarray; give the path of a file or a data frame"),
        ({"x": [1, 2], "y": [1]}, r"different numbers of values \('x' 2, 'y' 1\)"),
        ({"x": 1}, "column 'x' is an int: give a list or an array with a value for each row"),
        ({"x": np.eye(2)}, "'x' of the dictionary is an ndarray of rows and columns: .* kf.stack"),
        ({"x": [1], "t": pd.DataFrame({"x": [1]})}, "x is a list; give the path of a file or a da"),
        ([{"x": 1}], "table 1 is a dict; give the path of a file or a data frame"),
        ("https://a.b/c.csv", "https://a.b/c.csv is an address: download the file"),
        ([pd.DataFrame({"x": [1]}), 7], "table 2 is an int; give the path"),
        (pd.DataFrame({"x": []}), "the table has no rows"),
        ({"t": pd.DataFrame({"x": [1]}), "u": pd.DataFrame({"y": [1]})}, "'t' and 'u' have diff"),
    ],
)
def test_what_is_no_table_is_refused_in_one_sentence(tables, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        kf.read(tables)
    assert "\n" not in str(caught.value)


def test_two_tables_of_one_name_are_refused(put):
    (path,) = put(**{"table 2.csv": "x\n1\n"})
    with pytest.raises(InputError, match="Two tables are called 'table 2'"):
        kf.read([path, pd.DataFrame({"x": [1.0]})])


def test_a_frame_names_its_own_columns():
    with pytest.raises(InputError, match="leave out header=False"):
        kf.read(pd.DataFrame(ROWS), header=False)
