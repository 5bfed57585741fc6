"""One table of zeros and ones in every container and number format, and its tasks in several.

Zeros and ones are exact in each format, and single precision does not change which group of rows
is which, so the labels of every method must be equal to the last one.
"""

import tempfile

import numpy as np
import pandas as pd
import scipy.sparse as sp

_random = np.random.default_rng(0)
_GROUPS = np.repeat(np.eye(2), 4, axis=1)[np.arange(12) % 2]

ROWS = (_random.random((12, 8)) < 0.1 + 0.8 * _GROUPS).astype(float)
"""Two groups in each of two tasks."""

TASKS = np.repeat(["lab", "field"], 6)
NAMES = list("abcdefgh")
CLASSES = np.where(np.arange(12) < 6, np.arange(12) % 2, -1)
"""Known classes of the first task."""


def memmap(X):
    """Memory-map the table from a file."""
    with tempfile.TemporaryFile() as file:
        X.tofile(file)
        return np.memmap(file, dtype=X.dtype, mode="r", shape=X.shape)


def polars(X):
    import polars

    return polars.DataFrame(X, schema=NAMES)


def arrow(X):
    import pyarrow

    return pyarrow.table(dict(zip(NAMES, X.T, strict=True)))


FRAMES = {
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "pandas with missing values": lambda X: pd.DataFrame(X, columns=NAMES).astype("Int64"),
    "polars": polars,
    "arrow": arrow,
}

OTHERS = {
    "list": np.ndarray.tolist,
    "memmap": memmap,
    "float16": lambda X: X.astype(np.float16),
    "float32": lambda X: X.astype(np.float32),
    "int8": lambda X: X.astype(np.int8),
    "uint64": lambda X: X.astype(np.uint64),
    "bool": lambda X: X.astype(bool),
    "csr_array": sp.csr_array,
    "csr_matrix of bool": lambda X: sp.csr_matrix(X.astype(bool)),
    "csc_array of float32": lambda X: sp.csc_array(X.astype(np.float32)),
    "csc_matrix": sp.csc_matrix,
    "coo_array of int": lambda X: sp.coo_array(X.astype(int)),
    "coo_matrix": sp.coo_matrix,
}


def forms_of(values):
    """Per-row values as a list, array, pandas, polars and arrow column."""
    import polars
    import pyarrow

    forms = [values.tolist(), values, pd.Series(values), polars.Series(values.tolist())]
    return [*forms, pd.Series(pd.Categorical(values)), pyarrow.array(values.tolist())]
