"""New rows reach a model from any source, and get the clusters that they have in `RelatedData`."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kinfolk as kf
from kinfolk.datasets import makers
from kinfolk.errors import InputError, UnknownTaskError
from kinfolk.models.model import Model

N = 40


def made(task, seed):
    draw = np.random.default_rng(seed)
    group = np.arange(N) % 2
    return pd.DataFrame(
        {
            "land": task,
            "age": 30 + 20 * group + draw.normal(0, 2, N),
            "plan": np.where(group, "gold", "free"),
        }
    )


NEW = made("NO", 7)
PLAIN = NEW.drop(columns="land")


def test_prepared_rows_of_the_only_task_need_no_name_of_it():
    X = np.array([[0.0], [1.0], [8.0], [9.0]])
    model = Model(kf.PerTask(n_clusters=2).fit(X), "kmeans")
    np.testing.assert_array_equal(model.assign_prepared(X, None).labels, model.estimator.labels_)


@pytest.fixture(scope="module")
def model():
    table = pd.concat([made("NO", 1), made("SE", 2)], ignore_index=True)
    return kf.compare(table, tasks="land", n_clusters=2, method="kmeans").model


@pytest.fixture(scope="module")
def expected(model):
    labels = model.assign(kf.read(NEW, tasks="land").data).labels
    assert len(set(labels)) == 2
    return labels


@pytest.mark.parametrize(
    ("source", "tasks"),
    [
        (NEW, None),
        (NEW.rename(columns={"land": "country"}), "country"),
        (PLAIN, "NO"),
        (PLAIN, ["NO"] * N),
        (PLAIN[["plan", "age"]], "NO"),
        (pl.from_pandas(NEW), None),
        (kf.read(NEW, tasks="land"), None),
    ],
    ids=["column of the fit", "column", "task", "task of each row", "order", "polars", "reading"],
)
def test_every_source_of_the_same_rows_gives_the_same_clusters(model, expected, source, tasks):
    np.testing.assert_array_equal(model.assign(source, tasks).labels, expected)


def test_a_stored_model_reads_a_file_by_the_columns_of_its_fit(model, expected, tmp_path):
    NEW.to_csv(tmp_path / "new.csv", index=False)
    kf.save(model, tmp_path / "model")
    found = kf.load(tmp_path / "model").assign(tmp_path / "new.csv")
    np.testing.assert_array_equal(found.labels, expected)


@pytest.mark.parametrize(
    ("source", "tasks", "error", "sentence"),
    [
        (PLAIN, None, InputError, "has no column 'land'"),
        (NEW.rename(columns=str.upper), None, InputError, "has no column 'land'; it has 'LAND'"),
        (NEW.iloc[:0], None, InputError, "has no rows: give at least one"),
        (NEW, "country", InputError, "has no column 'country'"),
        (PLAIN, ["NO"], InputError, "tasks has shape .1,. but the table has 40 rows"),
        (NEW.assign(land="FI"), None, UnknownTaskError, "task 'FI' was not there"),
        (kf.read(NEW, tasks="land"), "NO", InputError, "have tasks of their own"),
    ],
    ids=[
        "no column",
        "capitals",
        "no rows",
        "unknown column",
        "too few",
        "unknown task",
        "tasks twice",
    ],
)
def test_rows_without_a_known_task_are_refused(model, source, tasks, error, sentence):
    with pytest.raises(error, match=sentence):
        model.assign(source, tasks)


def test_arrays_need_the_columns_of_the_fit_and_a_task():
    data = makers.make_related_blobs(20, random_state=0)
    years = np.where(data.tasks == "task-0", 2019, 2020)
    model = kf.compare(data.X, tasks=years, n_clusters=3, method="kmeans").model
    own = model.assign(data.X[:4], tasks=2019)
    np.testing.assert_array_equal(own.labels, model.estimator.labels_[:4])
    np.testing.assert_array_equal(model.assign(data.X[:4], tasks=years[:4]).labels, own.labels)
    named = kf.compare(PLAIN[["age"]].fillna(1), n_clusters=2, method="kmeans").model
    with pytest.raises(InputError, match="no names of columns, and those of the fit have .'age'"):
        named.assign(np.ones((2, 1)))
    with pytest.raises(InputError, match="knows 2 tasks .*give tasks="):
        model.assign(data.X[:4])
    with pytest.raises(UnknownTaskError, match="task '2021' was not there"):
        model.assign(data.X[:4], tasks=2021)
    with pytest.raises(UnknownTaskError, match="task 'year' was not there"):
        model.assign(data.X[:4], tasks="year")
    with pytest.raises(InputError, match="new rows has 5 columns, and the model was fitted on 2"):
        model.assign(np.ones((2, 5)), tasks=2019)


def test_new_rows_are_read_by_the_columns_that_the_rows_of_the_fit_were_read_by():
    words = ["red apple", "green pear", "fast car", "slow bus"]
    posts = pd.DataFrame({"shop": ["a", "b"] * 20, "body": words * 10, "no": range(40)})
    read = kf.read(posts, tasks="shop", text="body", row_id="no")
    model = kf.compare(read, n_clusters=2, method="kmeans").model
    found = model.assign(posts.drop(columns="no"))
    np.testing.assert_array_equal(found.labels, model.assign(read).labels)


def test_words_in_a_column_of_numbers_are_gaps_and_told(model):
    new = NEW.astype({"age": object})
    new.loc[[3, 5], "age"] = ["abc", "many"]
    empty = new.replace({"age": {"abc": None, "many": None}})
    with pytest.warns(UserWarning, match=r"are gaps: age 2 \(such as 'abc'\)\.$") as caught:
        found = model.assign(new)
    assert len(caught) == 1
    np.testing.assert_array_equal(found.labels, model.assign(empty).labels)


@pytest.mark.parametrize(("source", "tasks"), [(NEW, "m"), (PLAIN, "m"), (PLAIN, None)])
def test_a_name_that_is_no_task_and_no_column_lists_both(model, source, tasks):
    said = r"it has .*'age', 'plan'.*name it \(tasks=\): the model knows 'NO', 'SE'\.$"
    with pytest.raises(UnknownTaskError, match=said):
        model.assign(source, tasks=tasks)
