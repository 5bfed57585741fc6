"""Transfer spectral clustering (TSC): the tasks share one embedding of the columns.

Each task has a graph of nearest rows, W_t, and a graph between its rows and the columns, A_t.
Embeddings F_t of the rows of each task and G of the columns, which is the same for all, maximize

    f = sum_t tr(F_t'W_t F_t) + r tr(F_t'A_t G),    F_t'F_t = I,  G'G = I             (1)

by the polar factor, polar(B) = U V' of B = U S V', which maximizes tr(F'B) over F'F = I:

    F_t = polar(2 (W_t + c I) F_t + r A_t G),   c = 1                                 (2)
    G   = polar(sum_t A_t'F_t)                                                        (3)

The rows of F_t, at unit length, are clustered by k-means.

(2) never lowers f. With W_t + c I positive semidefinite the part of f in F_t, plus the constant
c tr(F_t'F_t) = c k, is a convex function g of any matrix F. For all F+, g(F+) >= g(F) + tr((F+ -
F)'g'(F)) with g'(F) = 2 (W_t + c I) F + r A_t G, and no F+ with orthonormal columns has a larger
tr(F+'g'(F)) than polar(g'(F)), F itself included. Eigenvalues of W_t are -1 at least, so c = 1
will do. (3) is the exact maximizer.

Symbols     X_t (n_t, d), W_t (n_t, n_t) sparse, A_t (n_t, d), F_t (n_t, k), G (d, k), r =
            feature_weight. J = -f is what falls.
Units       none: X times a number, or plus a number, gives the same f.
Graphs      W_t: 1 for rows of which one is among the l nearest of the other, D^-1/2 W D^-1/2; A_t:
            the rows less their least entry, normalized on both sides (`bipartite`).
Cost        per sweep one product with each W_t and two with each X_t.
Limits      feature_weight=0: the k leading eigenvectors of each W_t, spectral clustering of each
            task by itself. One task: its rows and columns are embedded together.
Source      Jiang, Chung (2012), ECML-PKDD, 789-803, and the authors' released code, which has (1),
            (3), the graphs, and 27 neighbors and r = 3 in its example.
Departures  the released step is F_t <- polar(F_t + step g'(F_t)/|g'(F_t)|) with c = 0. F_t starts
            at the leading eigenvectors of W_t, turned to F_t polar(F_t'A_t G), which leaves the
            first term of f and makes the second as large as it can be; the released code changes
            signs of columns, so that its start depends on the choice among vectors of equal
            eigenvalues. On five sets of texts and pictures both ended at the same f, to 6 digits.
            The sweeps end at a share of the rise of f and not at a change of 1e-5. k-means is the
            best of `n_init` starts by inertia instead of the most frequent of 100.
Beyond      (1) of more than two tasks. A new row x with links w to the rows of its task and a to
            the columns lies where (2) would keep it,

                z(x) = (2 w F_t + r a G) (F_t'(2 W_t F_t + r A_t G))^-1,              (4)

            and goes to the nearest center. A row equal to one of the fit has its label.
"""

from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.errors import InputError
from kinfolk.estimators import checks, embedded, kept_rows
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.descent import Run, Settings, alternate
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import (
    bipartite,
    distances,
    graphs,
    memo,
    operators,
    spectra,
    subspaces,
)
from kinfolk.numerics.bipartite import RowColumnGraph

SHIFT = 1.0
"""Constant c of (2), by which W_t + c I is positive semidefinite."""

SINGULAR = 1e-10
"""Singular values below this share of the largest count as 0 in (4)."""


class TaskGraphs(NamedTuple):
    """Graphs of one task: row links (n, n), normalized W (n, n) and row-column graph A (n, d)."""

    links: sp.csr_array
    degrees: Vector
    W: sp.csr_array
    A: RowColumnGraph


class State(NamedTuple):
    """Row embeddings F (n_t, k) of each task, shared column embedding G (d, k), and A_t G."""

    F: tuple[Matrix, ...]
    G: Matrix
    AG: tuple[Matrix, ...]


def polar(B: Matrix) -> Matrix:
    """Orthonormal F (n, k) that maximizes tr(F'B): the polar factor of B (n, k).

    >>> polar(np.array([[2.0, 0.0], [0.0, -3.0], [0.0, 0.0]]))
    array([[ 1.,  0.],
           [ 0., -1.],
           [ 0.,  0.]])
    """
    U, _, V = np.linalg.svd(B, full_matrices=False)
    return np.asarray(U @ V)


