import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.errors import InputError
from kinfolk.measures import mmd
from kinfolk.numerics import discrepancy


def test_each_pair_of_tasks_has_its_discrepancy():
    rng = np.random.default_rng(0)
    tasks = np.array(["a", "b", "c"])[rng.integers(0, 3, 60)]
    X = rng.standard_normal((60, 4)) + (tasks == "b")[:, None]
    names = list(dict.fromkeys(tasks))
    found = mmd(X, tasks, bandwidth=2.0)
    for t, one in enumerate(names):
        for s, other in enumerate(names):
            squared = discrepancy.squared_mmd(X[tasks == one], X[tasks == other], bandwidth=2.0)
            assert found[t, s] ** 2 == pytest.approx(squared, abs=1e-12)
    np.testing.assert_allclose(found, mmd(sp.csr_array(X), tasks, bandwidth=2.0), rtol=1e-12)


def test_a_shifted_task_is_further_away_than_one_of_the_same_distribution():
    rng = np.random.default_rng(1)
    X = np.vstack(
        [
            rng.standard_normal((200, 3)),
            rng.standard_normal((200, 3)),
            rng.standard_normal((200, 3)) + 1,
        ]
    )
    found = mmd(X, np.repeat([0, 1, 2], 200))
    assert found[0, 1] < 0.2 * found[0, 2]


def test_wrong_number_of_tasks_is_said():
    with pytest.raises(InputError, match=r"tasks has shape \(2,\) but the table has 3 rows"):
        mmd(np.zeros((3, 1)), ["a", "b"])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("bandwidth", [1e-9, 1e-160, 1e-300, 5e-324])
def test_a_small_bandwidth_tells_equal_rows_from_others(bandwidth, sparse):
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[5] = X[6]
    X[30] = X[7]
    # One pair of equal rows within a, one between a and b.
    expected = np.sqrt((20 + 2 + 20 - 2) / 400)
    found = mmd(sp.csr_array(X) if sparse else X, ["a"] * 20 + ["b"] * 20, bandwidth=bandwidth)
    assert found[0, 1] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("bandwidth", [1e160, 1e300, 1.7e308])
def test_beside_a_large_bandwidth_there_is_no_discrepancy(bandwidth):
    assert mmd([[0.0], [1.0], [9.0]], ["a", "a", "b"], bandwidth=bandwidth)[0, 1] == 0.0


@pytest.mark.parametrize("bandwidth", [0, -1.0, float("nan"), float("inf"), 10**400, True])
def test_a_bandwidth_that_is_no_positive_number_is_refused(bandwidth):
    with pytest.raises(InputError, match="must be above 0"):
        mmd(np.zeros((2, 1)), ["a", "b"], bandwidth=bandwidth)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("scale", [1e154, 1e300, 1e307, 1e-160, 1e-300])
def test_the_unit_does_not_matter_at_the_ends_of_floating_point(scale, sparse):
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[20:] += 2
    tasks = ["a"] * 20 + ["b"] * 20
    table = sp.csr_array(X * scale) if sparse else X * scale
    for bandwidth in (None, 0.7):
        given = None if bandwidth is None else bandwidth * scale
        expected = mmd(X, tasks, bandwidth=bandwidth)
        np.testing.assert_allclose(mmd(table, tasks, bandwidth=given), expected, rtol=1e-6)
    expected = mmd(X, tasks, kernel="linear") * scale
    np.testing.assert_allclose(mmd(table, tasks, kernel="linear"), expected, rtol=1e-6)
