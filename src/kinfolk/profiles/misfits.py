"""Finds clusters whose means do not fit the clusters of other tasks matched to them.

The mean of kind k in task t is taken as the sum of two parts, one of the kind and one of the task,
each column in units of its standard deviation within clusters:

    m[k,t] = a[k] + b[t]                                                          (1)

fitted to all clusters but the one in question, by least squares with weights n / (n + 10) over the
distance of a cluster from a fit to all, so that wrong clusters have little say. With D(h) the
square length of m[k,t] - a[h] - b[t], less what chance adds to it,

    r[k,t] = D(k) / min over h other than k of { D(h), |a[k] - a[h]|^2 }          (2)

is near 0 for a cluster that fits and near 1 or above for one that is as far from its kind as kinds
are from each other. Tasks may differ by any shift; a task with a single kind cannot be judged.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import rounding
from kinfolk.profiles.cells import Cells

LARGEST_RATIO = 0.5
"""Largest r of a cluster that fits. With the true classes as kinds, no kind of 42 tables (penguins,
iris, made customers; judged on wine, cancer and other customers) had more. With two classes of one
task exchanged, or one called by the name of an absent one, all 278 wrong kinds had more."""
FARTHEST = 2.0
"""Standard deviations by which the mean of a cluster may differ from that of its kind in any case;
half of a bell-shaped cloud differs by 0.8 from the whole."""
LEAST_ROWS = 3
_TRUSTED = 10
"""Rows from which on the mean of a cluster has about full weight."""
_ROUNDS = 20
_NEAR = 0.3
"""Distance below which clusters have the same weight, so that chance decides nothing."""
_SINGULAR = 1e-12
"""Share of the largest eigenvalue of the equations up to which one is 0 but for rounding."""


class Misfit(NamedTuple):
    """A cluster that differs from its matched clusters after shifts between tasks.

    Attributes
    ----------
    kind, task : positions
    ratio : r of equation (2)
    distance : D(k) of equation (2)
    nearer : position of a kind that it fits better, or -1 if there is none or two clusters alone
        make the kind, because either of the two may be the wrong one then
    """

    kind: int
    task: int
    ratio: float
    distance: float
    nearer: int


def misfits(X: Table, cells: Cells) -> list[Misfit]:
    """Misfitting clusters of X (n, d) by kind (matched clusters), the worst of each kind first.

    Examples
    --------
    >>> corners = [[0, 0], [0, 9], [9, 0], [9, 9]]
    >>> exchanged = [[0, 0], [0, 9], [9, 9], [9, 0]]
    >>> means = np.repeat(corners + corners + exchanged, 20, axis=0)
    >>> X = means + 0.5 * np.random.default_rng(0).normal(size=means.shape)
    >>> cells = Cells.of(np.repeat([0, 1, 2, 3] * 3, 20), np.repeat(["a", "b", "c"], 80))
    >>> [(found.kind, cells.tasks[found.task], found.nearer) for found in misfits(X, cells)]
    [(2, 'c', 3), (3, 'c', 2)]
    """
    K = len(cells.kinds)
    T = len(cells.tasks)
    n = cells.sizes[:K, :T].astype(float)
    M = means(X, cells)
    weight = _weights(M, n)
    whole = _Equations.of(M, weight)
    misfitting = []
    for k, t in np.argwhere(n >= LEAST_ROWS).tolist():
        if (n[k] > 0).sum() < 2:
            continue
        predicted, of_kinds = _without(M, weight, whole, k, t)
        if np.isnan(predicted[k]).any():
            continue
        found = _judged(M[k, t], predicted, of_kinds, n, (k, t))
        far = found.distance > FARTHEST**2
        if far and found.ratio > LARGEST_RATIO:
            misfitting.append(found)
    # Of two clusters that make a kind both are as far: rounding must not choose between them.
    nearness = -rounding.comparable([found.distance for found in misfitting])
    order = np.lexsort(np.array([nearness, [found.kind for found in misfitting]]))
    return [misfitting[i] for i in order.tolist()]


def means(X: Table, cells: Cells) -> NDArray[np.float64]:
    """Cluster means (K, T, d) in within-cluster deviations; 0 for empty clusters."""
    K = len(cells.kinds)
    T = len(cells.tasks)
    n = np.maximum(cells.sizes[:K, :T, None], 1)
    # About the mean of all rows, so that squares of large numbers keep their digits.
    centered = X - X.mean(axis=0) if isinstance(X, np.ndarray) else X
    M = cells.sums(centered)[:K, :T] / n
    squares = centered**2 if isinstance(centered, np.ndarray) else centered.power(2)
    within = cells.sums(squares)[-1, -1] - (n * M**2).sum(axis=(0, 1))
    spread = np.sqrt(np.maximum(within, 0) / X.shape[0])
    # The spread is a difference of sums of squares, so a constant column may have rounding left.
    constant = spread <= 1e-9 * (1 + np.abs(M).max(axis=(0, 1)))
    return np.where(constant, 0.0, M / np.where(constant, 1.0, spread))


def _weights(M: NDArray[np.float64], n: Matrix) -> Matrix:
    """Weight (K, T) of each cluster in the fit, small for outliers of a first fit."""
    first = n / (n + _TRUSTED)
    weight = first
    for _ in range(_ROUNDS):
        fit = _Equations.of(M, weight)
        of_kinds = fit.of_kinds()
        distance = np.linalg.norm(M - of_kinds[:, None] - fit.of_tasks(of_kinds), axis=2)
        weight = first / np.maximum(distance, _NEAR)
    return weight


class _Equations(NamedTuple):
    """Normal equations of the fit (1), with the tasks' parts b eliminated.

    The fit to hundreds of tasks, once without each cluster, is one of K equations then, of which
    a cluster changes those of its task alone.

    Attributes
    ----------
    S, R : (K, K) and (K, d), S a = R
    links : (K, K) numbers of tasks that have both kinds
    share, center : (K, T) each kind's share of the weight of a task, and (T, d) the means by it
    """

    S: Matrix
    R: Matrix
    links: Matrix
    share: Matrix
    center: Matrix

    @classmethod
    def of(cls, M: NDArray[np.float64], weight: Matrix) -> "_Equations":
        """Build the equations of cluster means M (K, T, d) with weights (K, T)."""
        total = weight.sum(axis=0)
        share = weight / np.where(total > 0, total, 1.0)
        center = np.einsum("kt,ktd->td", share, M)
        S = np.diag(weight.sum(axis=1)) - weight @ share.T
        R = np.einsum("kt,ktd->kd", weight, M - center)
        has = (weight > 0).astype(float)
        return cls(S, R, has @ has.T, share, center)

    def replaced(self, old: "_Equations", new: "_Equations") -> "_Equations":
        """Return these equations with those of one task, `old`, exchanged for `new`."""
        return new._replace(
            S=self.S - old.S + new.S,
            R=self.R - old.R + new.R,
            links=self.links - old.links + new.links,
        )

    def of_kinds(self) -> Matrix:
        """The kinds' parts a (K, d), up to a shift of kinds that no task links."""
        return np.asarray(np.linalg.pinv(self.S, rcond=_SINGULAR, hermitian=True) @ self.R)

    def of_tasks(self, of_kinds: Matrix) -> Matrix:
        """The tasks' parts b (T, d)."""
        return self.center - self.share.T @ of_kinds


