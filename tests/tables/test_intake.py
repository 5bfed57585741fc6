"""Tables and columns of every container become the same numbers, or are refused in a sentence."""

import datetime
import math
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import containers
import kinfolk as kf
from kinfolk import tables
from kinfolk.choosing import cluster_count, cluster_count_criteria
from kinfolk.errors import InputError, RowOrderWarning
from kinfolk.tables import Tasks, intake

pl = pytest.importorskip("polars")
pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
pa = pytest.importorskip("pyarrow")

X = np.array([[1.0, 0.0], [2.0, 5.0], [3.0, 1.0]])
FRAME = pd.DataFrame(X, columns=["a", "b"])
DAY = datetime.date(2020, 1, 1)

SAME = {
    "a list": X.tolist(),
    "a tuple of arrays": tuple(X),
    "objects": X.astype(object),
    "decimals": [[Decimal(int(v)) for v in row] for row in X],
    "a sparse matrix made dense": sp.csr_matrix(X).todense(),
    "big endian": X.astype(">f8"),
    "no entry masked": np.ma.masked_array(X),
    "a frame": FRAME,
    "missing values of pandas": FRAME.astype("Float64"),
    "arrow inside pandas": FRAME.astype("double[pyarrow]"),
    "objects inside pandas": FRAME.astype(object),
    "sparse columns of pandas": FRAME.astype(pd.SparseDtype(float, 0.0)),
    "true and numbers": FRAME.assign(a=[1, 2, 3]),
    "polars": pl.DataFrame(X, schema=["a", "b"]),
    "decimals of polars": pl.DataFrame(X, schema=["a", "b"]).cast(pl.Decimal(10, 2)),
    "arrow": pa.table({"a": X[:, 0], "b": X[:, 1]}),
    "a record batch": pa.RecordBatch.from_pydict({"a": X[:, 0], "b": X[:, 1]}),
    **{
        f"{name}_{kind}": getattr(sp, f"{name}_{kind}")(X)
        for name in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
        for kind in ("array", "matrix")
    },
}


@pytest.mark.parametrize("given", SAME.values(), ids=SAME)
def test_every_container_holds_the_same_numbers(given):
    found = intake.matrix(given, "the table")
    assert isinstance(found, sp.csr_array) == sp.issparse(given)
    np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, X)


GAPS = {
    "masked": np.ma.masked_equal(X, 5),
    "masked whole numbers": np.ma.masked_equal(X.astype(int), 5),
    "None in a list": [[1, 0], [2, None], [3, 1]],
    "NA of pandas": FRAME.astype("Int64").where(FRAME != 5),
    "None of polars": pl.DataFrame({"a": [1, 2, 3], "b": [0.0, None, 1.0]}),
    "None of arrow": pa.table({"a": [1, 2, 3], "b": [0, None, 1]}),
    "None in objects of pandas": FRAME.astype(object).where(FRAME != 5, None),
}


@pytest.mark.parametrize("given", GAPS.values(), ids=GAPS)
def test_gaps_of_every_container_are_missing_numbers(given):
    found = intake.matrix(given, "the table")
    np.testing.assert_array_equal(found, np.where(X == 5, np.nan, X))
    with pytest.raises(InputError, match="1 entry that is NaN .* NaN in row 1"):
        kf.MEC(2).fit(given)


def test_masked_numbers_and_dates_of_a_related_data_are_refused_too():
    ids = np.array(["1", "2", "3"])
    for rows, sentence in (
        (np.ma.masked_equal(X, 5), "X has masked entries"),
        (X.astype(int).astype("datetime64[D]"), "X holds dates"),
    ):
        data = tables.RelatedData("t", np.array(["s"] * 3), ids, rows, ("a", "b"))
        with pytest.raises(InputError, match=sentence):
            kf.compare(data, n_clusters=2, method="joint-spectral")


def test_a_masked_entry_has_no_part_in_the_pieces_of_a_table():
    pieces = tables.by_task(np.ma.masked_equal(X, 5), ["s", "t", "s"])
    assert pieces["t"].mask.tolist() == [[False, True]]


LISTS = np.empty((2, 1), dtype=object)
LISTS[:, 0] = [[1, 2], [3]]

