import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from kinfolk import sources
from kinfolk.errors import InputError
from kinfolk.sources import finite_numbers, sheets
from kinfolk.sources.sheets import Roles
from kinfolk.tables import Tasks

FRAME = pd.DataFrame(
    {"shop": ["b", "b ", "o"], "kind": ["x", "y", "x"], "n": [1, 2, 3], "w": ["good", "bad", "ok"]}
)


def objects(*values):
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def test_columns_with_a_role_are_no_numbers():
    found = sheets.from_frame("t.csv", FRAME, Roles(tasks="shop", target="kind", row_id="w"))
    assert found.tasks.tolist() == ["b", "b", "o"]
    assert found.target.tolist() == ["x", "y", "x"]
    assert found.row_ids.tolist() == ["good", "bad", "ok"]
    assert found.feature_names == ("n",)
    np.testing.assert_array_equal(found.X, [[1], [2], [3]])


def test_a_text_leaves_all_other_columns_aside():
    found = sheets.from_frame("t.csv", FRAME, Roles(text="w"))
    assert found.texts == ("good", "bad", "ok")
    assert found.X is None
    assert found.ignored == ()
    assert found.row_ids.tolist() == ["1", "2", "3"]


def test_numbers_stand_in_the_order_of_the_file_whatever_is_asked_for():
    frame = pd.DataFrame({"a": [1.0], "b": [2.0], "c": ["?"]})
    found = sheets.from_frame("t.csv", frame, Roles(), only=["b", "a"])
    assert found.feature_names == ("a", "b")
    assert found.ignored == ("c",)


def test_columns_of_words_stay_as_they_are_beside_numbers():
    found = sheets.from_frame("t.csv", FRAME, Roles(tasks="shop"))
    assert found.X is None
    assert set(found.raws) == set(FRAME.columns) - {"shop"}


def test_the_frame_stays_as_it_was():
    before = FRAME.copy(deep=True)
    sheets.from_frame("t.csv", FRAME, Roles(tasks="shop", target="kind", text="w"))
    pd.testing.assert_frame_equal(FRAME, before)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2], [1, 2]),
        ([True, False], [1, 0]),
        (["1", " 2.5 "], [1, 2.5]),
        (["1e3", "-0"], [1000, 0]),
        (pd.array([3, 4], dtype="Int64"), [3, 4]),
        (pd.array([1.5, 2.5], dtype="Float32"), [1.5, 2.5]),
        ([1, "2"], [1, 2]),
    ],
)
def test_numbers_come_in_many_types(values, expected):
    found = sheets.from_frame("t.csv", pd.DataFrame({"a": values}), Roles())
    np.testing.assert_array_equal(found.X.ravel(), expected)
    single = getattr(values, "dtype", None) == "Float32"
    assert found.X.dtype == (np.float32 if single else np.float64)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([10**400], "'a' holds a number beyond 1e308"),
        ([1.0, np.inf], "data row 2 has an infinite number in column 'a'"),
    ],
)
def test_numbers_that_are_not_finite_are_refused(values, sentence):
    # As objects, because pandas below 3 makes no column of such a number by itself.
    frame = pd.DataFrame({"a": pd.Series(values, dtype=object)})
    with pytest.raises(InputError, match=sentence):
        sheets.from_frame("t.csv", frame, Roles())


@pytest.mark.parametrize("gap", [None, np.nan, "", " \t"])
def test_a_missing_label_is_refused_by_its_row(gap):
    with pytest.raises(InputError, match="data row 2 has nothing in column 'k' .or NA.: fill"):
        sheets.labels("t.csv", "k", objects("a", gap))


@pytest.mark.parametrize("gap", ["NA", "n/a", "NULL", "NaN"])
@pytest.mark.parametrize("role", ["tasks", "target"])
def test_a_word_for_a_gap_is_no_name(gap, role):
    frame = pd.DataFrame({"k": ["a", gap, "b"], "x": [1.0, 2.0, 3.0]})
    with pytest.raises(InputError, match="data row 2 has nothing in column 'k' .or NA."):
        sheets.from_frame("t.csv", frame, Roles(**{role: "k"}))


@pytest.mark.parametrize(
    ("missing", "n_gaps", "sentence"),
    [("impute", 2, ""), ("impute", 3, "data row 1"), ("drop", 5, ""), ("error", 1, "data row 1")],
)
def test_rows_without_a_task_are_left_out_where_most_have_one(missing, n_gaps, sentence):
    frame = pd.DataFrame({"k": [*[None] * n_gaps, *"abcdef"[n_gaps:]], "x": np.arange(6.0)})
    if sentence:
        with pytest.raises(InputError, match=sentence):
            sources.read(frame, tasks="k", missing=missing)
        return
    found = sources.read(frame, tasks="k", missing=missing)
    assert found.data.row_ids.tolist() == [str(i + 1) for i in range(n_gaps, 6)]
    assert f"{n_gaps} rows have nothing in column 'k'" in found.notes[0]


def test_new_rows_without_a_task_are_never_left_out():
    frame = pd.DataFrame({"k": [None, "a", "b", "b"], "x": np.arange(4.0)})
    with pytest.raises(InputError, match="data row 1 has nothing in column 'k'"):
        sources.read(frame, tasks="k", known_tasks=True)


def test_na_is_a_code_beside_codes():
    frame = pd.DataFrame({"k": ["US", "NA", "DE"], "x": [1.0, 2.0, 3.0]})
    assert sheets.from_frame("t.csv", frame, Roles(tasks="k")).tasks.tolist() == ["US", "NA", "DE"]


