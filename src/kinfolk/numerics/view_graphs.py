"""Normalized nearest-neighbor graphs of several views; rows may lack some views.

    S_v = D^-1/2 W_v D^-1/2,   W_v of `local_graphs` on the rows that have view v

Symbols  S_v (n, n) sparse; `there` (n, V) is 1 where a row has a view; l nearest rows.
Limits   a row that lacks view v has no links in S_v.
"""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Matrix, Table
from kinfolk.numerics import local_graphs, spectra

# Bounds on half of the mean cluster size: with fewer links graphs fall apart, with more they reach
# other clusters.
FEWEST, MOST = 5, 20


def neighbors(n: int, k: int) -> int:
    """Number of neighbors for n rows in k clusters: n/(2k), from 5 to 20.

    >>> neighbors(100, 5), neighbors(2000, 10)
    (10, 20)
    """
    return int(np.clip(round(0.5 * n / k), FEWEST, MOST))


def normalized(tables: Sequence[Table], there: Matrix, l: int) -> list[sp.csr_array]:
    """Normalized graphs S_v (n, n) of all views (n, d_v); rows without a view have no links.

    >>> S = normalized([np.array([[0.0], [1.0], [9.0], [7.0]])], np.array([[1], [1], [0], [1]]), 1)
    >>> S[0].toarray().round(2)[:2]
    array([[0.  , 0.91, 0.  , 0.  ],
           [0.91, 0.  , 0.  , 0.42]])
    """
    positions = [np.flatnonzero(own) for own in there.T]
    return [
        of_rows(X[rows], rows, len(there), l) for X, rows in zip(tables, positions, strict=True)
    ]


def of_rows(X: Table, rows: NDArray[np.integer], n: int, l: int) -> sp.csr_array:
    """Normalized graph (n, n) of the rows X (m, d) that have a view, at positions (m,).

    >>> of_rows(np.array([[1.0], [2.0]]), np.array([0, 2]), 3, 1).toarray()
    array([[0., 0., 1.],
           [0., 0., 0.],
           [1., 0., 0.]])
    """
    return local_graphs.spread(spectra.normalized(local_graphs.local_graph(X, l)), rows, n)