def gain(W: sp.csr_array, F: Matrix, AG: Matrix, r: float) -> Matrix:
    """Gradient 2 W F + r A G (n, k) of the maximized criterion in F."""
    return np.asarray(2 * (W @ F) + r * AG)


def objective(tasks: list[TaskGraphs], s: State, r: float) -> float:
    """Negative of the maximized criterion: row graphs plus r times row-column graphs."""
    return -sum(
        float(np.sum(F * (own.W @ F)) + r * np.sum(F * AG))
        for own, F, AG in zip(tasks, s.F, s.AG, strict=True)
    )


def sweep(tasks: list[TaskGraphs], s: State, r: float) -> State:
    """Update each task's row embedding, then the shared column embedding."""
    F = tuple(
        polar(gain(own.W, own_F, AG, r) + 2 * SHIFT * own_F)  # (2)
        for own, own_F, AG in zip(tasks, s.F, s.AG, strict=True)
    )
    G = polar(np.add.reduce([own.A.crossed(f) for own, f in zip(tasks, F, strict=True)]))  # (3)
    return State(F, G, tuple(own.A.times(G) for own in tasks))


def turned(F: Matrix, AG: Matrix) -> Matrix:
    """Rotate F so that tr(F'A G) is maximal."""
    return F @ polar(F.T @ AG)


@memo.remembered
def leading_rows(links: sp.csr_array, k: int) -> Matrix:
    """The k leading eigenvectors (n, k) of the normalized graph with these links (n, n)."""
    return spectra.leading(links, k)[1]


@memo.remembered
def leading_columns(stack: Table, k: int) -> Matrix:
    """The k leading right singular vectors (d, k) of a table, completed to rank k."""
    R = subspaces.axes(stack)[0][:, :k]
    missing = k - R.shape[1]
    if missing == 0:
        return R
    # Of k unit vectors less their parts in R, as many combinations as are missing have length 1.
    units = np.eye(len(R), k)
    rest = units - R @ (R.T @ units)
    return np.hstack([R, np.linalg.svd(rest, full_matrices=False)[0][:, :missing]])


def start(tasks: list[TaskGraphs], k: int) -> State:
    """First state: singular vectors of all row-column graphs, and rotated eigenvectors."""
    G = leading_columns(bipartite.normalized([own.A for own in tasks]), k)
    AG = tuple(own.A.times(G) for own in tasks)
    F = tuple(turned(leading_rows(own.links, k), near) for own, near in zip(tasks, AG, strict=True))
    return State(F, G, AG)


@memo.remembered
def task_graphs(X: Table, l: int) -> TaskGraphs:
    """Build the row graph and the row-column graph of one task's rows (n, d)."""
    links = graphs.heat_graph(X, l, np.inf)
    A = bipartite.graph(X, bipartite.least_entry(X))
    return TaskGraphs(links.S, links.degrees, spectra.normalized(links.S), A)


@memo.remembered
def descend(
    tables: list[Table], l: list[int], k: int, r: float, max_iter: int, tol: float
) -> tuple[tuple[TaskGraphs, ...], Run[State]]:
    """Build the tasks' graphs, l[t] links per row, and maximize the criterion; return both."""
    tasks = [task_graphs(rows, links) for rows, links in zip(tables, l, strict=True)]
    run = alternate(
        start(tasks, k),
        sweep=lambda s: sweep(tasks, s, r),
        objective=lambda s: objective(tasks, s, r),
        max_iter=max_iter,
        tol=tol,
        scale=len(tasks) * k * (1 + r),
    )
    return tuple(tasks), run


