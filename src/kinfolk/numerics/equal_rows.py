"""Finds equal rows by hashes of their nonzero entries.

A spectral method places a row of its fit by eigenvectors, and a new row by an extension of them. By
these hashes it recognizes a row of its fit that comes again, in a dense or a sparse table.
"""

import hashlib

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Table

HASH_BYTES = 8
"""Bytes of a hash: two of 10^5 different rows share one with a chance of 3e-10."""


def hashes(X: Table) -> NDArray[np.uint64]:
    """Hash (n,) of each row of X (n, d), equal for equal rows, whether dense or sparse.

    >>> dense = np.array([[0.0, 2.0], [1.0, 0.0], [-0.0, 2.0]])
    >>> found = hashes(dense)
    >>> found[0] == found[2] != found[1], (hashes(sp.csr_array(dense)) == found).all()
    (np.True_, np.True_)
    """
    rows = sp.csr_array(X).astype(np.float64)
    rows.eliminate_zeros()
    rows.sort_indices()
    columns = rows.indices.astype(np.int64)
    ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    digests = [
        hashlib.blake2b(
            columns[a:b].tobytes() + rows.data[a:b].tobytes(), digest_size=HASH_BYTES
        ).digest()
        for a, b in ends
    ]
    return np.frombuffer(b"".join(digests), dtype=np.uint64).copy()


def positions(found: NDArray[np.uint64], among: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Index (m,) in `among` (n,) of the first hash equal to each of `found` (m,), or -1.

    >>> positions(np.array([7, 5, 6], np.uint64), np.array([6, 7, 7], np.uint64)).tolist()
    [1, -1, 0]
    """
    values, first = np.unique(among, return_index=True)
    place = np.minimum(np.searchsorted(values, found), len(values) - 1)
    return np.where(values[place] == found, first[place], -1)
