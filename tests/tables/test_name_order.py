"""Data sets stand in the order of their names, wherever they are named."""

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kinfolk as kf
from kinfolk.errors import ClusterNumberWarning
from kinfolk.tables import Tasks
from kinfolk.tables.name_order import in_order, order_of, ordered_names

LEVELS = ["low", "medium", "high", "none of these"]
CYCLE = ["high", "low", "medium"]


def plans(n=60):
    return [CYCLE[i % 3] for i in range(n)]


def ordered(values, library):
    """Values as an ordered category of a library."""
    if library == "polars":
        return pl.Series("plan", values, dtype=pl.Enum(LEVELS))
    codes = [LEVELS.index(value) for value in values]
    if library == "arrow":
        column = pa.DictionaryArray.from_arrays(codes, LEVELS, ordered=True)
        return pa.chunked_array([column])
    return pd.Series(pd.Categorical(values, LEVELS, ordered=True), name="plan")


def rows(n=60):
    random = np.random.default_rng(0)
    return random.normal(size=(n, 2)) + 9.0 * (np.arange(n) // 3 % 3)[:, None]


def frame(library, n=60):
    X = rows(n)
    columns = {"a": X[:, 0], "b": X[:, 1], "plan": ordered(plans(n), library)}
    if library == "arrow":
        return pa.table(columns)
    return pl.DataFrame(columns) if library == "polars" else pd.DataFrame(columns)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["2009", "2007", "2010"], ["2007", "2009", "2010"]),
        (["10", "9", "-1.5"], ["-1.5", "9", "10"]),
        ([2009, 2007.5], [2007.5, 2009]),
        (["site 10", "site 2"], ["site 2", "site 10"]),
        (["2009/10", "2008/09"], ["2008/09", "2009/10"]),
        (["2009-01-31", "2008-12-31"], ["2008-12-31", "2009-01-31"]),
        (["31.12.2009", "01.02.2010", "02.01.2010"], ["31.12.2009", "02.01.2010", "01.02.2010"]),
        (["02/01/2010", "01/31/2010"], ["01/31/2010", "02/01/2010"]),
        (["1/2010", "12/2009"], ["12/2009", "1/2010"]),
        (["Q1 2010", "Q4 2009"], ["Q4 2009", "Q1 2010"]),
        (["Q12011", "Q42010", "Q12012"], ["Q42010", "Q12011", "Q12012"]),
        (["Sun", "Sat", "Thur", "Fri"], ["Thur", "Fri", "Sat", "Sun"]),
        (["März", "Januar", "Dezember"], ["Januar", "März", "Dezember"]),
        (
            [datetime.date(2010, 1, 1), datetime.date(2009, 1, 1)],
            [datetime.date(2009, 1, 1), datetime.date(2010, 1, 1)],
        ),
    ],
)
def test_numbers_and_dates_are_sorted_by_value(given, expected):
    assert in_order(given) == expected


@pytest.mark.parametrize(
    "given",
    [
        ["yes", "no"],
        [True, False],
        ["texas", "cornell"],
        ["May", "Jan"],
        ["Sun", "Sat", "any"],
        ["site 2", "lab 1"],
        ["2", "other"],
        [("no", 2), ("no", 1)],
        [2, "1"],
        [],
        [
            datetime.datetime(2010, 1, 1, tzinfo=datetime.UTC),
            datetime.datetime(2009, 1, 1),  # which no comparison takes with the other
        ],
    ],
)
def test_other_names_stay_in_the_order_in_which_they_appear(given):
    assert in_order(given) == given


def test_a_number_of_any_length_has_a_place():
    names = [f"run 1{'0' * 5000}{i}" for i in (2, 1)]
    assert in_order(names) == names[::-1]


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_an_ordered_category_gives_the_order(library):
    given = ordered(plans(), library)
    assert order_of(given) == tuple(LEVELS)
    assert Tasks.given(given, 60).names == ["low", "medium", "high"]
    assert Tasks.given(given, 60).of_rows().tolist() == plans()


def test_a_category_without_an_order_gives_none():
    assert order_of(pd.Categorical(plans())) == ()
    assert order_of(pd.Series(plans(), dtype="category")) == ()
    assert order_of(pl.Series(plans(), dtype=pl.Categorical)) == ()


@pytest.mark.parametrize("missing", ["impute", "drop"])
@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_reading_and_comparing_keep_the_order(library, missing):
    read = kf.read(frame(library), tasks="plan", missing=missing)
    assert read.data.task_names == ["low", "medium", "high"]
    assert read.data.tasks.tolist() == plans()
    found = kf.compare(read, n_clusters=3, method="kmeans")
    assert list(found.study.model.task_names_) == ["low", "medium", "high"]
    assert list(dict.fromkeys(found.frame()["task"])) == ["low", "medium", "high"]


def test_tasks_beside_a_table_keep_their_order():
    given = frame("pandas")
    found = kf.compare(given[["a", "b"]], tasks=given["plan"], n_clusters=3, method="kmeans")
    assert list(found.study.model.task_names_) == ["low", "medium", "high"]


