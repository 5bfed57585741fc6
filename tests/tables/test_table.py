import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from kinfolk import tables
from kinfolk.errors import InputError, OverlapWarning
from kinfolk.tables import Tasks

A, B = np.arange(6.0).reshape(2, 3), 10 + np.arange(9.0).reshape(3, 3)
NEAR = [f"x{j}" for j in range(9)]
FAR = [f"x{j}" for j in range(1, 10)]


def frame(columns, rows, start=0.0):
    values = start + np.arange(float(rows * len(columns))).reshape(rows, -1)
    return pd.DataFrame(values, columns=columns)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, np.ndarray.tolist])
def test_arrays_are_put_below_each_other(kind):
    X, tasks = tables.stack({"a": kind(A), "b": kind(B)})
    assert sp.issparse(X) == (kind is sp.csr_array)
    np.testing.assert_array_equal(X.toarray() if sp.issparse(X) else X, np.vstack([A, B]))
    assert tasks.tolist() == ["a", "a", "b", "b", "b"]


def test_one_sparse_table_makes_all_sparse():
    X, _ = tables.stack({"a": A, "b": sp.coo_array(B)})
    assert isinstance(X, sp.csr_array)
    np.testing.assert_array_equal(X.toarray(), np.vstack([A, B]))


def test_tasks_keep_their_names_whatever_these_are():
    names = [("north", 1), 7]
    _, tasks = tables.stack(dict(zip(names, (A, B), strict=True)))
    assert tasks.tolist() == [names[0]] * 2 + [names[1]] * 3


def test_names_that_read_alike_are_refused():
    with pytest.raises(InputError, match="read alike; give them different names"):
        tables.stack({1: A, "1": B})
    with pytest.raises(InputError, match="read alike; give them different names"):
        tables.join({1: A, "1": A})


def test_frames_are_aligned_by_name_and_stay_frames():
    a, b = frame(["x", "y", "z"], 2), frame(["z", "x", "y"], 3, 100)
    X, tasks = tables.stack({"a": a, "b": b})
    assert isinstance(X, pd.DataFrame)
    expected = pd.concat([a, b[["x", "y", "z"]]], ignore_index=True)
    pd.testing.assert_frame_equal(X, expected)
    assert tasks.tolist() == ["a", "a", "b", "b", "b"]


def test_frames_with_other_columns_are_refused_unless_told_what_to_do():
    a, b = frame(NEAR, 2), frame(FAR, 3, 100)
    with pytest.raises(InputError, match=r"only 'a' has 'x0'; only 'b' has 'x9'.*intersect"):
        tables.stack({"a": a, "b": b})
    with pytest.raises(InputError, match=r"columns='both' is not known; choose one of strict"):
        tables.stack({"a": a, "b": b}, columns="both")
    X, _ = tables.stack({"a": a, "b": b}, columns="intersect")
    assert X.columns.tolist() == FAR[:-1]
    np.testing.assert_array_equal(X, np.vstack([a[FAR[:-1]], b[FAR[:-1]]]))
    X, _ = tables.stack({"a": a, "b": b}, columns="union")
    assert X.columns.tolist() == [*NEAR, "x9"]
    assert (X["x9"][:2] == 0).all()
    assert (X["x0"][2:] == 0).all()
    np.testing.assert_array_equal(X["x9"][2:], b["x9"])


def test_few_common_columns_are_warned_of():
    a, b = frame(["x", "y"], 2), frame(["x", "z"], 2)
    with pytest.warns(OverlapWarning, match=r"Only 1 of 3 columns are shared by all.*zero"):
        tables.stack({"a": a, "b": b}, columns="union")


STACK_ERRORS = {
    "no tables": ({}, "give a mapping of at least one task"),
    "a list": ([A, B], "stack got list; give a mapping"),
    "frames and arrays": ({"a": frame(["x"], 2), "b": A}, "'a' is a data frame and 'b' is not"),
    "other widths": ({"a": A, "b": B[:, :2]}, "'a' and 'b' have different columns"),
    "a vector": ({"a": A, "b": np.ones(3)}, "table 'b' has 1 dimension"),
    "text": ({"a": A, "b": [["x", "y", "z"]]}, "table 'b' holds text, for example 'x'"),
    "text in a frame": (
        {"a": pd.DataFrame({"x": ["p", "q"]})},
        "column 'x' of table 'a' holds .* for example 'p'",
    ),
}