REFUSED = {
    "dates": (X.astype(int).astype("datetime64[D]"), "X holds dates or durations .*days since"),
    "durations": (X.astype(int).astype("timedelta64[D]"), "X holds dates or durations"),
    "dates in a list": ([[1, DAY], [2, DAY]], "X holds dates or durations, such as 2020-01-01"),
    "dates of polars": (pl.DataFrame({"a": [DAY, DAY]}), "column 'a' holds Date .*days since"),
    "durations of pandas": (pd.DataFrame({"a": pd.to_timedelta([1, 2])}), "'a' holds Duration"),
    "complex": (X + 1j, "Complex data not supported: X holds complex128"),
    "complex and sparse": (sp.csr_array(X + 1j), "Complex data not supported"),
    "complex in a list": ([[1, 2], [3, np.complex128(1j)]], "Complex data not supported"),
    "fields": (np.ones(3, dtype=[("u", float), ("v", float)]), "with the fields 'u', 'v'"),
    "text": ([["1", "2"], ["3", "4"]], "X holds text, for example '1'"),
    "text among numbers": ([[1, 2], [3, "x"]], "X holds text, for example 'x'"),
    "text as objects": (X.astype(str).astype(object), "X holds text, for example '1.0'"),
    "bytes": (X.astype("S3"), "X holds text, for example b'1.0'"),
    "text in a column of objects": (FRAME.astype(object).replace(5.0, "x"), "column 'b' holds"),
    "objects": (
        FRAME.map(lambda _: object()),
        "column 'a' holds objects that are no numbers; drop",
    ),
    "lists as objects": (LISTS, r"X holds lists or arrays, such as \[1, 2\]; give one number"),
    "categories": (FRAME.astype("category"), "column 'a' holds Categorical"),
    "names that repeat": (FRAME.set_axis(["a", "a"], axis=1), "more than one column named 'a'"),
    "no columns": (pd.DataFrame(index=[1, 2]), "X has no columns"),
    "no rows and no numbers": (pl.DataFrame({"a": []}, schema={"a": pl.String}), "holds String"),
    "a lazy frame": (pl.DataFrame(X).lazy(), r"X is a lazy frame of polars.*collect\(\)"),
    "ragged": ([[1, 2], [3]], "rows of X have different lengths, from 1 to 2"),
    "ragged inside": ([[1, [2]], [3, [4, 5]]], "rows of X have different lengths, deeper"),
    "a row that is no row": ([[1, 2], 3], "rows of X have different lengths, from 1 to 2"),
    "too large for a float": ([[10**400, 1], [1, 1]], "X holds a number beyond 1e308"),
    "a dictionary": ({"a": [1, 2]}, "X is a dict, .*give a data frame, an array"),
    "a set": ({1, 2}, "X is a set; give a data frame"),
    "a generator": ((row for row in X), "X is a generator; give"),
    "cells": (
        SimpleNamespace(obs=FRAME, var=FRAME, X=X),
        r"X is a SimpleNamespace; give .* clustered by kf\.anndata\.cluster",
    ),
    "None": (None, "X is None; give a data frame"),
    "a word": ("table", "X is 'table'; give a data frame"),
    "a path": (Path("table.csv"), r"give a data frame, .*A file is read by kf\.read, and by"),
}


