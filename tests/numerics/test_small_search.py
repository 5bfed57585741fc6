"""Nearest rows of small tables are those of scikit-learn, to the last digit."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from kinfolk.numerics import graphs, small_search

RANDOM = np.random.default_rng(0)
TABLES = {
    "numbers": RANDOM.normal(size=(40, 7)),
    "counts with ties": RANDOM.integers(0, 3, size=(60, 3)).astype(float),
    "one direction": np.outer(np.arange(1.0, 13.0), [1.0, 2.0, 0.5]),
    "rows of zeros and tiny rows": np.vstack([np.zeros((3, 4)), 1e-15 * np.eye(4), np.eye(4)]),
    "columns first": np.asfortranarray(RANDOM.normal(size=(30, 11))),
    "every other row": RANDOM.normal(size=(50, 5))[::2],
    "two rows": np.array([[1.0, 2.0], [2.0, 1.0]]),
}


def asked(n):
    return sorted({1, min(3, n), n // 2, n - 1} - {0})


@pytest.mark.parametrize("table", TABLES)
def test_neighbors_of_the_rows_themselves_are_those_of_scikit_learn(table):
    X = TABLES[table]
    for l in (l for l in asked(len(X)) if l < len(X)):
        lengths, near = NearestNeighbors(n_neighbors=l, metric="cosine").fit(X).kneighbors()
        found = small_search.nearest(X, l)
        np.testing.assert_array_equal(found[1], near)
        np.testing.assert_array_equal(found[0], lengths)


@pytest.mark.parametrize("table", TABLES)
def test_neighbors_of_other_rows_are_those_of_scikit_learn(table):
    X = TABLES[table]
    rows = np.vstack([X[::3], RANDOM.normal(size=(4, X.shape[1])), np.zeros((1, X.shape[1]))])
    for l in asked(len(X)):
        search = NearestNeighbors(n_neighbors=l, metric="cosine").fit(X)
        lengths, near = search.kneighbors(rows)
        found = small_search.nearest(rows, l, X)
        np.testing.assert_array_equal(found[1], near)
        np.testing.assert_array_equal(found[0], lengths)


def test_a_table_stays_as_it_is():
    X = TABLES["rows of zeros and tiny rows"].copy()
    small_search.nearest(X, 2, X)
    np.testing.assert_array_equal(X, TABLES["rows of zeros and tiny rows"])


def test_graphs_search_small_tables_so(monkeypatch):
    X = TABLES["numbers"]
    expected = [graphs.nearest_by_cosine(X, 4), graphs.nearest_by_cosine(X[:9], 4, X)]
    monkeypatch.setattr(small_search, "MOST_PAIRS", 0)
    for few, usual in zip(
        expected, [graphs.nearest_by_cosine(X, 4), graphs.nearest_by_cosine(X[:9], 4, X)]
    ):
        np.testing.assert_array_equal(few.rows, usual.rows)
        np.testing.assert_array_equal(few.cosines, usual.cosines)
