"""Leading eigenvectors of a sparse symmetric matrix plus a low-rank one.

    S + B B'

Symbols  S (n, n) sparse, B (n, r) dense, r small.
Exact    the sum is formed up to `DENSE` rows; above, Lanczos steps use products with S and B alone.
Limits   B = 0: the eigenvectors of S, though not by component as in `spectra`.
"""

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix
from kinfolk.numerics import extreme_eigenvectors, lanczos

DENSE = 300
"""Most rows for which the sum is formed: a dense solver is quicker there."""


def leading(S: sp.csr_array, B: Matrix, k: int) -> Matrix:
    """Eigenvectors (n, k) of the k largest eigenvalues of S + B B', largest first.

    >>> abs(leading(sp.csr_array(np.diag([3.0, 1.0, 2.0])), np.array([[0.0], [2.0], [0.0]]), 2))
    array([[0., 1.],
           [1., 0.],
           [0., 0.]])
    """
    n = S.shape[0]
    if n <= DENSE or 3 * k > n:  # Lanczos steps are slow for many vectors
        _, ascending = extreme_eigenvectors.largest(S.toarray() + B @ B.T, k)
        return np.ascontiguousarray(ascending[:, ::-1])

    def product(x: Matrix) -> Matrix:
        found: Matrix = S @ x + B @ (B.T @ x)
        return found

    return np.ascontiguousarray(lanczos.largest(product, n, k)[1])
