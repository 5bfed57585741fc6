"""k-means of several tasks whose centers attract each other along optimal transport plans.

Each task has hard clusters with centers of its own. Between the clusters of any two tasks lies a
plan R of transport, whose cost is the distance of the tasks' centers. Minimize

    J = 1/T sum_t 1/n_t sum_i |x_ti - m_t,h(i)|^2
      + lambda/(T(T-1)) sum_{t != s} sum_kl R_ts[k,l] |m_tk - m_sl|^2                     (1)

over labels h, centers m and plans R_ts = R_st' >= 0 with R_ts 1 = a_t, R_ts'1 = a_s. Marginals are
the shares of rows, a_tk = n_tk / n_t ("size"), or a_tk = 1/k_t ("uniform"). Exact steps:

    R_ts = the transport of least cost between the centers                               (2)
    m    : pi_tk (m_tk - mean_tk) + 2 lambda/(T-1) sum_s sum_l R_ts[k,l] (m_tk - m_sl) = 0   (3)
    h(i) = the nearest center of the task                                                (4)

with pi_tk = n_tk / n_t. (3) is one linear system of all centers of all tasks, so that tasks need
no order. Clusters without rows that no row is connected with, along R, keep their centers.

"size": (4) changes the marginals, so J may rise. Then each task's new labels are tried alone, and
those that do not raise J are taken, the best first. "uniform": (4) never raises J.

Choice by local loss. A task may keep to itself: of the centers (3) and the plain means of its
clusters, each followed by (4), it takes those of lower loss, which is

    "partition"   1/n sum_i |x_i - mean_h(i)|^2   at the means of the new clusters       (5)
    "centroid"    1/n sum_i |x_i - m_h(i)|^2      at the centers themselves              (6)

The means never raise either, so the loss of every task never rises; J is then the mean loss.

Rows are points (`PointRows`), or known by a kernel (`KernelRows`), where a center is a mixture of
rows: the steps need distances alone.

Symbols     X_t (n_t, d), m (C, d) of all C clusters, R (C, C) with 0 within a task. In `KernelRows`
            a center is the row (N,) of weights of the N rows of all tasks.
Units       J in squared units of X; lambda has none.
Limits      lambda = 0, or one task: k-means of each task.
"""

from typing import NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.errors import InputError
from kinfolk.numerics import distances, memberships, operators, transport

MARGINALS = ("size", "uniform")
"""Names of the masses of clusters: shares of rows, or the same for all."""

LOCAL_LOSSES = ("partition", "centroid")
"""Names of the losses (5) and (6)."""

# Squared distances are differences of squared lengths, which double precision knows to 1e-16.
EXACT = 1e-13
"""An objective below this share of the mean squared length of rows counts as 0."""


class CenterDistances(NamedTuple):
    """Squared distances of rows to their task's centers (n_t, k_t), and between centers (C, C)."""

    rows: list[Matrix]
    centers: Matrix


class Space(Protocol):
    """Interface of the space of the rows, where centers are mixtures of rows."""

    own: list[slice]
    sizes: list[int]
    squared_length: float

    def means(self, labels: list[Labels], V: Matrix) -> Matrix:
        """Means of the clusters, one row each; empty clusters keep their row of V."""

    def places(self, V: Matrix) -> CenterDistances:
        """Squared distances of rows to the centers V of their task, and between all centers."""


def _slices(k: list[int]) -> list[slice]:
    ends = np.cumsum(k).tolist()
    return [slice(end - c, end) for end, c in zip(ends, k, strict=True)]


class PointRows:
    """Rows given as tables X_t (n_t, d), with centers (C, d).

    >>> rows = PointRows([np.array([[0.0], [2.0]]), np.array([[5.0]])], [1, 1])
    >>> V = rows.means([np.array([0, 0]), np.array([0])], np.zeros((2, 1)))
    >>> V.ravel(), rows.places(V).rows[0].ravel(), rows.places(V).centers[0]
    (array([1., 5.]), array([1., 1.]), array([ 0., 16.]))
    """

    def __init__(self, tables: list[Table], k: list[int]) -> None:
        self._tables = tables
        self._norms = [distances.squared_norms(X) for X in tables]
        self.own = _slices(k)
        self.sizes = [X.shape[0] for X in tables]
        self.squared_length = float(np.mean([norms.mean() for norms in self._norms]))

    def means(self, labels: list[Labels], V: Matrix) -> Matrix:
        """Means (C, d) of the clusters; empty clusters keep their row of V."""
        found = V.copy()
        for X, h, own in zip(self._tables, labels, self.own, strict=True):
            k = own.stop - own.start
            used = np.bincount(h, minlength=k) > 0
            found[own][used] = memberships.centers(X, memberships.indicator(h, k))[used]
        return found

    def places(self, V: Matrix) -> CenterDistances:
        """Squared distances of rows, and of centers, to the centers V (C, d)."""
        rows = []
        for X, norms, own in zip(self._tables, self._norms, self.own, strict=True):
            D = -2.0 * operators.times(X, V[own].T)
            D += norms[:, None] + distances.squared_norms(V[own])
            rows.append(np.maximum(D, 0.0, out=D))
        return CenterDistances(rows, distances.squared(V, V))


