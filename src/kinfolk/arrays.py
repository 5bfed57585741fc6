"""The vocabulary of shapes: names for the arrays that every other file speaks of.

By convention X is (n, d), samples in rows; U and Y are (n, k) memberships; V is (k, d)
centres. `docs/notation.md` lists every letter once.
"""

from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

Matrix: TypeAlias = NDArray[np.floating]
"""A dense two-dimensional array of floats."""

Vector: TypeAlias = NDArray[np.floating]
"""A dense one-dimensional array of floats."""

Table: TypeAlias = Matrix | sp.csr_array
"""A checked table: dense, or compressed sparse rows."""

Labels: TypeAlias = NDArray[np.integer]
"""One integer a row: a cluster, a class or the position of a task."""

MatrixLike: TypeAlias = ArrayLike | sp.sparray | sp.spmatrix
"""What a user may hand over as a table; data frames count as array-likes."""

Seed: TypeAlias = int | np.random.RandomState | None
"""What scikit-learn takes as `random_state`."""
