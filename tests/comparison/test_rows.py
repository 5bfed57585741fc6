"""Rows of every kind of source become the same related data."""

import inspect
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import kinfolk as kf
from kinfolk import sources
from kinfolk.arguments import ReadArguments
from kinfolk.comparison import rows
from kinfolk.errors import InputError

FRAME = pd.DataFrame(
    {
        "shop": ["oslo", "oslo", "bergen", "bergen"],
        "age": [30.0, 41.0, 35.0, 62.0],
        "kind": ["old", "new", "old", "new"],
        "orders": [1, 0, 4, 2],
        "known": ["old", None, "", -1],
    }
)
X = FRAME[["age", "orders"]].to_numpy(float)
BY_NAME = {"tasks": "shop", "target": "kind", "labels": "known"}
BY_VALUE = {
    "tasks": FRAME["shop"].to_numpy(),
    "target": FRAME["kind"].tolist(),
    "labels": np.array(["old", "-1", "-1", "-1"]),
}


def assert_shops(found, names=("age", "orders")):
    assert found.data.tasks.tolist() == ["oslo", "oslo", "bergen", "bergen"]
    assert found.data.target.tolist() == ["old", "new", "old", "new"]
    assert found.labels.tolist() == ["old", "-1", "-1", "-1"]
    assert found.data.feature_names == names
    table = found.data.X
    np.testing.assert_array_equal(table.toarray() if sp.issparse(table) else table, X)
    assert found.data.row_ids.tolist() == ["1", "2", "3", "4"]


def test_a_frame_takes_names_of_columns_or_values():
    assert_shops(rows.collect(FRAME, BY_NAME))
    assert_shops(rows.collect(FRAME[["age", "orders"]], BY_VALUE))
    mixed = BY_NAME | {"tasks": BY_VALUE["tasks"]}
    assert_shops(rows.collect(FRAME.drop(columns="shop"), mixed))


def test_the_index_of_a_frame_says_nothing():
    assert_shops(rows.collect(FRAME.set_index(np.array([7, 7, 2, 0])), BY_NAME))


def test_a_dictionary_of_columns_takes_names_and_values_as_a_frame_does():
    columns = {name: values.tolist() for name, values in FRAME.items()}
    assert_shops(rows.collect(columns, BY_NAME))
    assert_shops(rows.collect({"age": columns["age"], "orders": columns["orders"]}, BY_VALUE))


def test_days_of_a_type_with_times_name_tasks_without_a_time():
    days = FRAME.assign(
        shop=pd.to_datetime(["2020-01-01", "2020-01-01", "2020-02-01", "2020-02-01"])
    )
    named = rows.collect(days, BY_NAME).data
    assert named.task_names == ["2020-01-01", "2020-02-01"]
    given = rows.collect(days[["age"]], {"tasks": days["shop"]}).data
    assert given.task_names == named.task_names


def test_several_frames_are_a_task_each_as_by_kf_read():
    shops = {shop: own.drop(columns="shop") for shop, own in FRAME.groupby("shop", sort=False)}
    roles = {"target": "kind", "labels": "known"}
    found = rows.collect(shops, roles)
    assert found.data.tasks.tolist() == ["oslo", "oslo", "bergen", "bergen"]
    assert found.data.X.tolist() == X.tolist()
    assert rows.collect([*shops.values()], roles).data.task_names == ["table 1", "table 2"]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_matrix, np.ndarray.tolist])
def test_an_array_takes_values(kind):
    assert_shops(rows.collect(kind(X), BY_VALUE), ("x0", "x1"))


def test_a_table_without_tasks_is_one_task():
    assert rows.collect(X, {}).data.task_names == ["all"]


def test_files_take_names_of_columns(tmp_path):
    FRAME.to_csv(tmp_path / "shops.csv", index=False)
    for source in (tmp_path / "shops.csv", str(tmp_path / "shops.csv"), [tmp_path / "shops.csv"]):
        assert_shops(rows.collect(source, BY_NAME))
    assert_shops(rows.collect(kf.read(tmp_path / "shops.csv", **BY_NAME), {}))


def test_files_without_a_column_of_tasks_are_a_task_each(tmp_path):
    for shop, part in FRAME.groupby("shop", sort=False):
        part[["age", "orders"]].to_csv(tmp_path / f"{shop}.csv", index=False)
    found = rows.collect((tmp_path / "oslo.csv", tmp_path / "bergen.csv"), {})
    assert found.data.tasks.tolist() == FRAME["shop"].tolist()