@pytest.mark.parametrize(("given", "sentence"), STACK_ERRORS.values(), ids=STACK_ERRORS)
def test_stack_refuses(given, sentence):
    with pytest.raises(InputError, match=sentence):
        tables.stack(given)


@pytest.mark.parametrize("sparse", [False, True])
def test_views_are_put_beside_each_other(sparse):
    second = sp.csr_array(B.T) if sparse else B.T
    X, views = tables.join({"pix": np.eye(3), "fou": second})
    assert sp.issparse(X) == sparse
    X = X.toarray() if sparse else X
    np.testing.assert_array_equal(X[:, views["pix"]], np.eye(3))
    np.testing.assert_array_equal(X[:, views["fou"]], B.T)


@pytest.mark.parametrize("views", [{}, {"a": A, "b": B}], ids=["none", "other rows"])
def test_join_refuses(views):
    with pytest.raises(InputError, match="the views have .* rows; give at least one view"):
        tables.join(views)


ROWS = ["b", "a", "b", "a", "a"]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, pd.DataFrame])
def test_by_task_undoes_stack(kind):
    X = np.arange(10.0).reshape(5, 2)
    values = pd.DataFrame(X, columns=["x", "y"]) if kind is pd.DataFrame else kind(X)
    found = tables.by_task(values, ROWS)
    assert list(found) == ["b", "a"]
    for task, part in found.items():
        assert isinstance(part, type(values))
        dense = part.toarray() if sp.issparse(part) else np.asarray(part)
        np.testing.assert_array_equal(dense, X[np.array(ROWS) == task])


def test_by_task_takes_anything_with_an_entry_per_row():
    found = tables.by_task(["p", "q", "r", "s", "t"], ROWS)
    assert {task: part.tolist() for task, part in found.items()} == {
        "b": ["p", "r"],
        "a": ["q", "s", "t"],
    }


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_by_task_takes_the_name_of_a_column(kind):
    table = kind({"age": [20, 30, 40], "site": ["b", "a", "b"]})
    found = tables.by_task(table, "site")
    assert {task: part["age"].to_list() for task, part in found.items()} == {
        "b": [20, 40],
        "a": [30],
    }
    assert all(list(part.columns) == ["age"] for part in found.values())


@pytest.mark.parametrize("values", [A, pd.DataFrame({"age": [20, 30]})])
def test_by_task_refuses_the_name_of_a_column_that_is_not_there(values):
    with pytest.raises(InputError, match="tasks is 'site', which is no column of the table; give"):
        tables.by_task(values, "site")


def test_stack_refuses_a_table_without_rows():
    with pytest.raises(InputError, match="table 'b' has no rows; leave it out"):
        tables.stack({"a": A, "b": np.empty((0, A.shape[1]))})


def test_by_task_refuses_another_number_of_rows():
    with pytest.raises(InputError, match=r"tasks has shape \(5,\) but the table has 2 rows"):
        tables.by_task(A, ROWS)


def test_by_task_refuses_a_frame_with_more_rows_than_tasks():
    with pytest.raises(InputError, match=r"tasks has shape \(5,\) but the table has 6 rows"):
        tables.by_task(frame(["x"], 6), ROWS)


def test_tasks_are_numbered_as_they_appear():
    tasks = Tasks.of(np.array(["b", "a", "b"]))
    assert (tasks.names, tasks.codes.tolist(), tasks.sizes) == (["b", "a"], [0, 1, 0], [2, 1])
    assert [rows.tolist() for rows in tasks.rows()] == [[0, 2], [1]]
    single = Tasks.single(3)
    assert (single.names, single.sizes) == (["all"], [3])
