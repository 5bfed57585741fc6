"""Two published methods of several views that cannot be run as they are printed."""

import numpy as np
import pytest

from made_views import related_views

X, VIEWS, _ = related_views(n=12)


def test_the_latent_step_of_fmr_has_no_minimum():
    """Its objective in H (Li et al. 2019) falls without bound."""
    centered = X - X.mean(axis=0)
    K = centered @ centered.T / (len(X) - 1) ** 2
    H = np.random.default_rng(0).normal(size=(3, len(X)))
    values = [-np.trace((c * H) @ K @ (c * H).T) for c in (1.0, 10.0, 1e3, 1e6)]
    assert (np.diff(values) < 0).all()
    assert values[-1] < 1e11 * values[0] < 0
    # Its gradient steps lengthen H by a factor that never falls: power iteration.
    lengths = []
    for _ in range(60):
        H = H + 2 * 0.5 * H @ K
        lengths.append(np.linalg.norm(H))
    growth = np.divide(lengths[1:], lengths[:-1])
    assert (growth > 1).all()
    assert growth[-1] >= growth[0]


def test_the_view_weights_of_co_fw_mvfcm_divide_by_zero():
    """Exponent -1/(beta-1), beta = t/s, at t = s (Yang, Sinaga 2021)."""
    s = 3
    exponents = []
    for t in range(1, 5):
        beta = t / s
        with np.errstate(divide="ignore"):
            exponents.append(-1 / np.float64(beta - 1))
    assert exponents[0] > 0 > exponents[3]  # the sense of the weights turns on the way
    assert np.isinf(exponents[2])


def test_the_memberships_of_co_fw_mvfcm_leave_the_unit_interval():
    """By equation (10) of Yang, Sinaga (2021), some leave [0, 1]."""
    alpha, s = 2.0, 3
    others = np.array([[1.0, 0.0], [1.0, 0.0]])  # of one row in the two other views
    phi = alpha * others.sum(axis=0)
    D = np.array([4.0, 1.0])

    def memberships(q):
        return phi / q + (1 - np.sum(phi / q)) * (1 / D) / np.sum(1 / D)

    printed = memberships(1 + alpha)
    assert printed.sum() == pytest.approx(1.0)
    assert printed.max() > 1
    assert printed.min() < 0
    assert memberships(1 + alpha * (s - 1)).min() >= 0  # the code's q is the right one
