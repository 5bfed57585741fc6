"""PLCMF: matrix factorization of several views and of each view's own clusters as labels.

Every view X_v has pseudo-labels P_v, the 0/1 rows of its own k-means clusters. One latent table Y
explains both; with clusters g of its rows and weights w on the simplex, minimize

    J = sum_v w_v^r L_v + beta sum_i |Y[i] - C[g_i]|^2 + lambda R,
    L_v = |X_v - Y A_v|^2 + delta |P_v - Y B_v|^2                                  (1)
    R   = |Y|^2 + |C|^2 + sum_v (|A_v|^2 + |B_v|^2)

by exact block updates, so that J never rises:

    A_v = (Y'Y + lambda/w_v^r I)^-1 Y'X_v,   B_v = (Y'Y + lambda/(delta w_v^r) I)^-1 Y'P_v   (2)
    Y   = (sum w^r (X A' + delta P B') + beta G C) (sum w^r (AA' + delta BB') + (beta+lambda) I)^-1
    C   = (G'G + lambda/beta I)^-1 G'Y,      g_i = argmin_c |Y[i] - C[c]|^2        (4)
    w_v ~ L_v^(1/(1-r))                                                            (5)
    Y, C <- Y T, C T,   A_v, B_v <- T^-1 A_v, T^-1 B_v                             (6)

As (6) changes no product Y A_v or Y B_v, T is the one by which the rest of J is least. Without it
the other steps come to it only over thousands of sweeps, since lambda is small.
The label of a row is the cluster that, with the best y for it, adds least to J.

Symbols     X_v (n, d_v), P_v (n, k), Y (n, q), A_v (q, d_v), B_v (q, k), C (k, q), G the 0/1 rows
            of g. The source has samples in columns, V for Y, U and Q for A and B, K for q.
Units       none: every view is divided by its largest entry. The source scales columns to [-1, 1].
Limits      delta = 0: the pseudo-labels say nothing. lambda, beta -> 0 and q at least the rank of
            all columns: Y fits every view. One view, delta = 0, beta -> 0: X with its singular
            values s lowered to max(s - lambda, 0). delta = 0, lambda -> 0, beta lambda ->
            infinity: rows of a cluster are equal in Y; of one view that is k-means.
Source      Wang, Han, Wang, He, Nie, IEEE Trans. Cybernetics 52(9), 2022; (1) as read from the
            authors' released code.
Departures  the released code has delta for beta in the matrix of Y and adds a number to every entry
            for the ridge of C; here both are what (1) implies. The first Y are random combinations
            of all columns. (6) is ours.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from kinfolk.arguments import flag
from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.estimators import checks, kept_rows
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.views import MultiViewClusterer
from kinfolk.numerics import content_order, distances, memberships, operators, starts

BALANCE = 1e-13
"""Share of a matrix's size that its eigenvalues are held above, so that it has an inverse."""


class Problem(NamedTuple):
    """Views, each view's clusters (pseudo-labels), parameters of the objective, |X_v|^2 (V,)."""

    tables: list[Table]
    pseudo: list[Matrix]
    k: int
    r: float
    beta: float
    delta: float
    lam: float
    squares: list[float]


class State(NamedTuple):
    """Latent Y (n, q), maps A (q, d_v) and B (q, k), centers C (k, q), clusters, weights.

    S are the products Y'X_v (q, d_v), kept because every step needs them.
    """

    Y: Matrix
    S: list[Matrix]
    A: list[Matrix]
    B: list[Matrix]
    C: Matrix
    g: Labels
    w: Vector


def products(p: Problem, Y: Matrix) -> list[Matrix]:
    """Products Y'X_v (q, d_v) of the latent rows with each view."""
    return [operators.crossed(Y, X) for X in p.tables]


def losses(p: Problem, s: State) -> Vector:
    """Loss (V,) of each view, computed without forming residual tables."""
    G = s.Y.T @ s.Y
    found = []
    for square, P, S, Av, Bv in zip(p.squares, p.pseudo, s.S, s.A, s.B, strict=True):
        own = square - 2.0 * np.sum(Av * S)
        own += np.sum(Av * (G @ Av))
        labels = np.sum(np.square(P - s.Y @ Bv))
        found.append(max(own, 0.0) + p.delta * labels)
    return np.array(found)


def objective(p: Problem, s: State) -> float:
    """Weighted losses of the views, plus k-means cost of the latent rows and ridge penalties."""
    J = s.w**p.r @ losses(p, s)
    J += p.beta * np.sum(np.square(s.Y - s.C[s.g]))
    return float(J + p.lam * sum(np.sum(np.square(M)) for M in (s.Y, s.C, *s.A, *s.B)))


