"""Gaps of numbers that other columns of the row tell of."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.preparation import Preparation, gap_filling

RANDOM = np.random.default_rng(0)
N = 120
SIZE = RANDOM.normal(size=N)
WHOLE = pd.DataFrame(
    {
        "length": 40 + 5 * SIZE + RANDOM.normal(size=N) / 2,
        "width": 30 + 4 * SIZE + RANDOM.normal(size=N) / 2,
        "sort": np.where(SIZE > 0, "large", "small"),
    }
)
SITES = np.resize(["north", "south"], N)
MISSING = RANDOM.random(N) < 0.15


def with_gaps(frame=WHOLE, column="width", rows=MISSING):
    return frame.assign(**{column: frame[column].mask(rows)})


def read(frame, sites=SITES):
    return kf.read(frame.assign(site=sites), tasks="site").data


def prepared(frame, sites=SITES):
    preparation = Preparation()
    return np.asarray(preparation.fit_transform(read(frame, sites))), preparation


def test_gaps_of_columns_that_rise_together_stand_near_what_is_true():
    whole, _ = prepared(WHOLE)
    X, preparation = prepared(with_gaps())
    assert preparation.feature_names[:2] == ("length", "width")
    off = np.abs(X[MISSING, 1] - whole[MISSING, 1])
    assert off.mean() < 0.3  # 0.75 of the standard deviation from the median, in the mean
    rest = ~MISSING
    np.testing.assert_allclose(X[rest, 0], whole[rest, 0])
    assert any("what the other columns of the row make likely" in n for n in preparation.notes)


def test_categories_tell_of_gaps_in_numbers():
    X, _ = prepared(with_gaps(WHOLE[["width", "sort"]]))
    large = MISSING & (SIZE > 0)
    assert X[large, 0].mean() > 0.4
    assert X[MISSING & ~large, 0].mean() < -0.4


def test_rows_without_gaps_do_not_change():
    frame = WHOLE.assign(weight=RANDOM.normal(size=N))
    X, _ = prepared(with_gaps(frame, "weight"))
    whole, _ = prepared(frame)
    np.testing.assert_array_equal(X[:, :2], whole[:, :2])


def test_the_mark_of_a_gap_does_not_tell_of_its_value():
    many = RANDOM.random(N) < np.where(SIZE > 0, 0.85, 0.1)
    X, preparation = prepared(with_gaps(rows=many))
    assert "width is missing" in preparation.feature_names
    assert preparation._mixed.normals.means.shape[1] == 3  # length, width, sort
    assert np.corrcoef(X[many, 1], WHOLE["width"][many])[0, 1] > 0.95


def test_a_column_that_a_task_lacks_stays_at_the_middle():
    X, _ = prepared(with_gaps(rows=SITES == "south"))
    assert np.ptp(X[SITES == "south", 1]) == 0


def test_a_wide_table_keeps_medians(monkeypatch):
    monkeypatch.setattr(gap_filling, "MOST_COLUMNS", 2)
    X, preparation = prepared(with_gaps())
    north = MISSING & (SITES == "north")
    assert np.ptp(X[north, 1]) == 0
    assert any("by the median" in note for note in preparation.notes)


def test_many_tasks_share_a_covariance(monkeypatch):
    own = prepared(with_gaps())[1]._mixed.normals
    monkeypatch.setattr(gap_filling, "MOST_NUMBERS", 17)
    shared = prepared(with_gaps())[1]._mixed.normals
    assert own.covariances.shape == (3, 3, 3)
    np.testing.assert_array_equal(shared.covariances, own.covariances[-1:])


def test_rows_that_covariances_are_learned_from_are_taken_from_each_task(monkeypatch):
    monkeypatch.setattr(gap_filling, "MOST_ROWS", N // 2)
    X, _ = prepared(with_gaps())
    whole, _ = prepared(WHOLE)
    for site in ("north", "south"):
        rows = MISSING & (site == SITES)
        assert np.abs(X[rows, 1] - whole[rows, 1]).mean() < 0.35


def test_a_stored_preparation_fills_as_before_also_for_further_tasks():
    _, preparation = prepared(with_gaps())
    restored = Preparation.from_state(*preparation.to_state())
    new = read(with_gaps(rows=~MISSING), np.full(N, "west"))
    np.testing.assert_array_equal(restored.transform(new), preparation.transform(new))
    for each in (preparation, restored):
        each.add_tasks(new)
    X = np.asarray(restored.transform(new))
    np.testing.assert_array_equal(X, preparation.transform(new))
    correlation = np.corrcoef(X[~MISSING, 1], SIZE[~MISSING])[0, 1]
    assert correlation > 0.9


def test_a_preparation_of_an_older_version_fills_by_the_median():
    data = read(with_gaps())
    _, preparation = prepared(with_gaps())
    settings, arrays = preparation.to_state()
    older = Preparation.from_state(
        settings, {name: values for name, values in arrays.items() if "normal" not in name}
    )
    X = np.asarray(older.transform(data))
    assert np.ptp(X[MISSING & (SITES == "north"), 1]) == 0
    further = replace(data, tasks=np.full(N, "west"))
    older.add_tasks(further)
    assert np.ptp(np.asarray(older.transform(further))[MISSING, 1]) == 0


@pytest.mark.parametrize("column", ["length", "width"])
def test_units_of_a_column_do_not_matter(column):
    X, _ = prepared(with_gaps())
    scaled, _ = prepared(with_gaps(WHOLE.assign(**{column: 1e-3 * WHOLE[column] - 70})))
    np.testing.assert_allclose(scaled, X, atol=1e-9)
