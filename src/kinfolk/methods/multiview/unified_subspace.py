"""COMVSC: subspace clustering of several views with embeddings and labels in one objective.

Over R_v (n, n) with rows on the simplex and no diagonal, embeddings F_v and F (n, k) with F'F = I,
a rotation Q and labels Y with rows on the simplex, minimize

    J = sum_v ( |X_v - R_v X_v|^2 + lam |R_v|^2 + tr(F_v'L_v F_v) + |F_v - F|^2 )
        + sum_ic Y_ic^r |t_c - F[i] Q|^2                                           (1)

where L_v is the Laplacian of (R_v + R_v')/2 and t_c the c-th unit vector, by block updates, none of
which raises J:

    R_v  <- rows of R_v - (R_v (K_v + lam I) - K_v + T_v/4)/(|K_v| + lam), projected     (2)
    F_v  <- polar((c I - L_v) F_v + F),  c twice the largest degree                (3)
    F    <- polar((d I - E) F + sum_v F_v + Y^r Q'),  E = diag(row sums of Y^r), d its largest   (4)
    Q     = polar(F'Y^r),   Y_ic ~ |t_c - F[i] Q|^(2/(1-r))                        (5)

T_v has the squared distances |F_v[i] - F_v[j]|^2. The labels are the largest entries of Y.

Symbols     X_v (n, d_v), K_v = X_v X_v', |K_v| its largest eigenvalue; polar(A) = U V' of the SVD
            of A. The source has samples in columns, Z for R', gamma for r, S for K.
Units       none: columns are brought to mean 0 and variance 1.
Exact       R is sparse, and a step (2) is one product of n^2 (d + k) (`numerics/
            row_combinations.py`). For at most 5000 rows.
Limits      lam -> infinity: all other rows count the same. r -> 1: Y is 0/1. One view, r ->
            infinity: F spans the eigenvectors of the k smallest eigenvalues of L_v, as in spectral
            clustering of R_v.
Source      Zhang, Liu, Xiong, Zhou, Zhao, Zhu, Cai, IEEE TKDE 34(10), 2022, with the authors' code.
Departures  the paper projects a ridge solution onto the simplex, by which J may rise: (2) takes
            `inner_iter` projected gradient steps. T is squared there in the identity and not
            squared in the code; squared is right. (4) keeps the term of F with E, which the paper
            drops. The code sums columns of Z to 1 across the other side. New rows go by the votes
            of near rows. Starts: k-means for Y and F.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, MatrixLike, Seed, Vector
from kinfolk.estimators import checks
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.voted_views import VotedViews
from kinfolk.numerics import (
    centered_kernels,
    distances,
    graphs,
    memberships,
    operators,
    row_combinations,
    starts,
)


class Problem(NamedTuple):
    """Standardized views X (n, d_v), their squared spectral norms, and the parameters."""

    tables: list[Matrix]
    sizes: list[float]
    lam: float
    power: float
    inner: int


class State(NamedTuple):
    """Self-representation R (n, n) and embedding per view, joint embedding, rotation, labels."""

    R: list[sp.csr_array]
    Fv: list[Matrix]
    F: Matrix
    Q: Matrix
    Y: Matrix


def polar(A: Matrix) -> Matrix:
    """Nearest matrix with orthonormal columns: U V' of the singular value decomposition.

    >>> polar(np.array([[3.0], [4.0]])).ravel()
    array([0.6, 0.8])
    """
    U, _, V = np.linalg.svd(A, full_matrices=False)
    found: Matrix = U @ V
    return found


def roughness(R: sp.csr_array, F: Matrix) -> float:
    """Roughness tr(F'LF) of F (n, k) on the graph with the links (R + R')/2."""
    return float(degrees(R) @ distances.squared_norms(F) - np.sum(F * (R @ F)))


def degrees(R: sp.csr_array) -> Vector:
    """Sums (n,) of the links (R + R')/2 of each row."""
    return (operators.row_sums(R) + operators.sums(R)) / 2.0


def objective(p: Problem, s: State) -> float:
    """Return the objective: self-representation, smoothness and label fit of all views."""
    J = 0.0
    for X, R, Fv in zip(p.tables, s.R, s.Fv, strict=True):
        J += np.sum(np.square(X - R @ X)) + p.lam * np.sum(np.square(R.data))
        J += roughness(R, Fv) + np.sum(np.square(Fv - s.F))
    targets = distances.squared(s.F @ s.Q, np.eye(len(s.Q)))
    return float(J + np.sum(s.Y**p.power * targets))


def combination_steps(p: Problem, v: int, R: sp.csr_array, F: Matrix) -> sp.csr_array:
    """Update a view's self-representation by `inner` projected gradient steps."""
    return row_combinations.steps(p.tables[v], R, F, p.lam, p.sizes[v], p.inner)  # (2)


def embedding_step(R: sp.csr_array, Fv: Matrix, F: Matrix) -> Matrix:
    """Update a view's embedding towards the joint one."""
    d = degrees(R)
    c = 2.0 * d.max()
    return polar((c - d)[:, None] * Fv + (R @ Fv + R.T @ Fv) / 2.0 + F)  # (3)


def sweep(p: Problem, s: State) -> State:
    """Update self-representations, view embeddings, joint embedding, rotation and labels."""
    views = range(len(p.tables))
    R = [combination_steps(p, v, s.R[v], s.Fv[v]) for v in views]
    Fv = [embedding_step(R[v], s.Fv[v], s.F) for v in views]
    powers = s.Y**p.power
    E = powers.sum(axis=1)
    F = polar((E.max() - E)[:, None] * s.F + np.add.reduce(Fv) + powers @ s.Q.T)  # (4)
    Q = polar(F.T @ powers)  # (5)
    Y = memberships.fuzzy(distances.squared(F @ Q, np.eye(len(Q))), p.power)
    return State(R, Fv, F, Q, Y)


def start(p: Problem, k: int, l: int, seed: int) -> State:
    """First state: nearest-neighbor graphs, their eigenvectors, and k-means."""
    U = memberships.indicator(starts.kmeans(np.hstack(p.tables), k, seed), k)
    F = polar(U)
    R: list[sp.csr_array] = []
    Fv: list[Matrix] = []
    for table in p.tables:
        X = distances.nearby(table, table)[1]
        D = distances.squared(X, X)
        np.fill_diagonal(D, np.inf)
        near, weights = graphs.simplex_neighbors(D, min(l, len(X) - 1), distances.squared_norms(X))
        R.append(graphs.directed(near, weights / weights.sum(axis=1, keepdims=True), len(X)))
        vectors = flattest(graphs.symmetrized(R[-1]), k)
        Fv.append(vectors @ polar(vectors.T @ F))
    Q = polar(F.T @ U)
    Y = memberships.fuzzy(distances.squared(F @ Q, np.eye(k)), p.power)
    return State(R, Fv, F, Q, Y)


def flattest(W: sp.csr_array, k: int) -> Matrix:
    """Eigenvectors (n, k) of the k smallest eigenvalues of the Laplacian of a graph W (n, n).

    >>> two = sp.csr_array(np.kron(np.eye(2), np.ones((2, 2))))
    >>> abs(flattest(two, 2)).sum(axis=1).round(3).std()
    np.float64(0.0)
    """
    d = operators.row_sums(W)
    # All raised by the largest degree, as Lanczos steps are exact to a share of an eigenvalue, and
    # those of clusters far apart would be 0.
    return centered_kernels.leading(sp.csr_array(W + sp.diags_array(d.max() - d)), k)


@parameterized
class COMVSC(VotedViews):
    """Subspace clustering of several views with one joint labeling.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    views : mapping view -> columns of X (slice, positions or names); None: one view
    ridge : float > 0, lam (paper: 2^3 to 2^13)
    label_power : float > 1, r; towards 1 labels are hard (paper: 1.3 to 2.7)
    n_neighbors : int >= 1, rows that each row is a combination of at the start (paper: 5)
    inner_iter : int >= 1, gradient steps for each R_v in a sweep
    n_init : int >= 1, starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps (paper: 100)
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the largest entry of Y
    view_names_ : (V,)
    view_weights_ : (V,), all 1/V
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Raises
    ------
    InputError : a parameter is out of range, or X is no finite table of k to 5000 rows

    Examples
    --------
    >>> from kinfolk.tables import join
    >>> X, views = join({"a": [[0.0], [0.1], [5.0], [5.1]], "b": [[1.0], [1.2], [-4.0], [-4.1]]})
    >>> model = COMVSC(n_clusters=2, views=views, random_state=0).fit(X)
    >>> model.labels_, model.predict([[4.0, -3.0]])
    (array([1, 1, 0, 0]), array([0]))
    """

    n_clusters: int = 2
    views: Mapping[Any, Any] | None = None
    ridge: float = 128.0
    label_power: float = 1.5
    n_neighbors: int = 5
    inner_iter: int = 3
    n_init: int = 4
    max_iter: int = 300
    tol: float = 1e-9
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d)."""
        rows, k = self._open_rows(X)
        self._few_rows(rows.X.shape[0])
        l = checks.at_least("n_neighbors", self.n_neighbors, 1)
        lam = checks.above("ridge", self.ridge, 0)
        power = checks.above("label_power", self.label_power, 1)
        inner = checks.at_least("inner_iter", self.inner_iter, 1)
        tables = [standardized(T) for T in rows.sorted_tables()]
        sizes = [float(np.linalg.norm(T, 2) ** 2) for T in tables]
        p = Problem(tables, sizes, lam, power, inner)
        run = Settings.of(self).best(
            start=lambda seed: start(p, k, l, seed),
            sweep=lambda s: sweep(p, s),
            objective=lambda s: objective(p, s),
            scale=sum(float(np.sum(np.square(T))) for T in tables),
            what="unified subspace clustering",
        )
        return self._record_labels(rows, run.state.Y.argmax(axis=1), run)


def standardized(X: Any) -> Matrix:
    """Scale columns of X (n, d) to mean 0 and variance 1; constant columns become 0."""
    X = operators.dense(X).astype(np.float64, copy=False)
    away = X - X.mean(axis=0)
    spread = np.sqrt(np.mean(np.square(away), axis=0))
    # Rounding leaves a constant column a spread of its last digits.
    least = 1e-12 * np.abs(X).max(axis=0, initial=0.0)
    found: Matrix = np.divide(away, spread, out=np.zeros_like(away), where=spread > least)
    return found
