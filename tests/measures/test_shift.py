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
