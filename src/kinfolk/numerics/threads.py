"""Limits BLAS and OpenMP to one thread for small tables.

Threads of one product wait for each other, so that beside other work two are slower than one, on
small products many times. `python -m benchmarks.threads` measures it.
"""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from kinfolk.arrays import Table
from kinfolk.numerics import operators

LARGE = 10**7
"""Numbers in a table from which all threads are used.

Beside five busy processes k-means and MEC of a table of this size take twice as long with two
threads as with one, and of a table a hundred times smaller nine times as long. Of one three times
larger they take as long; there two threads on an idle machine are worth more than they cost.
"""

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""Environment variables by which users choose the number of threads themselves."""


@contextmanager
def suited(X: Table) -> Iterator[None]:
    """Context that limits BLAS to one thread if X (n, d) holds fewer than `LARGE` numbers.

    Nothing changes where the user has chosen: by a variable of the environment, or by limits of
    threadpoolctl around the call.
    """
    # By the shape, which frames of every library have.
    if math.prod(np.shape(operators.entries(X))) >= LARGE or not _left_to_us():
        yield
        return
    with _libraries().limit(limits=1):
        yield


@contextmanager
def at_most(most: int) -> Iterator[None]:
    """Context that limits BLAS and OpenMP to `most` threads, and leaves them fewer if they have.

    A number that the user has set, by a variable of the environment or by limits around the call,
    is never raised.

    >>> from threadpoolctl import threadpool_info, threadpool_limits
    >>> with threadpool_limits(1), at_most(8):
    ...     {library["num_threads"] for library in threadpool_info()}
    {1}
    """
    libraries = ThreadpoolController()  # anew: others may have been loaded since
    limits: dict[str, int] = {}
    for library in libraries.info():
        api = library["user_api"]
        limits[api] = min(limits.get(api, most), library["num_threads"])
    with libraries.limit(limits=limits):
        yield


def _left_to_us() -> bool:
    """True if the user has not set the number of threads, by variable or call."""
    if any(os.environ.get(name) for name in VARIABLES):
        return False
    cores = os.cpu_count() or 1
    # OpenBLAS and OpenMP start with the cores that the process may use, MKL with half of them
    # where each core shows as two.
    usual = {cores, cores // 2, _usable_cores(cores)}
    return all(library["num_threads"] in usual for library in _libraries().info())


def _usable_cores(cores: int) -> int:
    """Number of cores that this process may use; all of them where the system cannot say."""
    affinity = getattr(os, "sched_getaffinity", None)
    return cores if affinity is None else len(affinity(0))


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()
