"""Largest eigenvalues by Lanczos steps, where some are equal."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kinfolk.numerics import lanczos


def star(k, size):
    """Link each row of k groups of equal rows with the others of its group, and with one hub."""
    S = np.kron(np.eye(k), np.ones((size, size)))
    S = np.pad(S, (0, 1), constant_values=1.0)
    np.fill_diagonal(S, 0.0)
    d = S.sum(axis=0)
    return S / np.sqrt(np.outer(d, d))


@pytest.mark.parametrize(("k", "size", "m"), [(10, 180, 10), (6, 60, 8), (20, 30, 12)])
def test_no_copy_of_an_equal_eigenvalue_is_missed(k, size, m):
    S = star(k, size)
    values, vectors = lanczos.largest(lambda x: S @ x, len(S), m)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(S)[::-1][:m], atol=1e-9)
    np.testing.assert_allclose(S @ vectors, vectors * values, atol=1e-8)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(m), atol=1e-8)


@pytest.mark.parametrize("seed", [1, 9])
def test_no_copy_is_missed_where_smaller_eigenvalues_are_close(seed):
    random = np.random.default_rng(seed)
    X = np.repeat(1000 * random.normal(size=(10, 3)), 40, axis=0) + random.normal(size=(400, 3))
    K = np.exp(-2.0 * cdist(X, X, "sqeuclidean"))
    scale = 1.0 / np.sqrt(K.sum(axis=0))
    M = K * scale * scale[:, None]
    values, _ = lanczos.largest(lambda x: M @ x, 400, 10)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(M)[::-1][:10], atol=1e-9)


def test_where_nothing_is_missed_there_is_one_search(monkeypatch):
    searches = []
    search = lanczos._steps
    monkeypatch.setattr(lanczos, "_steps", lambda *of: (searches.append(1), search(*of))[1])
    M = np.random.default_rng(0).normal(size=(400, 400))
    M += M.T
    values, _ = lanczos.largest(lambda x: M @ x, len(M), 5)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(M)[::-1][:5], atol=1e-9)
    assert len(searches) == 1


def test_rounding_of_large_eigenvalues_brings_no_further_search(monkeypatch):
    searches = []
    search = lanczos._steps
    monkeypatch.setattr(lanczos, "_steps", lambda *of: (searches.append(1), search(*of))[1])
    Q = np.linalg.qr(np.random.default_rng(4).normal(size=(200, 200)))[0]
    M = (Q * 1e10 * np.r_[np.ones(3), np.linspace(0.3, 0, 197)]) @ Q.T
    lanczos.largest(lambda x: M @ x, 200, 2)
    assert len(searches) == 1


def test_a_value_that_the_steps_missed_is_seen_beside_them():
    step = np.abs(np.subtract.outer(np.arange(441), np.arange(441)))
    step = np.minimum(step, 441 - step)
    S = ((step > 0) & (step <= 30)) / 60.0  # a ring: most eigenvalues come in pairs
    values, vectors = np.linalg.eigh(S)

    def beside(kept):
        return lanczos.beside(lambda x: S @ x, values[kept], vectors[:, kept])

    assert beside([-1, -2, -4]) > values[-4] + 1e-3  # without the second of a pair
    assert beside([-4, -3, -2]) == pytest.approx(1.0)
    assert beside([-1, -2, -3]) == pytest.approx(values[-4], abs=1e-3)
