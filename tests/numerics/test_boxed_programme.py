"""The interior-point method: optimality conditions of its answers, dense, sparse and wide."""

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import boxed_programme


def conditions(A, kappa, b, most, low, high):
    """Largest violation of the optimality conditions of b, as a share of the largest kappa."""
    slope = A @ (A.T @ b) - kappa
    total = b.sum()
    near = 1e-6 * most
    free = (b > near) & (b < most - near)
    if abs(total - low) < 1e-6 or abs(total - high) < 1e-6:
        y = np.median(slope[free])
        assert y >= -1e-7 if abs(total - low) < 1e-6 else y <= 1e-7
    else:
        y = 0.0
    worst = [abs(slope[free] - y), y - slope[b <= near], slope[b >= most - near] - y]
    return max(found.max(initial=0.0) for found in worst) / abs(kappa).max()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("n", "d"), [(60, 7), (40, 90), (200, 50)])
@pytest.mark.parametrize("band", [(0.0, 1e3), (30.0, 31.0), (5.0, 8.0)])
def test_answers_meet_the_conditions_of_their_minimum(seed, n, d, band):
    random = np.random.default_rng(seed)
    A = random.normal(size=(n, d)) + random.normal(size=d)
    kappa = A @ random.normal(size=d) * n / 4
    b = boxed_programme.solution(A, kappa, 1.7, *band)
    assert b.min() >= 0
    assert b.max() <= 1.7
    assert band[0] - 1e-7 <= b.sum() <= band[1] + 1e-7
    assert conditions(A, kappa, b, 1.7, *band) < 1e-8
    again = boxed_programme.solution(sp.csr_array(A), kappa, 1.7, *band)
    np.testing.assert_allclose(A.T @ again, A.T @ b, atol=1e-6)


def test_rows_of_zeros_and_equal_rows_have_an_answer():
    A = np.vstack([np.zeros((3, 2)), np.ones((4, 2))])
    b = boxed_programme.solution(A, A @ np.array([1.0, 2.0]), 10.0, 0.0, 50.0)
    assert b[3:].sum() == pytest.approx(1.5, rel=1e-9)
    assert np.isfinite(boxed_programme.solution(np.zeros((3, 2)), np.zeros(3), 1.0, 0.0, 9.0)).all()
