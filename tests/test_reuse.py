import numpy as np
import pytest

import reuse
from kinfolk.numerics import starts

X = np.array([[0.0], [1.0], [9.0]])


@pytest.fixture
def calls():
    return []


@pytest.fixture
def labels(calls):
    """A function that records its calls and divides rows at a number that the seed decides."""

    def divided(X, k, seed, **given):
        calls.append(seed)
        return (X[:, 0] > k + seed).astype(int) if isinstance(seed, int) else np.zeros(len(X))

    return reuse.once(divided)


def test_equal_arguments_are_computed_once(labels, calls):
    np.testing.assert_array_equal(labels(X, 2, 0), labels(X.copy(), 2, 0))
    assert calls == [0]


@pytest.mark.parametrize("other", [(X + 1, 2, 0), (X, 3, 0), (X, 2, 1), (X.astype("f4"), 2, 0)])
def test_other_rows_numbers_seeds_and_types_are_computed_anew(labels, calls, other):
    labels(X, 2, 0)
    labels(*other)
    assert len(calls) == 2


def test_a_caller_who_changes_the_result_changes_it_for_nobody_else(labels):
    labels(X, 2, 0)[:] = 7
    assert labels(X, 2, 0).tolist() == [0, 0, 1]


@pytest.mark.parametrize("given", [{"overwrite": True}, {"copy_x": False}])
def test_calls_that_may_change_the_rows_always_run(labels, calls, given):
    labels(X, 2, 0, **given)
    labels(X, 2, 0, **given)
    assert calls == [0, 0]


@pytest.mark.parametrize("seed", [None, np.random.RandomState(0), [1, None]])
def test_calls_without_a_fixed_seed_always_run(labels, calls, seed):
    labels(X, 2, seed)
    labels(X, 2, seed)
    assert len(calls) == 2


def test_large_rows_are_not_kept(labels, calls):
    rows = np.zeros((reuse.LARGEST // 8 + 1, 1))
    labels(rows, 2, 0)
    labels(rows, 2, 0)
    assert len(calls) == 2


@pytest.mark.usefixtures("equal_kmeans_run_once")
def test_a_repeated_k_means_equals_the_first():
    rows = np.random.default_rng(0).normal(size=(30, 2))
    first = starts.means(rows, 3, 5)
    again = starts.means(rows, 3, 5)
    assert again is not first
    np.testing.assert_array_equal(again.cluster_centers_, first.cluster_centers_)
    np.testing.assert_array_equal(again.predict(rows), first.labels_)