@pytest.mark.parametrize(("given", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_holds_no_numbers_is_refused_by_each_kind_of_estimator(given, sentence):
    with pytest.raises(InputError, match=sentence):
        intake.numbers(given)
    for fit in (kf.MEC(2).fit, kf.PerTask(n_clusters=2).fit, cluster_count.suggest_clusters):
        with pytest.raises(InputError, match=sentence):
            fit(given)


@pytest.mark.parametrize("shape", [(3,), (1, 3, 2), ()])
def test_a_table_has_rows_and_columns(shape):
    with pytest.raises(InputError, match=f"the table has {len(shape)} dimensions?; give rows and"):
        intake.matrix(np.ones(shape), "the table")


def test_objects_that_nothing_can_read_keep_the_sentence_of_scikit_learn():
    with pytest.raises(TypeError, match="argument must be .* real number, not 'dict'"):
        kf.MEC(2).fit(np.array([[{}, {}], [{}, {}]]))
    with pytest.raises(InputError, match="table 't' has entries that are no numbers"):
        tables.stack({"t": np.array([[{}, {}]])})


def test_names_of_columns_come_from_every_frame_and_bind_new_rows():
    for frame in (FRAME, pl.DataFrame(X, schema=["a", "b"]), SAME["arrow"]):
        model = kf.MEC(2, random_state=0).fit(frame)
        assert model.feature_names_in_.tolist() == ["a", "b"]
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(FRAME[["b", "a"]])


FORMS_OF_COLUMNS = {
    "a list": ["s", "t", "t"],
    "an array": np.array(["s", "t", "t"]),
    "one column": np.array([["s"], ["t"], ["t"]]),
    "pandas": pd.Series(["s", "t", "t"]),
    "words of arrow in pandas": pd.Series(["s", "t", "t"], dtype="string[pyarrow]"),
    "categories": pd.Categorical(["s", "t", "t"]),
    "categories in pandas": pd.Series(["s", "t", "t"], dtype="category"),
    "an index": pd.Index(["s", "t", "t"]),
    "polars": pl.Series(["s", "t", "t"]),
    "categories of polars": pl.Series(["s", "t", "t"], dtype=pl.Categorical),
    "arrow": pa.array(["s", "t", "t"]),
    "chunks of arrow": pa.chunked_array([["s"], ["t", "t"]]),
    "a dictionary array": pa.array(["s", "t", "t"]).dictionary_encode(),
}


@pytest.mark.parametrize("given", FORMS_OF_COLUMNS.values(), ids=FORMS_OF_COLUMNS)
def test_every_container_names_the_same_tasks(given):
    found = Tasks.given(given, 3)
    assert found.names == ["s", "t"]
    assert found.codes.tolist() == [0, 1, 1]


UNNAMED = {
    "None": ["s", None, "t"],
    "NaN": np.array([1.0, np.nan, 2.0]),
    "NA": pd.Series(["s", pd.NA, "t"], dtype="string"),
    "NaT": pd.to_datetime(pd.Series(["2020-01-01", None, "2020-01-02"])),
    "masked": np.ma.masked_equal([1, 7, 2], 7),
    "null of polars": pl.Series(["s", None, "t"]),
    "null of arrow": pa.array(["s", None, "t"]),
}


@pytest.mark.parametrize("given", UNNAMED.values(), ids=UNNAMED)
def test_a_missing_task_is_refused_everywhere(given):
    sentence = r"tasks is missing \(None or NaN\) in 1 rows, the first is row 1"
    for call in (
        lambda: tables.by_task(X, given),
        lambda: kf.PerTask(n_clusters=1).fit(X, tasks=given),
        lambda: kf.describe(FRAME, tasks=given),
        lambda: kf.profile(FRAME, [0, 0, 1], tasks=given),
    ):
        with pytest.raises(InputError, match=sentence):
            call()


ODD = [[1], {}, (1, [2]), ("s", math.nan), np.array([1, 2]), Decimal("sNaN")]


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_a_task_that_cannot_be_a_key_is_refused(odd):
    with pytest.raises(InputError, match="tasks has .* which cannot be a name"):
        tables.by_task(X, intake.object_array(["s", odd, "t"]).tolist())


def test_tuples_are_tasks():
    found = tables.by_task([1, 2, 3], [("s", 1), ("t", 1), ("s", 1)])
    assert {task: rows.tolist() for task, rows in found.items()} == {
        ("s", 1): [1, 3],
        ("t", 1): [2],
    }


INDEX = ["u", "v", "w"]
ORDERED = FRAME.set_axis(INDEX)
SITES = pd.Series(["w's", "u's", "v's"], index=["w", "u", "v"])


def test_values_of_pandas_are_joined_by_index_and_not_by_place():
    assert intake.in_order_of(ORDERED, SITES, "tasks").tolist() == ["u's", "v's", "w's"]
    assert list(tables.by_task(ORDERED, SITES)) == ["u's", "v's", "w's"]
    assert tables.by_task(ORDERED["a"], SITES)["w's"].tolist() == [3.0]


def test_values_without_an_index_go_by_place():
    for table, values in ((X, SITES), (ORDERED, SITES.to_numpy()), (ORDERED, SITES.tolist())):
        assert list(intake.in_order_of(table, values, "tasks")) == SITES.tolist()
    repeated = FRAME.set_axis(["u", "u", "v"])
    same = pd.Series([1, 2, 3], index=repeated.index)
    assert intake.in_order_of(repeated, same, "tasks").tolist() == [1, 2, 3]


def test_an_index_that_names_another_order_of_an_array_brings_a_warning():
    values = pd.Series(["a", "b", "c"], index=[2, 0, 1])
    with pytest.warns(RowOrderWarning, match="index of tasks is 0 to 2 in another order, and X ha"):
        assert intake.in_order_of(X, values, "tasks") is values
    with pytest.warns(RowOrderWarning, match=r"y.to_numpy.. if that is meant, or y.sort_index"):
        intake.in_order_of(X, values.set_axis([1, 0, 2]), "y")


@pytest.mark.parametrize("index", [[0, 1, 2], [4, 7, 9], [9, 4, 7], [0, 0, 1], ["c", "a", "b"]])
def test_other_indexes_name_no_order_of_an_array(index):
    values = pd.Series(["a", "b", "c"], index=index)
    assert intake.in_order_of(X, values, "tasks") is values  # warnings are errors here


@pytest.mark.parametrize(
    ("index", "reason"),
    [([0, 1, 2], "0 is only in y"), (["u", "v", "x"], "'x' is only"), (["u", "u", "v"], "repeat")],
)
def test_values_of_another_index_are_refused(index, reason):
    values = pd.Series([0, 1, -1], index=index)
    with pytest.raises(InputError, match=f"y and X have different indexes .*{reason}.*to_numpy"):
        intake.in_order_of(ORDERED, values, "y")


def six():
    """Make a pandas frame of two tasks with two groups, with tasks, classes and labels."""
    frame = pd.DataFrame(
        {"a": [0.0, 9.0, 0.1, 9.1, 5.0, 7.0, 5.1, 7.1], "b": [0.0, 9, 0, 9, 9, 0, 9, 0]},
        index=list("abcdefgh"),
    )
    return (
        frame,
        pd.Series(["s"] * 4 + ["t"] * 4, index=frame.index),
        pd.Series([0, 1, -1, -1, -1, -1, 0, 1], index=frame.index),
    )


MIXED = list("hbdfaceg")


def test_estimators_join_tasks_and_labels_by_index():
    frame, tasks, y = six()
    expected = kf.PerTask(kf.MEC(random_state=0), 2).fit(frame, tasks=tasks)
    model = kf.PerTask(kf.MEC(random_state=0), 2).fit(frame, tasks=tasks[MIXED])
    assert model.labels_.tolist() == expected.labels_.tolist()
    again = model.predict(frame, tasks=tasks[MIXED])
    assert again.tolist() == expected.labels_.tolist()
    for method in (kf.GFHF(), kf.LLGC()):
        fitted = method.fit(frame, y, tasks=tasks).labels_.tolist()
        assert method.fit(frame, y[MIXED], tasks=tasks[MIXED]).labels_.tolist() == fitted
        with pytest.raises(InputError, match="y and X have different indexes"):
            method.fit(frame, y.reset_index(drop=True), tasks=tasks)
    for fit in (expected.fit, expected.predict, kf.Kinfolk(2).fit, kf.suggest_clusters):
        with pytest.raises(InputError, match="tasks and (X|the table) have different indexes"):
            fit(frame, tasks=tasks.reset_index(drop=True))
    with pytest.raises(InputError, match="y and X have different indexes"):
        kf.Kinfolk(2).fit(frame, y.reset_index(drop=True), tasks=tasks)
    with pytest.raises(InputError, match="y and X have different indexes"):
        kf.search(kf.MEC(), {"n_clusters": [2]}, frame, tasks, y=y.reset_index(drop=True))


def test_comparisons_and_profiles_join_by_index():
    frame, tasks, y = six()
    given = {"tasks": tasks[MIXED], "target": y[MIXED], "n_clusters": 2, "method": "joint-spectral"}
    data = kf.compare(frame, **given).data
    assert data.tasks.tolist() == tasks.tolist()
    assert data.target.tolist() == y.astype(str).tolist()
    for role in ("tasks", "target"):
        with pytest.raises(InputError, match=f"{role} and the table have different indexes"):
            kf.compare(frame, **{**given, role: given[role].reset_index(drop=True)})
    kinds = pd.Series([0, 1] * 4, index=frame.index)
    for found in (kf.profile(frame, kinds), kf.profile(frame, kinds[MIXED])):
        assert found.columns[0].shown(0) == kf.profile(frame, [0, 1] * 4).columns[0].shown(0)
    with pytest.raises(InputError, match="kinds and the table have different indexes"):
        kf.profile(frame, kinds.reset_index(drop=True))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_comparisons_searches_and_suggestions_read_every_container(monkeypatch):
    # Fewer draws, from which numbers of clusters are equal too if the rows are.
    monkeypatch.setattr(cluster_count_criteria, "SPLITS", 2)
    monkeypatch.setattr(cluster_count_criteria, "PERMUTED_TABLES", 2)
    found = []
    for form in {**containers.FRAMES, **containers.OTHERS}.values():
        X = form(containers.ROWS)
        compared = kf.compare(X, tasks=containers.TASKS, n_clusters=2, method="joint-spectral")
        searched = kf.search(
            kf.MEC(),
            {"n_clusters": [2, 3]},
            X,
            containers.TASKS,
            n_starts=1,
            random_state=0,
        )
        suggested = kf.suggest_clusters(X, containers.TASKS, at_most=2, random_state=0)
        labels = compared.model.estimator.labels_.tolist()
        found.append((labels, searched.best_params_, suggested.numbers))
    assert all(answer == found[0] for answer in found)


def test_views_of_pandas_are_joined_by_index():
    frame, _, _ = six()
    X, _ = tables.join({"a": frame[["a"]], "b": frame.loc[MIXED, ["b"]]})
    np.testing.assert_array_equal(X, frame.to_numpy())
    with pytest.raises(InputError, match="view 'b' and the first have different indexes"):
        tables.join({"a": frame[["a"]], "b": frame[["b"]].reset_index()})