def test_files_of_one_category_keep_its_order(tmp_path):
    whole = frame("pandas")
    parts = {"one": whole[:31], "two": whole[31:]}
    for name, part in parts.items():
        part.to_parquet(tmp_path / f"{name}.parquet")
    read = kf.read([tmp_path / "one.parquet", tmp_path / "two.parquet"], tasks="plan")
    assert read.data.task_names == ["low", "medium", "high"]
    blocks = kf.Blocks(tmp_path, tasks="plan", columns=["a", "b"])
    assert blocks.task_names == ["low", "medium", "high"]
    assert blocks.task_sizes == [20, 20, 20]


def test_blocks_stand_in_the_order_of_numbers(tmp_path):
    pd.DataFrame({"a": rows(30)[:, 0], "year": np.arange(30) % 3 * -1}).to_parquet(
        tmp_path / "t.parquet", row_group_size=10
    )
    blocks = kf.Blocks(tmp_path / "t.parquet", tasks="year", columns=["a"])
    assert blocks.task_names == [-2, -1, 0]


@pytest.mark.parametrize(
    "model",
    [
        kf.PerTask(kf.MEC(random_state=0), 3),
        kf.MTCFIR(3, random_state=0),
        kf.Kinfolk(3, families=["kmeans"], rows=10, random_state=0),
    ],
)
def test_estimators_keep_the_order(model):
    model.fit(rows(), tasks=ordered(plans(), "pandas"))
    assert list(model.task_names_) == ["low", "medium", "high"]
    # New rows may name the tasks in any order and container.
    np.testing.assert_array_equal(
        model.predict(rows(), tasks=plans()),
        model.predict(rows(), tasks=ordered(plans(), "polars")),
    )


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_a_column_that_is_named_keeps_the_order(library):
    table = frame(library)
    model = kf.PerTask(kf.MEC(random_state=0), 3).fit(table, tasks="plan")
    assert list(model.task_names_) == ["low", "medium", "high"]
    assert list(kf.by_task(table, "plan")) == ["low", "medium", "high"]


def test_suggested_numbers_keep_the_order():
    given = ordered(plans(), "pandas")
    model = kf.Kinfolk("auto", families=["kmeans"], random_state=0)
    with pytest.warns(ClusterNumberWarning, match="for low .* for medium .* for high"):
        model.fit(rows(), tasks=given)
    found = kf.suggest_clusters(rows(), given, at_most=2, random_state=0)
    assert [suggestion.task for suggestion in found] == ["low", "medium", "high"]


def test_clusters_do_not_depend_on_the_order_of_tasks():
    words = kf.MTCFIR(3, random_state=0).fit(rows(), tasks=plans())
    model = kf.MTCFIR(3, random_state=0).fit(rows(), tasks=ordered(plans(), "pandas"))
    np.testing.assert_array_equal(model.labels_, words.labels_)
    moved = [CYCLE.index(name) for name in model.task_names_]
    relatedness = words.task_relatedness_[np.ix_(moved, moved)]
    np.testing.assert_allclose(model.task_relatedness_, relatedness)


def test_a_stored_model_keeps_an_order_that_its_names_do_not_tell(tmp_path):
    model = kf.MTCFIR(3, random_state=0).fit(rows(), tasks=ordered(plans(), "pandas"))
    kf.save(model, tmp_path / "model")
    loaded = kf.load(tmp_path / "model").estimator
    assert list(loaded.task_names_) == ["low", "medium", "high"]
    np.testing.assert_array_equal(loaded.predict(rows(), plans()), model.predict(rows(), plans()))


def test_displays_and_measures_keep_the_order():
    given = ordered(plans(), "pandas")
    model = kf.PerTask(kf.MEC(random_state=0), 3).fit(rows(), tasks=given)
    display = kf.RowsDisplay.from_estimator(model, rows(), given)
    assert [axes.get_title() for axes in display.axes_] == ["low", "medium", "high"]
    display = kf.MatchedClustersDisplay.from_estimator(model, given)
    assert display.tasks == ["low", "medium", "high"]
    assert list(kf.measures.per_task(len, given, rows())) == ["low", "medium", "high"]
    assert list(kf.by_task(rows(), given)) == ["low", "medium", "high"]


def test_new_tasks_are_prepared_by_their_own_rows():
    random = np.random.default_rng(0)
    table = pd.DataFrame({"a": random.normal(size=60), "b": ["x", "y", "z"] * 20})
    table["year"] = [2000] * 20 + [2009] * 20 + [2003] * 20
    table.loc[table["year"] == 2009, "a"] += 100.0
    known = kf.Preparation()
    known.fit_transform(kf.read(table[:20], tasks="year"))
    both = kf.read(table[20:], tasks="year")
    known.add_tasks(both.data)
    means = kf.by_task(known.transform(both.data)[:, 0], both.data.tasks)
    np.testing.assert_allclose([of.mean() for of in means.values()], 0.0, atol=1e-12)


def test_an_order_is_kept_in_pickles_and_not_in_other_arrays():
    names = ordered_names(np.array(["b", "a"]), ["b", "a"])
    kept = pickle.loads(pickle.dumps(names[::-1]))  # noqa: S301 - of this line
    assert kept.tolist() == ["a", "b"]
    assert kept.order == ("b", "a")
    assert order_of(np.asarray(names)) == ()