class KernelRows:
    """Rows given by a positive kernel K (N, N), task after task, with centers as weights (C, N).

    >>> X = np.array([[0.0], [2.0], [5.0]])
    >>> rows = KernelRows(X @ X.T, [2, 1], [1, 1])
    >>> V = rows.means([np.array([0, 0]), np.array([0])], np.zeros((2, 3)))
    >>> V
    array([[0.5, 0.5, 0. ],
           [0. , 0. , 1. ]])
    >>> rows.places(V).rows[0].ravel(), rows.places(V).centers[0]
    (array([1., 1.]), array([ 0., 16.]))
    """

    def __init__(self, K: Matrix, sizes: list[int], k: list[int]) -> None:
        self._K = K
        self._tasks = _slices(sizes)
        self.own = _slices(k)
        self.sizes = sizes
        self.squared_length = float(np.mean([np.diag(K)[at].mean() for at in self._tasks]))

    def means(self, labels: list[Labels], V: Matrix) -> Matrix:
        """Weights (C, N) of the cluster means: equal for each row of a cluster."""
        found = V.copy()
        for h, rows, own in zip(labels, self._tasks, self.own, strict=True):
            Y = memberships.indicator(h, own.stop - own.start).T
            counts = Y.sum(axis=1)
            used = counts > 0
            found[own][used] = 0.0
            found[own, rows][used] = Y[used] / counts[used, None]
        return found

    def places(self, V: Matrix) -> CenterDistances:
        """Squared distances of rows, and of centers, to the centers with weights V (C, N)."""
        KV = self._K @ V.T
        G = V @ KV
        lengths = np.diag(G)
        rows = [
            np.diag(self._K)[at, None] - 2.0 * KV[at, own] + lengths[own]
            for at, own in zip(self._tasks, self.own, strict=True)
        ]
        between = lengths[:, None] - 2.0 * G + lengths
        return CenterDistances([np.maximum(D, 0.0) for D in rows], np.maximum(between, 0.0))


class Problem(NamedTuple):
    """Constants of the objective: space of the rows, lambda, marginals and optional local loss."""

    space: Space
    weight: float
    marginals: str = "size"
    local_loss: str | None = None


class State(NamedTuple):
    """Centers V, labels by task, plans R (C, C), objective J; sweeps (T,) with sharing."""

    V: Matrix
    labels: list[Labels]
    R: Matrix
    J: float
    shared: Labels


def plans(
    p: Problem,
    between: Matrix,
    labels: list[Labels],
    known: dict[tuple[int, ...], Matrix] | None = None,
) -> Matrix:
    """Optimal transport plans R (C, C) between the centers of all pairs of tasks.

    `known`, changed in place, stores the plan of each pair of tasks and masses for calls with the
    same distances `between` (C, C).
    """
    known = {} if known is None else known
    own = p.space.own
    k = [at.stop - at.start for at in own]
    uniform = p.marginals == "uniform"
    masses = [
        np.ones(c, dtype=int) if uniform else np.bincount(h, minlength=c)
        for h, c in zip(labels, k, strict=True)
    ]
    R = np.zeros(between.shape)
    for t, a in enumerate(masses):
        for s, b in enumerate(masses[:t]):
            pair = (t, s, *a.tolist(), *b.tolist())
            if pair not in known:
                # Multiplied by the other sum, both have the same whole sum.
                found = transport.plan(between[own[t], own[s]], a * b.sum(), b * a.sum())
                known[pair] = found / (a.sum() * b.sum())
            R[own[t], own[s]] = known[pair]
            R[own[s], own[t]] = known[pair].T
    return R


def centers(p: Problem, s: State, means: Matrix) -> Matrix:
    """Solve for the optimal centers, given labels, transport plans and cluster means."""
    T = len(s.labels)
    counts = [
        np.bincount(h, minlength=at.stop - at.start)
        for h, at in zip(s.labels, p.space.own, strict=True)
    ]
    pi = np.concatenate([c / c.sum() for c in counts])
    pull = s.R * (2.0 * p.weight / max(T - 1, 1))
    connected = csgraph.connected_components(sp.csr_array(pull), directed=False)[1]
    held = np.bincount(connected, weights=pi)[connected] > 0  # else nothing says where they lie
    A = np.diag(pi + pull.sum(axis=1)) - pull
    V = s.V.copy()
    try:
        V[held] = np.linalg.solve(A[np.ix_(held, held)], pi[held, None] * means[held])  # (3)
    except np.linalg.LinAlgError:
        raise InputError(
            "relation_weight is so large that the rows have no part in their centers; lower it."
        ) from None
    return V


