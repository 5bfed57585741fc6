import numpy as np
import pytest
import scipy.sparse as sp

import oracles_mtsc as oracle
from kinfolk.numerics import joint_row_sparsity as sparsity
from kinfolk.numerics.joint_row_sparsity import CenteredTable, ColumnRidge

RANDOM = np.random.default_rng(0)
TABLES = {
    "tall": RANDOM.normal(size=(9, 4)) + 2.0,
    "wide": RANDOM.normal(size=(5, 12)) * (RANDOM.random((5, 12)) > 0.5),
    "square": RANDOM.normal(size=(6, 6)),
    "zeros": np.zeros((5, 3)),
    "a constant column": np.hstack([RANDOM.normal(size=(5, 8)), np.full((5, 1), 3.0)]),
}


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", TABLES)
def test_regressions_are_those_of_the_formula(name, form):
    X = TABLES[name]
    n, d = X.shape
    D = RANDOM.uniform(0.1, 50.0, size=d)
    F = RANDOM.normal(size=(n, 2))
    found = ColumnRidge(CenteredTable(form(X)), D, 0.7)
    W, b = oracle.ridge(X, F, D, 0.7)
    np.testing.assert_allclose(found.coefficients(F), W, atol=1e-10)
    H = oracle.centering(n)
    np.testing.assert_allclose(found.fitted(F), H @ X @ W, atol=1e-10)
    residual = F - X @ W - b
    left = np.sum(residual**2) + 0.7 * np.sum(D[:, None] * W**2)
    assert np.trace(F.T @ (H @ F - found.fitted(F))) == pytest.approx(left)  # (3)


def test_the_bound_touches_and_is_never_below():
    e = 0.01
    for p in (0.5, 1.0, 1.7, 2.0):
        for _ in range(20):
            here = [RANDOM.normal(size=(5, 2)), RANDOM.normal(size=(5, 3))]
            there = [W * RANDOM.choice([0.0, 0.1, 3.0], size=(5, 1)) for W in here]
            D = sparsity.row_weights(here, p, e)
            np.testing.assert_allclose(D, oracle.row_weights(here, p, e))
            rise = sum(np.sum(D[:, None] * (b**2 - a**2)) for a, b in zip(here, there, strict=True))
            bound = sparsity.penalty(here, p, e) + rise
            assert sparsity.penalty(there, p, e) <= bound * (1 + 1e-12)


def test_the_power_of_two_is_the_sum_of_squares():
    W = [RANDOM.normal(size=(4, 2)), RANDOM.normal(size=(4, 2))]
    assert (sparsity.row_weights(W, 2.0, 0.1) == 1).all()
    total = sum(np.sum(own**2) for own in W)
    assert sparsity.penalty(W, 2.0, 0.1) == pytest.approx(total + 0.4)
