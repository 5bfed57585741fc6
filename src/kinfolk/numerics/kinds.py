"""Kind of a table, which says what its zeros mean, and the affinity of rows that suits it.

counts        sparse, or whole numbers >= 0 of which 1 is the commonest above 0: words, ticks
amounts       no number below 0 and a tenth of all exactly 0: brightness, spectra
measurements  everything else: zero is an arbitrary place on the scale
"""

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Table

# Measured values are rarely exactly zero; amounts of something often are.
SHARE_OF_ZEROS = 0.1

# A dense table with more zeros than this is one that others would hold as sparse: words, weighted.
MOSTLY_ZEROS = 0.9

AUTO = "auto"
"""Name of the affinity that `affinity` chooses by the kind of the table."""


def kind(X: Table) -> str:
    """Kind of the table X (n, d): "counts", "amounts" or "measurements".

    >>> kind(np.array([[3.1, 0.5], [1.0, 2.0]])), kind(np.array([[0, 1], [1, 2]]))
    ('measurements', 'counts')
    """
    if sp.issparse(X):
        return "counts"
    if X.min(initial=0.0) < 0:
        return "measurements"
    values, times = np.unique(X[X > 0], return_counts=True)
    # 1 is the commonest count of words and ticks, not the commonest brightness.
    if len(values) and values[times.argmax()] == 1 and np.array_equal(values, np.floor(values)):
        return "counts"
    return "amounts" if np.count_nonzero(X) <= (1 - SHARE_OF_ZEROS) * X.size else "measurements"


def affinity(name: str, X: Table) -> str:
    """Name of an affinity; for "auto" the one that suits the table X (n, d).

    Cosines for counts and for tables that are nine tenths zero: there the angle between two rows
    says what they share. Elsewhere the cosines of all pairs may be near 1: "gaussian". (Local
    scales follow gaps between rows, which yes/no columns have everywhere: `docs/methods.md`.)

    >>> affinity("auto", np.array([[5.1, 3.5], [4.9, 3.0]])), affinity("auto", np.eye(20))
    ('gaussian', 'cosine')
    """
    if name != AUTO:
        return name
    sparse = sp.issparse(X) or np.count_nonzero(X) <= (1 - MOSTLY_ZEROS) * X.size
    return "cosine" if sparse or kind(X) == "counts" else "gaussian"
