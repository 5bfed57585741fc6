import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence

from kinfolk.errors import InputError
from kinfolk.numerics import labelled_cuts, spectra

RANDOM = np.random.default_rng(0)
W = RANDOM.uniform(size=(16, 16)) * (RANDOM.uniform(size=(16, 16)) < 0.4)
W = np.triu(W, 1) + np.triu(W, 1).T + 0.01 * (1 - np.eye(16))
SIDE = np.array([1.0] * 4 + [-1.0] * 3 + [0.0] * 9)


def matrix(beta, lam):
    """Matrix of the cut's quadratic form, entry by entry."""
    n = len(W)
    A = np.zeros((n, n))
    mean = W.sum() / n

    def tie(i, j, weight):
        A[i, i] += weight
        A[j, j] += weight
        A[i, j] -= weight
        A[j, i] -= weight

    for i in range(n):
        for j in range(i):
            tie(i, j, W[i, j])
            if SIDE[i] == SIDE[j] == 0:
                tie(i, j, lam * W[i, j])
            elif SIDE[i] == SIDE[j]:
                # The scatter of n_c rows is the sum over their pairs over n_c.
                tie(i, j, beta * mean / np.sum(SIDE[i] == SIDE))
    return A


@pytest.mark.parametrize(("beta", "lam"), [(0.0, 0.0), (15.0, 0.025), (0.3, 2.0)])
@pytest.mark.parametrize("dense", [True, False])
def test_the_cut_has_the_least_value_of_all_that_are_orthogonal_to_the_degrees(
    beta, lam, dense, monkeypatch
):
    monkeypatch.setattr(spectra, "DENSE", 1500 if dense else 3)
    found = labelled_cuts.cut(sp.csr_array(W), SIDE, beta, lam)
    A = matrix(beta, lam)
    d = W.sum(axis=1)
    assert found.x @ (d * found.x) == pytest.approx(1.0)
    assert d @ found.x == pytest.approx(0.0, abs=1e-6)
    assert found.x @ A @ found.x == pytest.approx(found.value, abs=1e-7)
    for _ in range(200):
        other = RANDOM.normal(size=16)
        other -= d @ other / d.sum()
        assert other @ A @ other >= found.value * (other @ (d * other)) - 1e-9
    assert found.x[SIDE > 0].mean() > found.x[SIDE < 0].mean()


def test_a_cut_whose_lanczos_steps_fail_is_that_of_a_dense_matrix(monkeypatch):
    expected = labelled_cuts.cut(sp.csr_array(W), SIDE, 15.0, 0.025)

    def fails(*given, **more):
        raise ArpackNoConvergence("no convergence", [], [])

    monkeypatch.setattr(spectra, "DENSE", 3)
    monkeypatch.setattr(labelled_cuts, "eigsh", fails)
    found = labelled_cuts.cut(sp.csr_array(W), SIDE, 15.0, 0.025)
    np.testing.assert_array_equal(found.x, expected.x)
    assert found.value == expected.value
    monkeypatch.setattr(spectra, "MOST_DENSE", 15)
    with pytest.raises(InputError, match="16 rows have eigenvalues too close together"):
        labelled_cuts.cut(sp.csr_array(W), SIDE, 15.0, 0.025)


def test_known_rows_of_a_side_have_one_place_at_a_large_weight():
    x = labelled_cuts.cut(sp.csr_array(W), SIDE, 1e6, 0.0).x
    for side in (1.0, -1.0):
        assert np.ptp(x[side == SIDE]) < 1e-4
