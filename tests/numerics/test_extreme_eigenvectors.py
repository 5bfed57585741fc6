"""Eigenvectors at the ends of a spectrum, also where LAPACK's search for some of them fails."""

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import centered_kernels, extreme_eigenvectors, spectra


def less_one(n):
    """I - u u', whose n - 1 largest eigenvalues are 1."""
    return np.eye(n) - np.full((n, n), 1.0 / n)


def assert_eigen(M, values, vectors, m):
    assert vectors.shape == (len(M), m)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(m), atol=1e-9)
    np.testing.assert_allclose(M @ vectors, vectors * values, atol=1e-9)


@pytest.mark.parametrize("n", [30, 600, 1000])
def test_no_vector_of_many_equal_eigenvalues_is_lost(n):
    M = less_one(n)
    for sign, found in ((1, extreme_eigenvectors.largest), (-1, extreme_eigenvectors.smallest)):
        values, vectors = found(sign * M, 5)
        assert_eigen(sign * M, values, vectors, 5)
        np.testing.assert_allclose(values, sign, atol=1e-9)


def test_callers_have_all_vectors_of_equal_eigenvalues():
    n = 999
    assert_eigen(less_one(n), 1.0, centered_kernels.leading(less_one(n), 7), 7)
    values, vectors = spectra.largest(sp.csr_array(less_one(n)), 7)
    assert_eigen(less_one(n), values, vectors, 7)


@pytest.mark.parametrize("m", [1, 4, 20])
def test_values_ascend_and_are_those_of_the_whole_matrix(m):
    M = np.random.default_rng(0).normal(size=(20, 20))
    M = M + M.T
    known = np.linalg.eigvalsh(M)
    values, vectors = extreme_eigenvectors.largest(M, m)
    np.testing.assert_allclose(values, known[20 - m :], atol=1e-9)
    assert_eigen(M, values, vectors, m)
    values, vectors = extreme_eigenvectors.smallest(M, m)
    np.testing.assert_allclose(values, known[:m], atol=1e-9)
    assert_eigen(M, values, vectors, m)


def test_no_vectors_are_none():
    assert extreme_eigenvectors.largest(np.empty((0, 0)), 0)[1].shape == (0, 0)
