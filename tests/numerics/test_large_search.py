"""Nearest rows of large tables by landmarks: how many are found, their cosines, equal rows."""

import warnings

import numpy as np
import pytest

from kinfolk.numerics import distances, graphs, group_neighbors, large_search

RANDOM = np.random.default_rng(0)
CENTERS = RANDOM.normal(size=(10, 8))
X = CENTERS[RANDOM.integers(0, 10, 2500)] + 0.5 * RANDOM.normal(size=(2500, 8))
Z = distances.unit_rows(X)


def share_found(near, true):
    both = [len(np.intersect1d(a, b)) for a, b in zip(near, true, strict=True)]
    return np.mean(both) / true.shape[1]


def test_most_of_the_true_neighbors_are_found_with_their_cosines():
    C = Z @ Z.T
    np.fill_diagonal(C, -np.inf)
    near, cosines = large_search.nearest_directions(Z, Z, 10, themselves=True)
    assert share_found(near, np.argsort(-C, axis=1)[:, :10]) > 0.97
    np.testing.assert_allclose(cosines, np.take_along_axis(C, near, axis=1), rtol=1e-12)
    assert np.diff(cosines, axis=1).max() <= 0
    assert not (near == np.arange(2500)[:, None]).any()
    assert all(len(set(row)) == 10 for row in near.tolist())


def test_other_rows_find_rows_of_the_table():
    new = distances.unit_rows(X[:200] + 0.1)
    near, cosines = large_search.nearest_directions(new, Z, 5)
    C = new @ Z.T
    assert share_found(near, np.argsort(-C, axis=1)[:, :5]) > 0.97
    np.testing.assert_allclose(cosines, np.take_along_axis(C, near, axis=1), rtol=1e-12)


def test_equal_rows_find_each_other():
    doubled = np.vstack([Z, Z[:300]])
    near, cosines = large_search.nearest_directions(doubled, doubled, 1, themselves=True)
    np.testing.assert_array_equal(near[2500:, 0], np.arange(300))
    np.testing.assert_allclose(cosines[2500:, 0], 1.0)


def test_more_lists_are_asked_until_there_are_enough_rows(monkeypatch):
    monkeypatch.setattr(large_search, "LISTS", 1)
    near, cosines = large_search.nearest_directions(Z[:300], Z[:300], 40, themselves=True)
    assert np.isfinite(cosines).all()
    assert all(len(set(row)) == 40 for row in near.tolist())


def test_all_rows_are_found_where_all_lists_are_asked(monkeypatch):
    monkeypatch.setattr(large_search, "LISTS", 1000)
    near, _ = large_search.nearest_directions(Z[:400], Z[:400], 6, themselves=True)
    C = Z[:400] @ Z[:400].T
    np.fill_diagonal(C, -np.inf)
    np.testing.assert_array_equal(near, np.argsort(-C, axis=1)[:, :6])


@pytest.mark.parametrize("among", [None, X])
def test_the_search_of_all_methods_takes_landmarks_above_its_size(among, monkeypatch):
    exact = graphs.nearest_by_cosine(X[:600], 7, among)
    asked = []
    plain = large_search.nearest_directions

    def spied(*arguments, **options):
        asked.append(options)
        return plain(*arguments, **options)

    monkeypatch.setattr(large_search, "nearest_directions", spied)
    monkeypatch.setattr(large_search, "EXACT", 500)
    found = graphs.nearest_by_cosine(X[:600], 7, among)
    assert asked == [{"themselves": among is None}]
    assert share_found(found.rows, exact.rows) > 0.95


def test_groups_with_large_ones_among_them_are_searched_one_by_one(monkeypatch):
    groups = [np.arange(0, 1500, 2), np.arange(1, 300, 2)]
    exact = group_neighbors.nearest_cosines(X[:100], X, groups, 5)
    monkeypatch.setattr(large_search, "EXACT", 500)
    found = group_neighbors.nearest_cosines(X[:100], X, groups, 5)
    assert share_found(found[0].rows, exact[0].rows) > 0.95
    np.testing.assert_array_equal(found[1].rows, exact[1].rows)  # small: all pairs


def test_fewer_directions_than_landmarks_give_no_warning_of_scikit_learn():
    rows = np.eye(4)[np.arange(200) % 4]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        near, cosines = large_search.nearest_directions(rows, rows, 5, themselves=True)
    np.testing.assert_array_equal(near % 4, np.repeat(np.arange(200)[:, None] % 4, 5, axis=1))
    np.testing.assert_array_equal(cosines, 1.0)
