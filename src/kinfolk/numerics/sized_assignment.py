"""Hard labels with the highest total score under bounds on the cluster sizes.

    maximize  sum_i F[i, h(i)]   where  low_k <= number of rows with h(i) = k <= high_k     (A)

1. Prices: label i is the largest of F[i, k] + b_k; in turn each b_k becomes the number nearest to 0
   that gives cluster k a size within its bounds. This comes close, not always all the way.
2. Exchanges: C[h, k], the least score that is lost if one row of h moves to k, are the arcs of a
   graph on the clusters. The shortest path from a cluster that may lose a row to one that may gain
   one is the cheapest exchange; it is made while it mends a size, or gains score. Where there is
   none, no flow is cheaper: the labels solve (A).

Symbols  F (n, k), h (n,), low and high (k,).
Exact    nothing larger than F is formed; the assignment problem with a column per place is n x n.
Cost     n k^2 per round of prices, n k + k^3 per exchange.
Source   (A) is a transportation problem; Ahuja, Magnanti, Orlin, Network Flows (1993), 9.6-9.7.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from kinfolk.arrays import Labels, Matrix, Vector

ROUNDS = 20
"""Most rounds of prices; exchanges mend what these leave."""

ROUNDING = 1e-12
"""An exchange gains if it raises the score by more than this share of the largest entry of F."""


class Bounds(NamedTuple):
    """Smallest and largest allowed number of rows (k,) of each cluster."""

    low: Labels
    high: Labels


def window(n: int, k: int, slack: float) -> Bounds:
    """Bounds on the sizes of k clusters of n >= k rows: (1 - slack) n / k to (1 + slack) n / k.

    Rounded outwards, so that they can be met; at least one row in each.

    >>> window(10, 3, 0.5)
    Bounds(low=array([1, 1, 1]), high=array([5, 5, 5]))
    """
    # 1.1 * 100 / 10 is a little above 11, which is meant.
    fewest, most = np.round([(1.0 - slack) * n / k, (1.0 + slack) * n / k], 9)
    low = max(1, int(np.floor(fewest)))
    high = int(np.ceil(most))
    return Bounds(np.full(k, low), np.full(k, high))


def assign(F: Matrix, bounds: Bounds) -> Labels:
    """Labels (n,) with the highest total score F (n, k) whose cluster sizes are within bounds.

    >>> F = np.array([[9.0, 8.0], [9.0, 5.0], [9.0, 1.0], [0.0, 2.0]])
    >>> assign(F, Bounds(np.array([2, 2]), np.array([2, 2])))
    array([1, 0, 0, 1])
    """
    labels: Labels = (F + _first_prices(F, bounds)).argmax(axis=1)
    least = ROUNDING * float(np.abs(F).max(initial=0.0))
    while path := _exchange(F, labels, bounds, least):
        for row, k in path:
            labels[row] = k
    return labels


def prices(F: Matrix, labels: Labels, bounds: Bounds) -> Vector:
    """Offsets b (k,) such that the best bounded labels are the largest entries of F + b.

    b_k is 0 where the size of cluster k lies between its bounds, not negative at the lower one and
    not positive at the upper one. Of such prices these keep rows farthest from a tie.

    >>> F = np.array([[9.0, 8.0], [9.0, 5.0], [9.0, 1.0], [0.0, 2.0]])
    >>> prices(F, np.array([1, 0, 0, 1]), Bounds(np.array([1, 2]), np.array([3, 2]))).tolist()
    [0.0, 2.5]
    """
    k = F.shape[1]
    C = _losses(F, labels)[0]
    arcs = [(h, j) for h in range(k) for j in range(k) if h != j and np.isfinite(C[h, j])]
    if not arcs:
        return np.zeros(k)
    # b_j - b_h + distance <= C[h, j] for each arc, and the distance as large as can be.
    A = np.zeros((len(arcs), k + 1))
    for i, (h, j) in enumerate(arcs):
        A[i, [h, j, k]] = [-1.0, 1.0, 1.0]
    sizes = np.bincount(labels, minlength=k)
    ends = [
        (0.0 if size > low else -np.inf, 0.0 if size < high else np.inf)
        for size, low, high in zip(sizes, bounds.low, bounds.high, strict=True)
    ]
    # The signs: at the lower bound a price draws rows in, at the upper one it keeps them out.
    signs = [(-high, -low) for low, high in ends]
    # The solver's tolerances are absolute: scores are brought to size 1.
    unit = max(float(np.abs(F).max()), np.finfo(float).tiny)
    limit = [C[h, j] / unit for h, j in arcs]
    found = linprog(
        np.append(np.zeros(k), -1.0), A, limit, bounds=[*signs, (-4.0, 4.0)], method="highs"
    )
    return unit * found.x[:k] if found.x is not None else np.zeros(k)


def _first_prices(F: Matrix, bounds: Bounds) -> Vector:
    """Offsets (k,) whose argmax labels have sizes within the bounds, or nearly."""
    n, k = F.shape
    b = np.zeros(k)
    for _ in range(ROUNDS if k > 1 else 0):
        sizes = np.bincount((F + b).argmax(axis=1), minlength=k)
        if np.all((sizes >= bounds.low) & (sizes <= bounds.high)):
            break
        for j in range(k):
            others = np.delete(F + b, j, axis=1).max(axis=1)
            # Row i is in cluster j if b_j is above wanted[i].
            wanted = np.sort(others - F[:, j])
            fewest = bounds.low[j]
            most = min(bounds.high[j], n)
            least = _between(wanted, fewest) if fewest else -np.inf
            largest = _between(wanted, most) if most < n else np.inf
            b[j] = np.clip(0.0, least, largest)
    return b


def _between(wanted: Vector, m: int) -> float:
    """Offset halfway between those at which the m-th and the next row change their label."""
    return float(wanted[m - 1] + wanted[min(m, len(wanted) - 1)]) / 2.0


def _losses(F: Matrix, labels: Labels) -> tuple[Matrix, Labels]:
    """Least score lost (k, k) by moving one row from cluster h to j, and these rows.

    >>> _losses(np.array([[3.0, 1.0], [4.0, 3.0]]), np.array([0, 0]))[0]
    array([[inf,  1.],
           [inf, inf]])
    """
    k = F.shape[1]
    C = np.full((k, k), np.inf)
    rows = np.full((k, k), -1)
    for h in range(k):
        own = np.flatnonzero(labels == h)
        if len(own):
            loss = F[own, h][:, None] - F[own]
            first = loss.argmin(axis=0)
            C[h] = loss[first, np.arange(k)]
            rows[h] = own[first]
    np.fill_diagonal(C, np.inf)
    return C, rows


def _exchange(
    F: Matrix, labels: Labels, bounds: Bounds, least: float
) -> list[tuple[int, int]] | None:
    """Cheapest chain of moves (row, cluster) that mends a size or raises the score, or None."""
    k = F.shape[1]
    C, rows = _losses(F, labels)
    D = C.copy()
    after = np.where(np.isfinite(C), np.arange(k)[None, :], -1)  # the next cluster of each path
    for j in range(k):
        through = D[:, [j]] + D[[j]]
        np.fill_diagonal(through, np.inf)
        shorter = through < D - least
        D = np.where(shorter, through, D)
        after = np.where(shorter, after[:, [j]], after)
    sizes = np.bincount(labels, minlength=k)
    # A move that takes a row where there are too many mends 1, where there are too few costs 1.
    leave = np.where(sizes > bounds.high, -1, np.where(sizes <= bounds.low, 1, 0))
    enter = np.where(sizes < bounds.low, -1, np.where(sizes >= bounds.high, 1, 0))
    mend = np.where(np.isfinite(D), leave[:, None] + enter[None, :], 3)
    h, j = np.unravel_index(np.lexsort((D.ravel(), mend.ravel()))[0], D.shape)
    if not (mend[h, j] < 0 or (mend[h, j] == 0 and D[h, j] < -least)):
        return None
    path = []
    while h != j:
        step = after[h, j]
        path.append((int(rows[h, step]), int(step)))
        h = step
    return path
