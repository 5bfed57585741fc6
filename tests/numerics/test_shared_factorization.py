import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import literal_lssmtc

import oracles_lssmtc as oracles
from kinfolk.estimators.descent import alternate
from kinfolk.numerics import shared_factorization
from kinfolk.numerics.subspaces import SUBSPACES
from oracles_lssmtc import CODES, table

RANDOM = np.random.default_rng(0)
ROWS = [np.flatnonzero(t == CODES) for t in (0, 1)]


def problem(X, lam, subspace, l, free=None):
    return shared_factorization.problem(X, ROWS, lam, SUBSPACES[subspace](X, l), free)


def descend(p, Y, max_iter):
    return alternate(
        shared_factorization.best_centers(p, Y),
        sweep=lambda s: shared_factorization.sweep(p, s),
        objective=lambda s: shared_factorization.objective(p, s),
        max_iter=max_iter,
        tol=0.0,
    )


@pytest.mark.parametrize("subspace", SUBSPACES)
@pytest.mark.parametrize("lam", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_one_sweep_and_the_objective_are_the_printed_formulas(form, lam, subspace):
    X, Y = table(6), RANDOM.uniform(size=(len(CODES), 3))
    p = problem(form(X), lam, subspace, 2)
    s = shared_factorization.best_centers(p, Y)
    np.testing.assert_allclose(s.F, oracles.centers(Y, oracles.product(X, s.W)), atol=1e-10)
    found = shared_factorization.sweep(p, s)
    for t in (0, 1):
        rows = t == CODES
        np.testing.assert_allclose(s.V[t], oracles.centers(Y[rows], X[rows]), atol=1e-10)
        expected = oracles.step(X[rows], Y[rows], s.V[t], s.W, s.F, lam)
        assert abs(expected - Y[rows]).max() > 0.05
        np.testing.assert_allclose(found.Y[rows], expected, rtol=1e-10)
    for point in (s, found):
        rest = subspace == "explained"
        known = oracles.objective(X, CODES, point.Y, point.V, point.W, point.F, lam, rest)
        assert shared_factorization.objective(p, point) == pytest.approx(known, rel=1e-10)


def test_the_published_subspace_is_renewed_from_the_new_memberships():
    X, Y = table(6), RANDOM.uniform(size=(len(CODES), 3))
    p = problem(X, 0.4, "published", 2)
    found = shared_factorization.sweep(p, shared_factorization.best_centers(p, Y))
    W = oracles.least_eigenvectors(X, found.Y, 2)
    np.testing.assert_allclose(found.W @ found.W.T, W @ W.T, atol=1e-9)


LITERAL = [
    *(
        (subspace, d, counts)
        for subspace in ("released", "explained")
        for d in (6, 40)
        for counts in (0, 1)
    ),
    ("published", 6, False),
    ("published", 9, True),
    ("published deficient", 9, True),
]


@pytest.mark.parametrize(("subspace", "d", "counts"), LITERAL)
def test_the_exact_form_is_the_literal_one(subspace, d, counts):
    X, Y = table(d, counts), RANDOM.uniform(size=(len(CODES), 3))
    if subspace == "published deficient":
        X[:, 6:] = X[:, :3]
    name = subspace.split()[0]
    labels, trace = literal_lssmtc.fit(X, CODES, Y, 2, 0.4, name, max_iter=12)
    for form in (np.asarray, sp.csr_array):
        p = problem(form(X), 0.4, name, 2)
        run = descend(p, Y, 12)
        np.testing.assert_allclose(run.trace, trace, rtol=1e-10)
        np.testing.assert_array_equal(run.state.Y.argmax(axis=1), labels)


def test_with_own_weight_zero_it_is_soft_k_means_of_all_in_every_direction_of_the_centers():
    X, Y = table(7), RANDOM.uniform(size=(len(CODES), 3))
    together = problem(X, 0.0, "explained", 3)
    single = shared_factorization.problem(X, [np.arange(len(X))])
    a, b = (descend(p, Y, 15) for p in (together, single))
    np.testing.assert_allclose(a.trace, b.trace, rtol=1e-10)
    np.testing.assert_allclose(a.state.Y, b.state.Y, rtol=1e-8)


def test_with_own_weight_zero_tasks_make_no_difference():
    X, Y = table(7), RANDOM.uniform(size=(len(CODES), 3))
    for subspace in SUBSPACES:
        pooled = shared_factorization.problem(
            X, [np.arange(len(X))], 0.0, SUBSPACES[subspace](X, 2)
        )
        runs = [descend(p, Y, 15) for p in (pooled, problem(X, 0.0, subspace, 2))]
        np.testing.assert_allclose(runs[0].trace, runs[1].trace, rtol=1e-10)
        np.testing.assert_allclose(runs[0].state.Y, runs[1].state.Y, rtol=1e-9)


def test_only_free_rows_move():
    X, Y = table(6), RANDOM.uniform(size=(len(CODES), 3))
    free = CODES == 1
    p = problem(X, 0.4, "explained", 2, free)
    s = shared_factorization.best_centers(p, Y)
    found = shared_factorization.sweep(p, s)
    np.testing.assert_array_equal(found.Y[~free], Y[~free])
    expected = oracles.step(X[free], Y[free], s.V[1], s.W, s.F, 0.4)
    np.testing.assert_allclose(found.Y[free], expected, rtol=1e-10)


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("lam", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_one_exact_sweep_is_the_centers_and_then_the_best_rows_of_both_terms(form, lam, mixed):
    """A row's share of J is that of (sqrt(lam) x, sqrt(1 - lam) x W) with centers put alike."""
    X, Y = table(6), RANDOM.uniform(size=(len(CODES), 3))
    made = SUBSPACES["explained"](form(X), 2)
    p = shared_factorization.problem(form(X), ROWS, lam, made, mixed=mixed)
    found = shared_factorization.exact_sweep(p, Y)
    best = oracles.mixed_rows if mixed else oracles.single_rows
    for rows in ROWS:
        V = oracles.centers(Y[rows], X[rows])
        both = np.hstack([lam**0.5 * X[rows], (1 - lam) ** 0.5 * X[rows] @ found.W])
        centers = np.hstack([lam**0.5 * V, (1 - lam) ** 0.5 * found.F])
        # Where centers outnumber directions other rows are as good.
        np.testing.assert_allclose(
            found.Y[rows] @ centers, best(both, centers) @ centers, atol=1e-7
        )


def test_exact_sweeps_move_free_rows_only():
    X, Y = table(6), RANDOM.uniform(size=(len(CODES), 3))
    free = CODES == 1
    p = problem(X, 0.4, "explained", 2, free)
    found = shared_factorization.exact_sweep(p, Y)
    np.testing.assert_array_equal(found.Y[~free], Y[~free])
    assert abs(found.Y[free] - Y[free]).min(axis=0).max() > 1e-3