@parameterized
class TSC(MultiTaskClusterer):
    """Spectral clustering of several tasks with a common embedding of the columns.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters of every task, at most the number of columns
    feature_weight : float >= 0, r, the weight of the shared columns beside the graphs of rows
        (released example: 3); 0: each task by itself
    n_neighbors : int >= 1, l, the nearest rows that a row is linked to (released example: 27);
        None: half the mean cluster size, n_t/(2k), from 3 to 50
    n_init : int >= 1, k-means starts, of which each task keeps the one with the least inertia
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when f is expected to rise by at most this share of its whole rise
    random_state : int, RandomState or None, for k-means

    Attributes
    ----------
    labels_ : (n,), the cluster of each row, from 0 in each task
    embedding_ : (n, k), F_t of each task's rows; columns are orthonormal in each task
    components_ : (d, k), G, orthonormal columns
    objective_trace_ : (n_iter_ + 1,), J = -f at the start and after each sweep
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; tasks have different numbers of clusters; there are
        fewer columns than clusters, or a task has fewer rows

    Examples
    --------
    >>> X = np.eye(3)[[0, 0, 1, 1, 2, 2, 1, 1, 0, 0, 2, 2]] + 0.1 * np.eye(12, 3)
    >>> model = TSC(3, random_state=0).fit(X, tasks=["a"] * 6 + ["b"] * 6)
    >>> model.matched_labels_
    array([2, 2, 0, 0, 1, 1, 0, 0, 2, 2, 1, 1])
    >>> round(float(-model.objective_trace_[-1]), 2)
    19.57
    >>> (model.predict([[0.0, 2.0, 0.1]], tasks="a") == model.labels_[2]).all()
    np.True_
    """

    compares = "distances"
    keeps = kept_rows.ROWS
    of_rows = ("embedding_",)

    n_clusters: Any = 2
    feature_weight: float = 3.0
    n_neighbors: int | None = None
    n_init: int = 10
    max_iter: int = 3000
    tol: float = 1e-9
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        k = checks.one_number_of_clusters(self.n_clusters, found, "TSC")
        if k > X.shape[1]:
            raise InputError(
                f"n_clusters is {k} but X has only {X.shape[1]} columns, and TSC needs one for "
                "each cluster; use a method without this limit, such as joint-spectral."
            )
        r = checks.not_negative("feature_weight", self.feature_weight)
        settings = Settings.of(self)
        self._l = [self._links(n, k) for n in found.sizes]
        self._tables = [X[rows].astype(np.float64) for rows in found.rows()]
        graphs_, run = descend(self._tables, self._l, k, r, settings.max_iter, settings.tol)
        end = run.state
        self.components_ = end.G
        self.embedding_ = np.empty((len(found.codes), k))
        for rows, F in zip(found.rows(), end.F, strict=True):
            self.embedding_[rows] = F
        self._keep_extension(graphs_, end, r)
        ks = [k] * len(graphs_)
        self._clusters = embedded.cluster(
            self._tables, list(end.F), ks, settings.seeds[0], len(settings.seeds)
        )
        labels = found.merged(own.labels for own in self._clusters)
        return self._record(X, found, labels, ks, run)

    def _links(self, n: int, k: int) -> int:
        """Number of neighbors that a row is linked to, in a task of n rows and k clusters."""
        if self.n_neighbors is None:
            return min(embedded.links_per_row(n, k), n - 1)
        return min(checks.at_least("n_neighbors", self.n_neighbors, 1), n - 1)

    def _keep_extension(self, tasks: tuple[TaskGraphs, ...], s: State, r: float) -> None:
        """Store what embedding new rows needs: column scales and factors of links."""
        self._least = [bipartite.least_entry(rows) for rows in self._tables]
        self._columns = [own.A.columns for own in tasks]
        self._of_links = []
        self._of_columns = []
        for own, F, AG in zip(tasks, s.F, s.AG, strict=True):
            inverse = np.linalg.pinv(F.T @ gain(own.W, F, AG, r), rcond=SINGULAR)
            scaled = distances.rows_times(F, distances.inverse_lengths(own.degrees))
            self._of_links.append(2 * scaled @ inverse)
            self._of_columns.append(r * s.G @ inverse)

    def _assign(self, X: Table, t: int) -> Labels:
        def place(rows: Table) -> Matrix:
            near = graphs.heat_links(rows, self._tables[t], self._l[t], np.inf)
            links = near * distances.inverse_lengths(operators.row_sums(near))[:, None]
            A = bipartite.graph(rows, self._least[t], self._columns[t])
            return links @ self._of_links[t] + A.times(self._of_columns[t])  # (4)

        X = operators.in_form_of(self._tables[t], X)
        return self._clusters[t].assign(X.astype(np.float64), place)