@pytest.mark.parametrize("gap", [None, np.nan, "", " \t", -1, -1.0, "-1"])
def test_an_unknown_class_is_minus_one_however_it_is_written(gap):
    assert sheets.known_classes(objects("a", gap)).tolist() == ["a", "-1"]


def test_labels_of_any_type_become_texts():
    values = objects(7, 7.5, True, " x ", (1, 2))
    assert sheets.labels("t.csv", "k", values).tolist() == ["7", "7.5", "True", "x", "(1, 2)"]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (("yes", 3), "'w' is not text .data row 2 holds 3.: name the column that holds the texts"),
        ((None, True), "'w' is not text .data row 2 holds True."),
    ],
)
def test_texts_must_be_texts(values, sentence):
    with pytest.raises(InputError, match=sentence):
        sheets.documents("t.csv", "w", objects(*values))


def test_texts_keep_their_spaces_and_may_be_missing():
    assert sheets.documents("t.csv", "w", objects("a", None, np.nan, "  ")) == ("a", "", "", "")
    assert sheets.documents("t.csv", "w", objects(" a\n", "b")) == (" a\n", "b")


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_the_first_entry_that_is_not_finite_is_named_by_row_and_column(sparse, value):
    names = ["a", "b", "c"]
    for row, column in np.ndindex(4, 3):
        X = np.zeros((4, 3))
        X[row, column] = value
        X[3, 2] = value  # a later one, or the same
        table = sp.csr_array(X) if sparse else X
        with pytest.raises(InputError, match=f"data row {row + 1} has .*{names[column]!r}"):
            finite_numbers.checked("t.csv", names, table)


@pytest.mark.parametrize("X", [np.ones((2, 2)), sp.csr_array(np.eye(2)), np.empty((0, 2))])
def test_finite_tables_come_back_uncopied(X):
    assert finite_numbers.checked("t.csv", ["a", "b"], X) is X


def test_a_column_has_one_role():
    with pytest.raises(InputError, match="Column 'a' is named for two roles"):
        Roles(tasks="a", labels="a").column_names()


@pytest.mark.parametrize("role", Roles._fields)
def test_a_view_may_lack_tasks_target_and_labels_only(role):
    roles = Roles(**{role: "a"})
    assert roles.present_in(["a"]) == roles
    kept = roles.present_in(["b"])
    assert getattr(kept, role) == ("a" if role in ("text", "row_id", "embeddings") else None)


SITES = pd.DataFrame({"site": [*"aaabbc"], "x": np.arange(6.0), "w": [*"ppqqpp"]})


@pytest.mark.parametrize("table", [SITES, SITES.drop(columns="w")], ids=["mixed", "numbers"])
def test_tasks_of_few_rows_are_left_out_where_it_is_asked_for(table):
    found = sources.read(table, tasks="site", min_rows=3)
    assert found.data.row_ids.tolist() == ["1", "2", "3"]
    assert found.data.task_names == ["a"]
    note = "2 data sets of fewer than 3 rows (3 rows) are left out: 'b', 'c'."
    assert note in found.notes
    assert len(sources.read(table, tasks="site").data) == 6


@pytest.mark.parametrize(
    ("min_rows", "sentence"),
    [(0, "min_rows is 0; give at least 1"), (4, "no data set has min_rows=4 rows, .* has 3:")],
)
def test_numbers_of_rows_that_leave_nothing_are_refused(min_rows, sentence):
    with pytest.raises(InputError, match=sentence):
        sources.read(SITES, tasks="site", min_rows=min_rows)


def test_known_classes_are_left_out_with_their_rows():
    found = sources.read(SITES, tasks="site", labels="w", min_rows=2)
    assert found.labels.tolist() == ["p", "p", "q", "q", "p"]


def test_whole_numbers_that_gaps_made_floats_name_rows_and_tasks_without_a_point():
    frame = pd.DataFrame({"id": [1001.0, 1002.0, 1003.0], "site": [1.0, 2.0, 1.5], "x": [1, 2, 4]})
    found = sheets.from_frame("t", frame, Roles(tasks="site", row_id="id"))
    assert found.row_ids.tolist() == ["1001", "1002", "1003"]
    assert found.tasks.tolist() == ["1", "2", "1.5"]
    known = sheets.from_frame("t", frame, Roles(labels="id")).labels
    assert known.tolist() == ["1001", "1002", "1003"]


def test_tasks_of_an_ordered_category_of_floats_keep_their_order():
    site = pd.Categorical([2.0, 10.0, 1.0], [10.0, 2.0, 1.0], ordered=True)
    found = sheets.from_frame("t", pd.DataFrame({"site": site, "x": [1, 2, 4]}), Roles("site"))
    assert Tasks.of(found.tasks).names == ["10", "2", "1"]


def test_one_row_without_a_task_is_told_in_the_singular():
    frame = pd.DataFrame({"site": ["a", "a", "b", None], "x": [1, 2, 4, 5]})
    found = sheets.from_frame("t", frame, Roles("site"), without_task=0.5)
    assert found.notes == ("1 row has nothing in column 'site' (or NA) and is left out.",)


def test_names_of_rows_and_tasks_are_the_same_in_a_frame_and_its_file(tmp_path):
    frame = pd.DataFrame({"id": [7.0, 8.0, 9.0], "site": [1.0, 2.0, 2.5], "x": [1, 2, 4]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    for table in (frame, tmp_path / "t.csv", tmp_path / "t.parquet"):
        data = sources.read(table, tasks="site", row_id="id").data
        assert data.row_ids.tolist() == ["7", "8", "9"]
        assert data.tasks.tolist() == ["1", "2", "2.5"]