def _losses(labels: list[Labels], rows: list[Matrix]) -> Vector:
    """Mean squared distance (T,) of each task's rows to the centers of their clusters."""
    return np.array([D[np.arange(len(h)), h].mean() for h, D in zip(labels, rows, strict=True)])


def errors(space: Space, labels: list[Labels], width: int) -> Vector:
    """Mean squared distance (T,) of each task's rows to the means of their clusters.

    `width` is the number of columns of a center.
    """
    V = space.means(labels, np.zeros((space.own[-1].stop, width)))
    return _losses(labels, space.places(V).rows)


def _exact(p: Problem, J: float) -> float:
    """Return the objective, or 0 where it may be pure rounding error."""
    return J if EXACT * p.space.squared_length < J else 0.0


def measured(
    p: Problem,
    V: Matrix,
    labels: list[Labels],
    at: CenterDistances,
    known: dict[tuple[int, ...], Matrix] | None = None,
) -> State:
    """Build the state of centers V and labels, with optimal plans and the objective.

    `at` are the distances to V; `known` is changed in place, see `plans`.
    """
    T = len(labels)
    R = plans(p, at.centers, labels, known)
    cost = p.weight * np.sum(R * at.centers) / (T * max(T - 1, 1))
    J = float(_losses(labels, at.rows).mean() + cost)
    return State(V, labels, R, _exact(p, J), np.zeros(T, dtype=int))


def start(p: Problem, labels: list[Labels], width: int) -> State:
    """First state: the means of given clusters; `width` is the number of columns of a center."""
    V = p.space.means(labels, np.zeros((p.space.own[-1].stop, width)))
    at = p.space.places(V)
    s = measured(p, V, labels, at)
    if p.local_loss is None:
        return s
    return s._replace(J=_exact(p, float(_losses(labels, at.rows).mean())))


def sweep(p: Problem, s: State) -> State:
    """Update centers, then labels and plans; a task may keep to itself if that has lower loss."""
    if p.local_loss is None:
        return _guarded(p, s)
    new = _chosen(p, s)
    if all(np.array_equal(a, b) for a, b in zip(new.labels, s.labels, strict=True)):
        # Centers were renewed and labels were not: other plans may still move rows.
        return _chosen(p, new)
    return new


def _guarded(p: Problem, s: State) -> State:
    """Update centers, labels and plans; undo labels that raise the objective."""
    V = centers(p, s, p.space.means(s.labels, s.V))
    at = p.space.places(V)
    nearest = [D.argmin(axis=1) for D in at.rows]  # (4)
    # Centers stay where they are: of T^2 plans a task that is tried alone changes its own T.
    known: dict[tuple[int, ...], Matrix] = {}
    stay = measured(p, V, s.labels, at, known)
    moved = measured(p, V, nearest, at, known)
    if moved.J <= stay.J:
        return moved

    def with_task(state: State, t: int) -> State:
        labels = [*state.labels[:t], nearest[t], *state.labels[t + 1 :]]
        return measured(p, V, labels, at, known)

    # Each task is first tried alone, so that the order of tasks does not matter.
    alone = [with_task(stay, t).J for t in range(len(nearest))]
    for t in np.argsort(alone, kind="stable"):
        tried = with_task(stay, int(t))
        if tried.J <= stay.J:
            stay = tried
    return stay


def _chosen(p: Problem, s: State) -> State:
    """For each task, choose attracted centers or plain means, whichever have lower loss."""
    means = p.space.means(s.labels, s.V)
    both = [_relabelled(p, V) for V in (means, centers(p, s, means))]
    shares = both[1][1] < both[0][1]
    V = means
    labels = []
    for t, own in enumerate(p.space.own):
        V_t, _, labels_t = both[int(shares[t])]
        V[own] = V_t[own]
        labels.append(labels_t[t])
    losses = np.where(shares, both[1][1], both[0][1])
    R = plans(p, p.space.places(V).centers, labels)
    return State(V, labels, R, _exact(p, float(losses.mean())), s.shared + shares)


def _relabelled(p: Problem, V: Matrix) -> tuple[Matrix, Vector, list[Labels]]:
    """Assign rows to the nearest centers; return the same V, the losses (T,) and the labels."""
    rows = p.space.places(V).rows
    labels = [D.argmin(axis=1) for D in rows]
    if p.local_loss == "partition":
        rows = p.space.places(p.space.means(labels, V)).rows  # (5)
    return V, _losses(labels, rows), labels
