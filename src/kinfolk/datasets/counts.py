"""Counts of terms, of which most are zero, in archives that keep only those that are not."""

import scipy.sparse as sp

from kinfolk.datasets.archives import Arrays


def table(arrays: Arrays) -> sp.csr_array:
    """Return the counts (documents, terms) as CSR of floats.

    Parameters
    ----------
    arrays : those of a file that `scipy.sparse.save_npz` has written of a CSR matrix

    >>> arrays = {"data": [2], "indices": [1], "indptr": [0, 1, 1], "shape": (2, 3)}
    >>> table(arrays).toarray()
    array([[0., 2., 0.],
           [0., 0., 0.]])
    """
    compressed = (arrays["data"], arrays["indices"], arrays["indptr"])
    return sp.csr_array(compressed, shape=tuple(arrays["shape"]), dtype=float)