def _without(
    M: NDArray[np.float64], weight: Matrix, whole: _Equations, k: int, t: int
) -> tuple[Matrix, Matrix]:
    """Fit without cluster (k, t): each kind's predicted mean (K, d) in task t, and kind effects."""
    own = weight[:, [t]].copy()
    old = _Equations.of(M[:, [t]], own)
    own[k] = 0
    fit = whole.replaced(old, _Equations.of(M[:, [t]], own))
    of_kinds = fit.of_kinds()
    # A sum of parts is known if other clusters link the kind to the task.
    _, group = connected_components(fit.links > 0, directed=False)
    known = np.isin(group, group[own[:, 0] > 0])
    return np.where(known[:, None], of_kinds + fit.of_tasks(of_kinds)[0], np.nan), of_kinds


def _judged(
    m: Vector, predicted: Matrix, of_kinds: Matrix, n: Matrix, cell: tuple[int, int]
) -> Misfit:
    """Compare a cluster's mean m (d,) with its prediction and those of other kinds."""
    k, t = cell
    elsewhere = n.sum(axis=1)
    elsewhere[k] -= n[k, t]
    chance = len(m) * (1 / n[k, t] + 1 / np.maximum(elsewhere, 1))
    distance = ((m - predicted) ** 2).sum(axis=1)
    own = distance[k] - chance[k]
    others = [h for h in range(len(predicted)) if h != k and not np.isnan(predicted[h]).any()]
    # A distance that chance alone may make is no sign of anything.
    if not others or own <= chance[k]:
        return Misfit(k, t, 0.0, 0.0, -1)
    apart = ((of_kinds[k] - of_kinds[others]) ** 2).sum(axis=1)
    nearest = min(others, key=lambda h: distance[h])
    # Kinds that coincide would divide by 0.
    least = max(min(distance[nearest], apart.min()), 1e-12)
    # A kind that is nowhere else says nothing about the rows in question.
    known = (n[k] > 0).sum() > 2 and elsewhere[nearest] > n[nearest, t]
    told = known and distance[nearest] < distance[k]
    return Misfit(k, t, float(own / least), float(own), nearest if told else -1)