def test_related_data_keep_what_they_have_and_take_labels():
    data = rows.collect(FRAME, BY_NAME).data
    assert rows.collect(data, {}).data is data
    assert rows.collect(data, {"labels": BY_VALUE["labels"]}).labels.tolist()[0] == "old"
    reading = sources.Reading(data, ["a note"], BY_VALUE["labels"])
    assert rows.collect(reading, {}).notes == ["a note"]
    assert rows.collect(reading, {}).labels.tolist() == BY_VALUE["labels"].tolist()
    with pytest.raises(InputError, match="these rows have their own target, tasks: leave that"):
        rows.collect(data, {"tasks": BY_VALUE["tasks"], "target": BY_VALUE["target"]})


MIXED = FRAME.drop(columns="known").assign(
    plan=[1, 2, 1, 2], note=["a", "b", None, "d"], city=["oslo", "oslo", "bergen", "bergen"]
)


@pytest.mark.parametrize(
    "chosen",
    [
        {"kinds": {"plan": "category"}, "ignore": "note"},
        {"only": ["age", "plan"]},
        {"missing": "drop", "ignore": ["plan"]},
        {"row_id": "age", "only": "orders"},
        {"text": "city"},
        {"columns": "union", "missing_views": "error", "header": True},
    ],
)
def test_frames_and_files_take_the_arguments_of_kf_read(chosen, tmp_path):
    path = tmp_path / "table.csv"
    MIXED.to_csv(path, index=False)
    roles = {"tasks": "shop", "target": "kind", **dict.fromkeys(("text", "row_id"))}
    roles |= {role: name for role, name in chosen.items() if role in roles}
    others = {name: value for name, value in chosen.items() if name not in roles}
    expected = kf.read(path, **roles, **others)
    for source in (path, MIXED, MIXED.set_index(np.array([7, 7, 2, 0]))):
        found = rows.collect(source, roles, ReadArguments(**others)).data
        assert found.feature_names == expected.data.feature_names
        assert found.texts == expected.data.texts
        for name in ("tasks", "target", "row_ids"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected.data, name))
        kinds = [[(c.name, c.kind) for c in d.columns or ()] for d in (found, expected.data)]
        assert kinds[0] == kinds[1]


@pytest.mark.parametrize("function", [kf.read, kf.compare])
def test_public_functions_have_the_defaults_of_one_place(function):
    known = inspect.signature(function).parameters
    for field in fields(ReadArguments):
        assert known[field.name].default == field.default


