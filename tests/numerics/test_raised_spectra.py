"""Leading eigenvectors of a graph plus a low-rank matrix, where eigenvalues are equal."""

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import local_graphs, raised_spectra, spectra

RANDOM = np.random.default_rng(0)
GROUPS = np.repeat(np.arange(6), 70)
N = len(GROUPS)  # more than are solved as a dense matrix
PLACES = 100.0 * np.eye(6)[GROUPS] + RANDOM.normal(size=(N, 6))
APART = spectra.normalized(local_graphs.local_graph(PLACES, 8))
BARELY = sp.csr_array(APART + 1e-12 * sp.csr_array(np.ones((N, N))))


@pytest.mark.parametrize("S", [APART, BARELY], ids=["apart", "barely linked"])
@pytest.mark.parametrize("k", [2, 4, 6, 8])
def test_every_copy_of_an_equal_eigenvalue_is_found(S, k):
    assert raised_spectra.DENSE < N
    B = np.eye(6)[GROUPS][:, :1] * 0.05
    M = S.toarray() + B @ B.T
    U = raised_spectra.leading(S, B, k)
    np.testing.assert_allclose(U.T @ U, np.eye(k), atol=1e-8)
    found = np.einsum("ij,ij->j", U, M @ U)
    np.testing.assert_allclose(found, np.linalg.eigvalsh(M)[::-1][:k], atol=1e-8)
