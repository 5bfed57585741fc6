"""Approximate nearest rows by cosine in large dense tables, searched in lists of landmarks.

    landmarks   about sqrt(n) directions: k-means of a sample of the unit rows there
    lists       each row there is in the list of the landmark nearest to it
    search      a row is compared with the rows in the lists of the 16 landmarks nearest to it, or
                of 32, 64, ... where some row would find fewer than l

Units    none: only the directions of rows count.
Cost     about 16 n^1.5 d for n rows, where all pairs would cost n^2 d: a 60th of it at 10^6 rows.
Limits   m equal rows, such as rows of zeros, are in one list and cost m^2 d among themselves.
Exact    the cosines of the rows that are found; which rows are found is not. Equal rows are in one
         list, and so find each other.
Source   lists of rows near centers (inverted files): Sivic, Zisserman (2003); Jegou, Douze, Schmid
         (2011).
"""

import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from kinfolk.arrays import Labels, Matrix
from kinfolk.numerics import distances, operators

EXACT = 50_000
"""Rows up to which all pairs are compared: about a minute for 20 columns."""

# Of the true 15 nearest rows 16 lists held .99 in 10,000 rows of overlapping groups, .82 in as many
# of noise without groups, both of 20 columns, and 1.00 in 14,376 altered digits of 64.
LISTS = 16
"""Lists that a row is compared with at first; more where they hold too few rows."""

OF_A_LANDMARK = 40
"""Sampled rows for each landmark."""

SWEEPS = 10
"""Sweeps of k-means for the landmarks: lists of about one size are enough."""


def nearest_directions(
    rows: Matrix, there: Matrix, l: int, *, themselves: bool = False
) -> tuple[np.ndarray, Matrix]:
    """Approximate l nearest unit rows `there` of each row (m, d): positions (m, l) and cosines.

    The nearest come first. With `themselves` the rows are those there, and none finds itself.

    >>> near, cosines = nearest_directions(np.eye(2), np.array([[1.0, 0.0], [0.6, 0.8]]), 1)
    >>> near.ravel(), cosines.ravel()
    (array([0, 1]), array([1. , 0.8]))
    """
    near = np.zeros((len(rows), l), dtype=np.intp)
    cosines = np.full((len(rows), l), -np.inf)
    landmarks = _landmarks(there)
    lists = _members(_nearest(there, landmarks, 1), len(landmarks))
    asked = _members(_asked_lists(rows, landmarks, lists, l + themselves), len(landmarks))
    for own, members in zip(asked, lists, strict=True):
        table = there[members]
        for part in operators.blocks(len(own), len(members) + l):
            mine = own[part]
            C = rows[mine] @ table.T
            if themselves:
                C[mine[:, None] == members] = -np.inf
            # The best so far compete with the rows of one more list.
            C = np.hstack([cosines[mine], C])
            candidates = np.hstack(
                [near[mine], np.broadcast_to(members, (len(mine), len(members)))]
            )
            best = np.argpartition(-C, l - 1, axis=1)[:, :l]
            near[mine] = np.take_along_axis(candidates, best, axis=1)
            cosines[mine] = np.take_along_axis(C, best, axis=1)
    order = np.argsort(-cosines, axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(cosines, order, axis=1)


def _asked_lists(rows: Matrix, landmarks: Matrix, lists: list[np.ndarray], least: int) -> Labels:
    """Numbers (m, p) of the lists nearest to each row; p doubles until they hold `least` rows."""
    sizes = np.array([len(members) for members in lists])
    p = LISTS
    while True:
        asked = _nearest(rows, landmarks, p)
        if p >= len(landmarks) or sizes[asked].sum(axis=1).min() >= least:
            return asked
        p *= 2


def _landmarks(Z: Matrix) -> Matrix:
    """Directions (about sqrt(n), d) of the centers of k-means of a sample of unit rows (n, d)."""
    n = len(Z)
    number = max(1, int(np.sqrt(n)))
    drawn = np.random.RandomState(0).permutation(n)[: OF_A_LANDMARK * number]
    means = KMeans(number, n_init=1, max_iter=SWEEPS, tol=0.0, init="random", random_state=0)
    with warnings.catch_warnings():
        # Fewer different rows than landmarks give lists without rows, which do no harm.
        warnings.simplefilter("ignore", ConvergenceWarning)
        centers = means.fit(Z[np.sort(drawn)]).cluster_centers_
    return np.asarray(distances.unit_rows(centers))


def _nearest(Z: Matrix, landmarks: Matrix, p: int) -> Labels:
    """Positions (n, p) of the landmarks nearest by cosine to each row, in any order."""
    p = min(p, len(landmarks))
    found = [
        np.argpartition(-(Z[part] @ landmarks.T), p - 1, axis=1)[:, :p]
        for part in operators.blocks(len(Z), len(landmarks))
    ]
    return np.concatenate(found)


def _members(asked: Labels, number: int) -> list[np.ndarray]:
    """For each landmark the positions of the rows of asked (n, p) that name it, ascending."""
    flat = asked.ravel()
    order = np.argsort(flat, kind="stable")
    ends = np.cumsum(np.bincount(flat, minlength=number))
    return np.split(order // asked.shape[1], ends[:-1])