def maps(
    p: Problem, Y: Matrix, crossed: list[Matrix], w: Vector
) -> tuple[list[Matrix], list[Matrix]]:
    """Ridge regression maps A_v and B_v from the latent rows to views and pseudo-labels."""
    G = Y.T @ Y
    ridge = p.lam * np.eye(len(G))
    A = []
    B = []
    for P, S, weight in zip(p.pseudo, crossed, w**p.r, strict=True):
        # Times w^r, which may be too small to divide by.
        A.append(np.linalg.solve(weight * G + ridge, weight * S))
        share = p.delta * weight
        B.append(np.linalg.solve(share * G + ridge, share * (Y.T @ P)))
    return A, B


def row_problem(p: Problem, A: list[Matrix], B: list[Matrix], w: Vector) -> tuple[Matrix, Matrix]:
    """Matrices M (q, q) and b (n, q) of the quadratic cost of each latent row."""
    M = (p.beta + p.lam) * np.eye(len(A[0]))
    b = np.zeros((p.tables[0].shape[0], len(A[0])))
    for X, P, Av, Bv, weight in zip(p.tables, p.pseudo, A, B, w**p.r, strict=True):
        M += weight * (Av @ Av.T + p.delta * (Bv @ Bv.T))
        b += weight * (operators.times(X, Av.T) + p.delta * (P @ Bv.T))
    return M, b


def sweep(p: Problem, s: State) -> State:
    """Update the maps, the latent rows, centers, clusters and view weights in turn."""
    A, B = maps(p, s.Y, s.S, s.w)
    M, b = row_problem(p, A, B, s.w)
    Y = np.linalg.solve(M, (b + p.beta * s.C[s.g]).T).T
    C = centers(p, Y, s.g)
    g = distances.squared(Y, C).argmin(axis=1)
    s = State(Y, products(p, Y), A, B, C, g, s.w)
    return s._replace(w=weights(losses(p, s), p.r))


def balanced_sweep(p: Problem, s: State) -> State:
    """Update all blocks in turn, then the basis of the latent space by (6)."""
    s = sweep(p, s)
    other = rebased(p, s)
    # Where Y has fewer dimensions than columns, T is exact only up to rounding.
    return other if objective(p, other) <= objective(p, s) else s


def rebased(p: Problem, s: State) -> State:
    """Change the basis of the latent rows so that their clusters and ridges cost least (6).

    With M = T T' that cost is tr(P M) + tr(R M^-1), least where M P M = R.
    """
    away = s.Y - s.C[s.g]
    P = p.beta * away.T @ away + p.lam * (s.Y.T @ s.Y + s.C.T @ s.C)
    R = p.lam * np.add.reduce([M @ M.T for M in (*s.A, *s.B)])
    q = len(P)
    if not (np.trace(P) > 0 and np.trace(R) > 0):
        return s
    root = np.linalg.cholesky(P + BALANCE * np.trace(P) * np.eye(q))
    squares, vectors = np.linalg.eigh(root.T @ R @ root)
    scales = np.maximum(squares, BALANCE * squares[-1]) ** 0.25
    T = np.linalg.solve(root.T, vectors) * scales
    inverse = (root @ vectors / scales).T
    return s._replace(
        Y=s.Y @ T,
        S=[T.T @ M for M in s.S],
        A=[inverse @ M for M in s.A],
        B=[inverse @ M for M in s.B],
        C=s.C @ T,
    )


def centers(p: Problem, Y: Matrix, g: Labels) -> Matrix:
    """Centers C (k, q) of the clusters g (n,) of the latent rows Y (n, q)."""
    G = memberships.indicator(g, p.k)
    return p.beta * (G.T @ Y) / (p.beta * G.sum(axis=0) + p.lam)[:, None]  # (4)


def weights(L: Vector, r: float) -> Vector:
    """Optimal weights (V,) of the views, from their losses.

    >>> weights(np.array([1.0, 4.0]), 2.0)
    array([0.8, 0.2])
    """
    # A view that fits without error would have an infinite weight.
    logs = np.log(np.maximum(L, 1e-300))
    return memberships.entropic(logs[None], r - 1.0)[0]


