"""Numbers of clusters are suggested for rows from any source that `kf.compare` takes."""

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.errors import InputError

FEW = {"at_most": 3, "random_state": 0}


@pytest.fixture(scope="module")
def table():
    draw = np.random.default_rng(0)
    group = np.arange(80) % 2
    return pd.DataFrame(
        {
            "shop": np.repeat(["a", "b"], 40),
            "size": 5 + 9 * group + draw.normal(0, 1, 80),
            "plan": np.where(group, "gold", "free"),
        }
    )


def test_a_frame_a_file_and_a_reading_of_the_same_rows_have_the_same_suggestions(table, tmp_path):
    table.to_csv(tmp_path / "shops.csv", index=False)
    expected = kf.suggest_clusters(table, "shop", **FEW)
    assert expected.numbers == {"a": 2, "b": 2}
    for source, tasks in (
        (tmp_path / "shops.csv", "shop"),
        (kf.read(table, tasks="shop"), None),
        (kf.read(table, tasks="shop").data, None),
    ):
        found = kf.suggest_clusters(source, tasks, **FEW)
        assert repr(found) == repr(expected)
        assert [s.curve for s in found] == [s.curve for s in expected]


def test_tables_of_numbers_keep_the_names_of_tasks(table):
    numbers = table[["size"]].assign(other=table["size"] % 1)
    years = np.where(table["shop"] == "a", 2019, 2020)
    assert set(kf.suggest_clusters(numbers, years, **FEW).numbers) == {2019, 2020}
    assert set(kf.suggest_clusters(numbers.to_numpy(), years, **FEW).numbers) == {2019, 2020}


def test_columns_are_chosen_as_for_compare(table):
    more = table.assign(
        order=np.arange(80), note=["good cheap wine", "dear bread"] * 40, zip=np.arange(80) % 3
    )
    more.loc[3, "size"] = np.nan
    chosen = {"only": ["size", "plan", "zip"], "kinds": {"zip": "category"}, "missing": "drop"}
    found = kf.suggest_clusters(more, "shop", **chosen, **FEW)
    read = kf.read(more, tasks="shop", **chosen)
    assert len(read.data) == 79
    assert [s.curve for s in found] == [s.curve for s in kf.suggest_clusters(read, **FEW)]
    ignored = kf.suggest_clusters(more, "shop", ignore=["order", "note", "zip"], **FEW)
    without = more.drop(columns=["order", "note", "zip"])
    assert [s.curve for s in ignored] == [
        s.curve for s in kf.suggest_clusters(without, "shop", **FEW)
    ]
    ignored = kf.suggest_clusters(more, "shop", row_id="order", text="note", **FEW)
    assert [s.curve for s in ignored] != [s.curve for s in found]


def test_true_classes_are_not_looked_at(table):
    numbers = table[["shop", "size"]].assign(other=table["size"] % 1)
    given = numbers.assign(truth=np.arange(80) // 10)
    found = kf.suggest_clusters(given, "shop", target="truth", **FEW)
    expected = kf.suggest_clusters(numbers, "shop", **FEW)
    assert [s.curve for s in found] == [s.curve for s in expected]
    X = numbers[["size", "other"]].to_numpy()
    found = kf.suggest_clusters(X, table["shop"], target=given["truth"], **FEW)
    assert [s.curve for s in found] == [s.curve for s in expected]


def test_choices_that_do_not_fit_the_rows_are_refused(table):
    with pytest.raises(InputError, match="no names of columns, which only needs"):
        kf.suggest_clusters(table[["size"]].to_numpy(), only=["size"])
    with pytest.raises(InputError, match="these rows have their own ignore"):
        kf.suggest_clusters(kf.read(table, tasks="shop"), ignore="size")
    with pytest.raises(InputError, match="'coler'"):
        kf.suggest_clusters(table, "shop", kinds={"coler": "category"})
