"""Bytes of small files in every format, for tests that read files."""

import functools
import gzip
import io

import numpy as np
import scipy.sparse as sp

squeezed = functools.partial(gzip.compress, mtime=0)
"""Packed bytes that are the same at any time, so that tests have the same names everywhere."""

ROWS = "shop,price,size\nb,1,2.5\nb,3,4\no,5,6\n"


def packed(**arrays):
    """Bytes of an .npz file."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def sparse_file(X):
    """Bytes of a sparse matrix as SciPy saves it."""
    stream = io.BytesIO()
    sp.save_npz(stream, X)
    return stream.getvalue()


def parquet(frame):
    """Bytes of a Parquet file."""
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()
