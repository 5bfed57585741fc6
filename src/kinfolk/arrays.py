"""Type aliases for arrays and tables.

By convention X is (n, d), samples in rows; U and Y are (n, k) memberships; V is (k, d)
centers. `docs/notation.md` lists every letter once.
"""

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.floating]
"""A dense two-dimensional array of floats."""

Vector: TypeAlias = NDArray[np.floating]
"""A dense one-dimensional array of floats."""

Table: TypeAlias = Matrix | sp.csr_array
"""A checked table (n, d): a dense Matrix, or a scipy.sparse.csr_array."""

Operand: TypeAlias = Table | sp.csc_array
"""A Table or its transpose."""

Labels: TypeAlias = NDArray[np.integer]
"""One integer per row: a cluster, a class or the position of a task."""

MatrixLike: TypeAlias = Any
"""Tables as users give them: array-likes, data frames, SciPy's sparse matrices."""

Seed: TypeAlias = int | np.random.RandomState | None
"""Values of scikit-learn's `random_state`."""