@parameterized
class PLCMF(MultiViewClusterer):
    """Collective matrix factorization of several views, guided by the clusters of each.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    views : mapping view -> columns of X (slice, positions or names); None: one view
    n_components : int >= 1, q, columns of the latent table (paper: 100)
    weight_power : float > 1, r; the larger, the more equal the weights of the views (paper: 5)
    label_weight : float >= 0, delta, weight of the pseudo-labels (paper: .1)
    cluster_weight : float > 0, beta, weight of the clusters of the latent table (paper: .01)
    ridge : float > 0, lambda (paper: 1e-4)
    n_init : int >= 1, starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps (paper: 20)
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    balanced : bool, each sweep ends with step (6); False: without it, as in the paper
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster that adds least to J
    view_names_ : (V,)
    view_weights_ : (V,), w
    latent_ : (n, q), Y
    latent_centers_ : (k, q), C
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Raises
    ------
    InputError : a parameter is out of range, or X is no finite table of at least k rows

    Examples
    --------
    >>> from kinfolk.tables import join
    >>> X, views = join({"a": [[0.0], [0.1], [0.9]], "b": [[0.2, -1], [0.1, -1], [-0.8, 0.7]]})
    >>> model = PLCMF(n_clusters=2, views=views, random_state=0).fit(X)
    >>> model.labels_, model.predict([[0.8, -0.7, 0.6]])
    (array([0, 0, 1]), array([1]))
    >>> model.view_weights_.sum().round(6)
    np.float64(1.0)
    """

    keeps = kept_rows.MEMBERSHIPS
    of_rows = ("latent_",)

    n_clusters: int = 2
    views: Mapping[Any, Any] | None = None
    n_components: int = 100
    weight_power: float = 5.0
    label_weight: float = 0.1
    cluster_weight: float = 0.01
    ridge: float = 1e-4
    n_init: int = 4
    max_iter: int = 300
    tol: float = 1e-6
    balanced: bool = True
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d)."""
        rows, k = self._open_rows(X)
        q = checks.at_least("n_components", self.n_components, 1)
        settings = Settings.of(self)
        steps = balanced_sweep if flag("balanced", self.balanced) else sweep
        # Long descents enlarge rounding, so that sums over columns have one order.
        orders = [content_order.columns(T) for T in rows.tables]
        self._columns = [own[i] for own, i in zip(self._columns, orders, strict=True)]
        self._sizes: Vector = operators.scales(rows.tables)
        tables = self._scaled(rows.X)
        # k-means of a view depends on no start of the descent.
        found = [starts.centers(T, k, settings.seeds[0], 10) for T in tables]
        self._view_centers = [centers.astype(np.float64) for centers in found]
        p = self._problem(tables)
        joined = content_order.sorted_columns(operators.hstack(tables))
        run = settings.best(
            start=lambda seed: first(p, joined, q, seed),
            sweep=lambda s: steps(p, s),
            objective=lambda s: objective(p, s),
            scale=sum(p.squares),
            what="collective factorization",
        )
        s = run.state
        self.view_weights_ = s.w
        self.latent_centers_ = s.C
        self._maps = s.A
        self._label_maps = s.B
        self.labels_, self.latent_ = self._assign(p)
        return self._record(run)

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) with the columns of all views."""
        return self._assign(self._problem(self._scaled(self._observed_rows(X).X)))[0]

    def _scaled(self, X: Table) -> list[Table]:
        """Divide each view by its largest absolute entry of the fit."""
        views = zip(self._views_of(X), self._sizes, strict=True)
        return [table.astype(np.float64) / size for table, size in views]

    def _assign(self, p: Problem) -> tuple[Labels, Matrix]:
        """Cluster and latent coordinates of each row with the least cost."""
        M, b = row_problem(p, self._maps, self._label_maps, self.view_weights_)
        C = self.latent_centers_
        # y = M^-1 (b + beta C[c]), whose parts of the row and of the cluster are solved apart.
        of_rows = np.linalg.solve(M, b.T).T
        of_clusters = p.beta * np.linalg.solve(M, C.T).T
        # -(b + beta C[c])'y + beta |C[c]|^2 less b'M^-1 b, which is equal for all clusters.
        own = p.beta * (distances.squared_norms(C) - np.sum(C * of_clusters, axis=1))
        labels = (own - 2.0 * p.beta * (of_rows @ C.T)).argmin(axis=1)
        return labels, of_rows + of_clusters[labels]

    def _problem(self, tables: list[Table]) -> Problem:
        """Check the parameters; pseudo-labels are the nearest k-means centers in each view."""
        k = len(self._view_centers[0])
        pairs = zip(tables, self._view_centers, strict=True)
        near = [distances.squared(T, V).argmin(axis=1) for T, V in pairs]
        return Problem(
            tables,
            [memberships.indicator(labels, k) for labels in near],
            k,
            checks.above("weight_power", self.weight_power, 1),
            checks.above("cluster_weight", self.cluster_weight, 0),
            checks.not_negative("label_weight", self.label_weight),
            checks.above("ridge", self.ridge, 0),
            squared_sizes(tables),
        )


def squared_sizes(tables: list[Table]) -> list[float]:
    """Sum of squared entries of each view."""
    return [float(distances.squared_norms(X).sum()) for X in tables]


def first(p: Problem, joined: Table, q: int, seed: int) -> State:
    """First state: q random combinations of columns as latent rows, and k-means of the table."""
    random = np.random.RandomState(seed)
    directions = random.normal(size=(joined.shape[1], q)) / np.sqrt(q)
    Y = operators.times(joined, directions)
    g = starts.kmeans(joined, p.k, seed)
    C = centers(p, Y, g)
    w = np.full(len(p.tables), 1.0 / len(p.tables))
    S = products(p, Y)
    return State(Y, S, *maps(p, Y, S, w), C, g, w)
