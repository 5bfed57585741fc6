"""LSSMTC with close means of tasks, the reconstruction of MCDA."""

import numpy as np
import pytest
import scipy.sparse as sp

import kinfolk as kf
import oracles_lssmtc as oracle
from kinfolk.errors import InputError
from kinfolk.methods.multitask.shared_subspace import LSSMTC
from kinfolk.numerics import seminonnegative, shared_factorization
from kinfolk.numerics.subspaces import CloseMeans

CODES = np.repeat([0, 1, 2], [9, 7, 8])


def drawn(d, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(24, d)) + 2.0 * random.normal(size=(3, d))[CODES]


def gap(X, W):
    """Mean squared distance between tasks' means in the subspace W, over pairs."""
    means = [np.mean([X[i] @ W for i in np.flatnonzero(t == CODES)], axis=0) for t in range(3)]
    pairs = [(0, 1), (0, 2), (1, 2)]
    return np.mean([np.sum((means[t] - means[s]) ** 2) for t, s in pairs])


def start(X, weight, l=3, lam=0.4):
    p = shared_factorization.problem(
        X, [np.flatnonzero(t == CODES) for t in range(3)], lam, CloseMeans(X, l, CODES, weight)
    )
    Y = np.random.default_rng(1).random((24, 3))
    return p, shared_factorization.best_centers(p, Y)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("d", [6, 40])
def test_the_objective_is_that_of_the_loops(form, d):
    X = drawn(d)
    p, s = start(form(X), 0.7)
    J = oracle.objective(X, CODES, s.Y, s.V, s.W, s.F, 0.4, counts_rest=True)
    expected = J + 0.6 * 0.7 * 24 * gap(X, s.W)
    assert shared_factorization.objective(p, s) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("weight", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("d", [6, 40])
def test_no_other_directions_are_better(weight, d):
    X = drawn(d)
    p, s = start(X, weight)
    least = shared_factorization.objective(p, s)
    random = np.random.default_rng(2)
    for width in (1, 2, 3):
        for step in (0.03, 0.3, 3.0):
            for _ in range(10):
                near = s.W @ random.normal(size=(s.W.shape[1], width))
                W = np.linalg.qr(near + step * random.normal(size=(d, width)))[0]
                F = np.linalg.lstsq(s.Y, X @ W, rcond=None)[0]
                other = shared_factorization.objective(p, s._replace(W=W, F=F, XW=X @ W))
                assert other >= least - 1e-9 * least


def test_without_weight_it_is_lssmtc_to_the_last_digit():
    X = drawn(6)
    settings = {"n_components": 2, "n_init": 2, "random_state": 0}
    expected = LSSMTC(3, **settings).fit(X, tasks=CODES)
    found = LSSMTC(3, gap_weight=0.0, **settings).fit(X, tasks=CODES)
    np.testing.assert_array_equal(found.components_, expected.components_)
    tiny = LSSMTC(3, gap_weight=1e-12, **settings).fit(X, tasks=CODES)
    np.testing.assert_allclose(tiny.objective_trace_, expected.objective_trace_, rtol=1e-9)


def test_more_weight_brings_the_means_of_tasks_together():
    X = drawn(6)
    settings = {"n_components": 1, "random_state": 0}
    models = [LSSMTC(3, gap_weight=w, **settings).fit(X, tasks=CODES) for w in (0.0, 0.3, 1e3)]
    gaps = [gap(X, model.components_) for model in models]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-3 * gaps[0]


def test_shifted_tasks_share_the_direction_of_their_clusters():
    random = np.random.default_rng(5)
    X = random.normal(size=(60, 3)) * [0.5, 0.5, 0.3]
    truth = np.arange(60) % 2
    tasks = np.repeat([0, 1], 30)
    X[:, 0] += 3.0 * truth
    X[:, 1] += 12.0 * tasks
    mcda = kf.catalogue.method("mcda").make(n_components=1, n_init=2, random_state=0)
    mcda.fit(X, tasks=tasks)
    lssmtc = LSSMTC(2, n_components=1, n_init=2, random_state=0).fit(X, tasks=tasks)
    assert abs(mcda.components_[1, 0]) < 0.1
    assert abs(lssmtc.components_[1, 0]) > 0.5


def test_at_least_one_direction_is_kept():
    X = np.repeat(np.eye(2), 6, axis=0) + 0.0
    tasks = np.repeat([0, 1], 6)
    W = CloseMeans(X, 2, tasks, 1e3)(X.T @ seminonnegative.orthonormal_basis(X).O)
    assert W.shape[1] == 1


def test_other_subspaces_are_refused():
    with pytest.raises(InputError, match="gap_weight is 2 and subspace is 'pub.*gap_weight=0"):
        LSSMTC(2, subspace="published", gap_weight=2.0).fit(drawn(6), tasks=CODES)
    with pytest.raises(InputError, match="gap_weight is -1"):
        LSSMTC(2, gap_weight=-1).fit(drawn(6), tasks=CODES)
