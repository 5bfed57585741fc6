import numpy as np
import pytest

from kinfolk.numerics import nonnegative, view_patterns
from kinfolk.numerics.concepts import membership_step
from kinfolk.numerics.linked_memberships import Rough, best_memberships
from kinfolk.numerics.view_patterns import ViewPatterns

RANDOM = np.random.default_rng(0)
THERE = np.array([[1, 1, 1], [1, 0, 1], [0, 1, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0]], dtype=float)
PARTS = [M @ M.T for M in RANDOM.normal(size=(3, 2, 4))]
Y = RANDOM.uniform(size=(6, 2))
B = RANDOM.normal(size=(6, 2))


def of_row(i):
    return sum(THERE[i, v] * PARTS[v] for v in range(3)) + 0.1 * np.eye(2)


def test_each_row_meets_the_matrix_of_the_views_that_it_has():
    patterns = ViewPatterns(THERE)
    A = patterns.matrices(PARTS, 0.1 * np.eye(2))
    np.testing.assert_allclose(A.times(Y), [y @ of_row(i) for i, y in enumerate(Y)])
    np.testing.assert_allclose(A.diagonals(6), [np.diag(of_row(i)) for i in range(6)])
    for v in range(3):
        own = sum(np.outer(Y[i], Y[i]) for i in range(6) if THERE[i, v])
        np.testing.assert_allclose(patterns.moments(Y, 3)[v], own)
    np.testing.assert_allclose(patterns.shares(3), [4 / 6, 4 / 6, 3 / 6])


def test_steps_with_a_matrix_for_each_row_are_those_of_the_rows_alone():
    A = ViewPatterns(THERE).matrices(PARTS, 0.1 * np.eye(2))
    shrink = np.array([0.2, 0.3])
    found = membership_step(Y, A, B, shrink, None, np.ones(2))
    best = best_memberships(A, B, Rough(), np.ones(2), Y)
    for i in range(6):
        own = membership_step(Y[[i]], of_row(i), B[[i]], shrink, None, np.ones(2))
        np.testing.assert_allclose(found[[i]], own)
        np.testing.assert_allclose(best[[i]], nonnegative.least_squares(of_row(i), B[[i]]))


@pytest.mark.parametrize("itself", [True, False])
def test_nearest_rows_are_those_of_the_views_that_both_have(itself):
    tables = [RANDOM.normal(size=(6, d)) * THERE[:, [v]] for v, d in enumerate((2, 3, 1))]
    sizes = []
    for v, X in enumerate(tables):
        own = X[THERE[:, v] > 0]
        sizes.append(np.mean(np.sum(np.square(own - own.mean(axis=0)), axis=1)))
    D = np.full((6, 6), np.inf)
    for i in range(6):
        for j in range(6):
            both = [v for v in range(3) if THERE[i, v] and THERE[j, v]]
            if both and not (itself and i == j):
                square = sum(np.sum(np.square(tables[v][i] - tables[v][j])) for v in both)
                D[i, j] = np.sqrt(square / (sum(sizes[v] for v in both) / sum(sizes)))
    lengths, near = view_patterns.nearest(tables, THERE, tables, THERE, 5, itself=itself)
    np.testing.assert_allclose(lengths, np.sort(D, axis=1)[:, :5], atol=1e-7)
    known = np.isfinite(lengths)
    np.testing.assert_allclose(np.take_along_axis(D, near, 1)[known], lengths[known], atol=1e-7)
    assert not known.all()  # rows 2 and 5 share no view
