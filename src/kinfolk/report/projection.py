"""Projects the rows of all tasks to one plane by principal components within tasks.

With Z[i] = X[i] - mean of the task of i, the plane is spanned by the two right singular
vectors of Z with the largest singular values. All tasks share the plane, so the same place in two
pictures means the same difference from the task's mean. Z is never formed: sparse tables stay
sparse.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import linalg

from kinfolk.arrays import Matrix, Table
from kinfolk.numerics import distances, operators, rounding
from kinfolk.report.content import Page

MOST_POINTS = 2000
"""Rows shown for each task: more marks hide one another and make the page slow."""


def plane(page: Page) -> dict[str, tuple[NDArray[np.integer], Matrix]]:
    """Return {task: (rows shown (m,), coordinates (m, 2))}; sparse rows are scaled to length 1."""
    shown = {task: sample(page, task) for task in page.tasks}
    task_of = np.repeat(np.arange(len(shown)), [len(rows) for rows in shown.values()])
    X = page.study.X[np.concatenate(list(shown.values()))]
    # Sparse rows are mostly counts of terms. At their own lengths, a few long texts would push all
    # others into one spot.
    points = coordinates(distances.unit_rows(X) if isinstance(X, sp.csr_array) else X, task_of)
    return {task: (rows, points[task_of == t]) for t, (task, rows) in enumerate(shown.items())}


def sampled(page: Page) -> bool:
    """True if some task has more rows than are drawn."""
    return any(len(rows) > MOST_POINTS for rows in page.rows.values())


def sample(page: Page, task: str) -> NDArray[np.integer]:
    """Positions of a task's rows to draw, at most `MOST_POINTS` at random."""
    rows = page.rows[task]
    if len(rows) <= MOST_POINTS:
        return rows
    return np.sort(np.random.default_rng(0).choice(rows, MOST_POINTS, replace=False))


def coordinates(X: Table, task_of: NDArray[np.integer]) -> Matrix:
    """Return the first two principal coordinates (n, 2) of X (n, d) within its tasks.

    `task_of` (n,) numbers the tasks from 0 and uses every number.

    >>> X = np.array([[0.0, 0, 0, 9], [3, 0, 0, 9], [0, 1, 0, 5], [0, 2, 0, 5], [0, 3, 0, 5]])
    >>> coordinates(X, np.array([0, 0, 1, 1, 1])).round(3) + 0.0
    array([[-1.5,  0. ],
           [ 1.5,  0. ],
           [ 0. , -1. ],
           [ 0. ,  0. ],
           [ 0. ,  1. ]])
    """
    n, d = X.shape
    counts = np.bincount(task_of)
    # Z @ v without Z: the mean of each task is subtracted from the product.
    average = sp.csr_array((1 / counts[task_of], (task_of, np.arange(n))))
    means = operators.dense(average @ X)
    Z = linalg.LinearOperator(
        (n, d),
        dtype=np.float64,
        matvec=lambda v: X @ v.ravel() - (means @ v.ravel())[task_of],
        rmatvec=lambda u: X.T @ u.ravel() - means.T @ np.bincount(task_of, u.ravel()),
    )
    if min(n, d) <= 4:  # svds needs k < min(n, d); here the dense decomposition is free
        V = np.linalg.svd(Z @ np.eye(d), full_matrices=True)[2][:2].T
    else:
        start = np.random.default_rng(0).standard_normal(min(n, d))
        V = linalg.svds(Z, k=2, v0=start)[2][::-1].T
    # Singular vectors have no sign of their own: make the largest entry of each positive.
    largest = rounding.comparable(np.abs(V)).argmax(axis=0)
    V = V * np.where(V[largest, np.arange(V.shape[1])] < 0, -1.0, 1.0)
    # One column makes a line: the second coordinate is 0.
    return np.pad(Z @ V, ((0, 0), (0, 2 - V.shape[1])))
