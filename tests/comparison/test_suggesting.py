"""Numbers of clusters are suggested for rows from any source that `kf.compare` takes."""

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf

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