def test_compare_hands_each_argument_on_under_its_name(monkeypatch):
    given = {field.name: field.name for field in fields(ReadArguments)}
    seen = []
    monkeypatch.setattr(rows, "collect", lambda source, roles, asked: seen.append(asked) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        kf.compare(FRAME, n_clusters=2, method="mec", **given)
    assert vars(seen[0]) == given


def test_values_beside_a_frame_go_with_its_rows():
    given = {"tasks": MIXED["shop"].tolist(), "target": [1, 2, 3, 4], "labels": [5, 6, -1, 8]}
    frame = MIXED.rename(columns={"age": "tasks"})
    found = rows.collect(frame, given, ReadArguments(ignore="shop", missing="drop"))
    assert found.data.tasks.tolist() == ["oslo", "oslo", "bergen"]
    assert found.data.target.tolist() == ["1", "2", "4"]
    assert found.labels.tolist() == [5, 6, 8]
    assert found.notes[-1] == "1 of 4 rows have gaps and are left out."
    assert "tasks" in [column.name for column in found.data.columns]


def test_a_model_of_a_frame_asks_for_no_values_that_were_given_beside_it():
    frame = MIXED[["age", "orders"]]
    given = {"tasks": MIXED["shop"].to_numpy(), "n_clusters": 1, "method": "per-task"}
    assert "tasks" not in kf.compare(frame, **given).model.roles
    named = kf.compare(MIXED, **given | {"tasks": "shop"}, only=["age", "orders"])
    assert named.model.roles["tasks"] == "shop"


def test_how_numbers_of_a_frame_were_read_is_told():
    frame = pd.DataFrame({"price": ["1,5", "2,5", "3,0"], "n": [3, 1, 2]})
    assert "with decimal commas" in rows.collect(frame, {}).notes[0]


@pytest.mark.parametrize(
    ("source", "roles", "chosen", "sentence"),
    [
        (MIXED, {}, {"only": ["age", "hue"]}, "only lists 'hue', which the table does not have"),
        (MIXED, {}, {"ignore": "hue"}, "the table has no column 'hue' to cluster on"),
        (MIXED, {}, {"kinds": {"age": "color"}}, "column 'age' is to be taken for 'color'"),
        (MIXED, {}, {"missing": "fill"}, "missing is 'fill'; choose one of"),
        (MIXED, {}, {"kinds": "age=number"}, "kinds is 'age=number'; give a dictionary"),
        (X, {}, {"kinds": {"x0": "category"}}, "no names of columns, which kinds needs"),
        (X, {"text": "note"}, {}, "no names of columns, which text needs"),
        (kf.read(MIXED), {}, {"ignore": ["age"]}, "have their own ignore: .* to kf.read"),
        ("penguins", {}, {"missing": "drop"}, "penguins is a named data set and takes no missing"),
    ],
)
def test_choices_that_do_not_fit_are_refused_in_a_sentence(source, roles, chosen, sentence):
    with pytest.raises(InputError, match=sentence):
        rows.collect(source, roles, ReadArguments(**chosen))


def test_a_column_of_two_numbers_may_be_picked_whole():
    both = [f"{120 + 3 * i % 7}/{80 + 5 * i % 11}" for i in range(40)]
    frame = pd.DataFrame({"bp": both, "n": range(40)})
    found = rows.collect(frame, {}, ReadArguments(only="bp")).data
    assert found.feature_names == ("bp (first)", "bp (second)")


VIEWS = {
    "slices without ends": {"one": slice(None, 2), "two": slice(-2, None)},
    "lists": {"one": [0, 1], "two": [2, 3]},
    "another order": {"two": slice(2, 4), "one": slice(0, 2)},
}


@pytest.mark.parametrize("form", VIEWS)
@pytest.mark.parametrize("kind", [np.array, sp.csr_matrix])
def test_a_stored_model_knows_views_of_any_form_and_order(form, kind, tmp_path):
    groups = [[9.0, 1.0, 9.0, 2.0], [1.0, 9.0, 2.0, 9.0]] * 10
    X = groups + np.random.default_rng(0).uniform(size=(20, 4))
    data = rows.collect(kind(X), {"views": VIEWS[form]}).data
    one = data.X[:, data.views["one"]]
    np.testing.assert_array_equal(one.toarray() if kind is sp.csr_matrix else one, X[:, :2])
    model = kf.compare(kind(X), views=VIEWS[form], n_clusters=2, method="comvcf").model
    kf.save(model, tmp_path / "model")
    found = kf.load(tmp_path / "model").assign(kind(X))
    np.testing.assert_array_equal(found.labels, model.estimator.labels_)


def test_a_column_in_two_views_is_refused():
    with pytest.raises(InputError, match="column 'x1' is in several views"):
        rows.collect(np.eye(3), {"views": {"one": slice(0, 2), "two": slice(1, 3)}})


def test_a_named_data_set_is_loaded_and_takes_no_columns():
    assert len(rows.collect("digits-two-sources", {}).data) == 600
    with pytest.raises(InputError, match="is a named data set and takes no tasks"):
        rows.collect("digits-two-sources", {"tasks": "source"})
    with pytest.raises(InputError, match="takes no --tasks, row_id"):
        rows.read(
            ["digits-two-sources"],
            {"tasks": "source", "row_id": "id", "labels": None},
            spelled={"tasks": "--tasks"},
        )


@pytest.mark.parametrize(
    ("source", "roles", "sentence"),
    [
        (X, {"tasks": ["a", "b"]}, r"tasks has shape \(2,\) but the table has 4 rows; give one"),
        (
            X,
            {"tasks": "shop"},
            r"tasks is 'shop' and the table has no names of columns: .* name of a column",
        ),
        (X, {"labels": [[1], [1], [2], [2]]}, r"labels has \[1\], which cannot be a name"),
        (X, {"tasks": ["a", "a", None, "b"]}, r"tasks is missing \(None or NaN\) in 1 rows"),
        (X, {"target": [1, 1, np.nan, 2]}, r"target is missing .* the first is row 2"),
        (X, {"target": [1, 1, "1", 2]}, "target has different values that read alike"),
        (X[:0], {}, r"the table has shape \(0, 2\): give at least one row"),
        (FRAME, {"tasks": "town"}, "the table has no column 'town'; it has"),
        (np.where(X == 41, np.nan, X), {}, "the table: data row 2 has nothing .* column 'x0'"),
        (np.where(X == 4, np.inf, X), {}, "data row 3 has an infinite number in column 'x1'"),
        (X[0], {}, "the table has 1 dimension; give rows and columns"),
        ([["a", "b"]], {}, "the table holds text, for example 'a'"),
        (FRAME.to_dict("records"), {}, "the table is a list of dictionaries; give a data frame"),
        (FRAME.groupby("shop"), {}, "the table is a DataFrameGroupBy; give a data frame"),
        ({"a": X, "b": X}, {}, "'a' of the dictionary is an ndarray of rows .* kf.stack"),
        (None, {}, "the table is None; give a data frame"),
        ("no-such-file", {"tasks": "shop"}, "There is no file no-such-file"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(source, roles, sentence):
    with pytest.raises(InputError, match=sentence):
        rows.collect(source, roles)
