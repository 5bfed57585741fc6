"""Co-MVCF: k-means in several views and in a latent space of concept factorization.

One latent table Y shared by the views X_v, concepts G_v'X_v of each view, hard clusters p with
centers z_v in the views and z~ in the latent space, weights w of the views; minimize

    J = alpha sum_v w_v |X_v - Y G_v'X_v|_F^2 + gamma tr(Y'LY)
      + beta sum_i |Y[i] - z~[p_i]|^2 + (1-beta) sum_v w_v sum_i |X_v[i] - z_v[p_i]|^2
      + eta sum_v w_v log w_v                                                      (9)

over Y, G >= 0 and w on the simplex by block updates, none of which raises J:

    z~, z_v = means of the rows of each cluster                                    (10)
    p_i     = argmin_c beta |Y[i] - z~[c]|^2 + (1-beta) sum_v w_v |X_v[i] - z_v[c]|^2   (11)
    G_v    <- G_v o (K_v Y) / (K_v G_v Y'Y)                                        (14)
    Y      <- Y o (beta P z~ + alpha sum w K G + gamma S Y)
                / (beta Y + alpha sum w Y G'KG + gamma D Y)                        (15)
    w_v     = softmax_v( -((1-beta) E_v + alpha R_v) / eta )                       (16)

E_v the sum of squared distances to the centers, R_v the residual. (14) and (15) are as printed
where X >= 0, and in the form of `numerics/concepts.py` for data of any sign. The labels are p,
by (10) and (11) once more at the end.

Symbols     X_v (n, d_v), K_v = X_v X_v', Y and G_v (n, r), z~ (k, r), z_v (k, d_v), P (n, k) the
            rows 0/1 of p, L = D - S the Laplacian of all columns. The paper has samples in
            columns, V for Y', c for k, k for v, K for the number of views.
Units       J and eta are in squared units of X: views in larger units weigh more.
Exact       everything by products with X_v; K_v is formed only where it is smaller than X_v;
            |X_v[i] - z_v[c]|^2 is read off K_v P; L is sparse.
Limits      gamma = 0: the paper's variant N. One view, alpha = beta = 0: Lloyd's k-means. One
            view, beta = 0: CF with a graph of weight gamma/alpha, beside k-means. Copies of one
            view share its weight. eta -> infinity: equal weights.
Source      Hu, Shen, Huang, Huang (2023), Pattern Recognition and Artificial Intelligence,
            equations (9)-(16) and algorithm 1.
Departures  where K has negative entries the printed (14), (15) lose sign and descent; here they
            are split. Slips: (12) drops gamma; (15) mixes indices, its B lacks w; the double sum
            before (4) is twice the trace; algorithm 1 repeats the shared steps in each view,
            here they are done once. Starts: k-means, or "random" factors as printed; p from
            k-means and S of `graphs`, both left open there. (14), (15) alone come to rest late:
            update="exact" descends along the concepts first, with Y at its best for them.
Beyond      (G/s, sY) fits as (G, Y) does and empties the terms of beta and gamma: `normalize`
            holds sum_v w_v diag(G_v'K_v G_v) = 1, by steps on J(Y m, G/m) with m_j^2 that sum. A
            new row gets the y >= 0 and the cluster that together minimize its own part of J,
            with links to its nearest rows of the fit for gamma, all else fixed. Views that a row
            lacks are left out of J, and nearest rows are found by the views that both have
            (`numerics/visible_latent.py`, (9o), and `numerics/view_patterns.py`).
"""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.errors import InputError
from kinfolk.estimators import checks, factorization, kept_rows
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.observed import ObservedRows
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.estimators.views import MultiViewClusterer
from kinfolk.numerics import (
    concepts,
    content_order,
    distances,
    graphs,
    memberships,
    operators,
    starts,
    view_centers,
    view_patterns,
    visible_latent,
)
from kinfolk.numerics.concepts import GramKernel
from kinfolk.numerics.view_patterns import ViewPatterns
from kinfolk.numerics.visible_latent import SWEEPS, Problem, State

TRIES = 5
"""k-means runs behind each start of an exact descent, which begins at the best of them."""


def start(problem: Problem, X: Table, r: int, init: str, seed: int, tries: int = 1) -> State:
    """First state: clusters and factors by k-means (or random factors), equal view weights."""
    p = starts.kmeans(X, problem.k, seed, tries)
    if init == "random":
        random = np.random.RandomState(seed)
        Y, *G = random.uniform(size=(1 + len(problem.kernels), X.shape[0], r))
    else:
        groups = p if r == problem.k else starts.kmeans(X, r, seed, tries)  # one group per concept
        Y = memberships.indicator(groups, r, factorization.OFFSET)
        G = [Y / Y.sum(axis=0)] * len(problem.kernels)
    KG = [K.times(Gv) for K, Gv in zip(problem.kernels, G, strict=True)]
    D = visible_latent.distances_by_view(problem, p)
    E = np.array([Dv[np.arange(len(p)), p].sum() for Dv in D])
    w = np.full(len(G), 1.0 / problem.patterns.shares(len(G)).sum())
    return State(Y, G, KG, p, visible_latent.mean_weights(p, problem.k).T @ Y, E, w)


# Older files have memberships_ for the factor Y: both were one then.
@accept_old_names(
    unstated={
        "update": "multiplicative",
        "_factor": None,
        "_row_weights": None,
        "_rows_there": None,
    }
)
@parameterized
class CoMVCF(MultiViewClusterer):
    """Clusters rows by their views and by a latent space, found by concept factorization.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    views : mapping view -> columns of X (slice, positions or names); None: one view. A row lacks a
        view if all its columns are NaN
    factor_weight : float >= 0, alpha, weight of the factorization (paper: 1e-6 to 100)
    latent_share : float in [0, 1], beta, weight of the latent space against the views
    graph_weight : float >= 0, gamma (paper: 1 to 1e6); 0 is the variant N
    view_temperature : float > 0, eta, in squared units of X (paper: 1 to 1e6); the larger, the
        more equal the weights of the views. None: the scale of `tol`, so that in any units a view
        that is explained in full weighs e = 2.7 times one that is not explained at all
    n_concepts : int >= 1, r, columns of the latent space; None: n_clusters
    n_neighbors : int >= 1, l, the nearest rows that a row is linked to
    affinity : "gaussian" or "binary", weights of the links
    bandwidth : float > 0, h of the Gaussian weights in units of X; None: the median distance of
        linked rows, or of different ones where most are equal
    normalize : bool, True holds sum_v w_v diag(G_v'K_v G_v) = 1 during the descent, so that
        alpha, beta and gamma have no units; False as printed
    update : "exact" steps for the factors, which come to rest after few sweeps, or
        "multiplicative" as printed
    init : "kmeans" or "random", the first Y and G
    n_init : int >= 1, starts; the run with the lowest J is kept. An exact descent starts at the
        best of five k-means runs, so that one is mostly enough
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster with the smallest cost (11)
    view_names_ : (V,)
    view_weights_ : (V,), w, which sum to 1
    memberships_ : (n, r), Y, not negative: the rows in the latent space
    cluster_centers_ : (k, d), z_v by columns of X, units of X
    latent_centers_ : (k, r), z~, units of Y
    concepts_ : list of V arrays (r, d_v), G_v'X_v
    bandwidth_ : the h that was used, if there is a graph with Gaussian weights
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Raises
    ------
    InputError : a parameter is out of range, a view asks for columns that X does not have, or X
        is not a finite table of at least k rows, but for views that are NaN as a whole

    Examples
    --------
    >>> from kinfolk.tables import join
    >>> X, views = join({"a": [[0.0], [0.1], [5.0]], "b": [[1.0, -1], [1.1, -1], [-4.0, 3]]})
    >>> model = CoMVCF(n_clusters=2, views=views, random_state=0).fit(X)
    >>> model.labels_, model.predict([[4.0, -3.0, 2.0]])
    (array([0, 0, 1]), array([1]))
    >>> model.view_weights_.round(3)
    array([0.5, 0.5])
    """

    takes_missing_views = True
    from_zero = True  # rows are sums of concepts
    keeps = kept_rows.ROWS
    of_rows = ("memberships_",)

    n_clusters: int = 2
    views: Mapping[Any, Any] | None = None
    factor_weight: float = 0.01
    latent_share: float = 0.7
    graph_weight: float = 100.0
    view_temperature: float | None = None
    n_concepts: int | None = None
    n_neighbors: int = 5
    affinity: str = "gaussian"
    bandwidth: float | None = None
    normalize: bool = True
    update: str = "exact"
    init: str = "kmeans"
    n_init: int = 1
    max_iter: int = 1000
    tol: float = 1e-4
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d); a row may lack views, each NaN in all its columns there."""
        rows, k = self._open_rows(X)
        problem = self._problem(rows, k)
        first = rows.X if rows.complete else view_centers.completed(rows.tables, rows.there)
        r = k if self.n_concepts is None else checks.at_least("n_concepts", self.n_concepts, 1)
        if r > (n := rows.X.shape[0]):
            raise InputError(f"n_concepts is {r} but X has only {n} rows; give at most {n}.")
        init = checks.choice("init", self.init, ["kmeans", "random"])
        step = SWEEPS[checks.choice("update", self.update, SWEEPS)]
        tries = TRIES if self.update == "exact" else 1  # one, as printed
        run = Settings.of(self).best(
            start=lambda seed: start(problem, first, r, init, seed, tries),
            sweep=lambda s: step(problem, s),
            objective=lambda s: visible_latent.objective(problem, s),
            scale=problem.size,
            what="visible and latent clustering",
        )
        self._set_state(problem, run.state, rows)
        return self._record(run)

    def level_kept(self) -> str:
        """Return how much a saved model tells of single rows: "rows" or "memberships"."""
        return self.keeps if self.graph_weight != 0 else kept_rows.MEMBERSHIPS

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) by the views that they have."""
        return self._assign(self._observed_rows(X))[0]

    def predict_memberships(self, X: MatrixLike) -> Matrix:
        """Return the coordinates (m, r) of new rows X (m, d) in the latent space."""
        return self._assign(self._observed_rows(X))[1]

    def _assign(self, rows: ObservedRows) -> tuple[Labels, Matrix]:
        """Return the cluster and latent coordinates of new rows that minimize their cost.

        The part with y is y'(A + shift I)y - 2 (B + beta z~)'y for each cluster with center z~.
        """
        beta = self.latent_share
        k, r = self.latent_centers_.shape
        n = rows.X.shape[0]
        patterns = ViewPatterns(rows.there)
        grams = []
        B = np.zeros((n, r))
        visible = np.zeros((n, k))
        weights = self.view_weights_ if self._row_weights is None else self._row_weights
        views = zip(rows.tables, weights, self.concepts_, self._columns, strict=True)
        for v, (X, w, C, columns) in enumerate(views):
            grams.append(self.factor_weight * w * (C @ C.T))
            B += self.factor_weight * w * operators.times(X, C.T)
            D = distances.squared(X, self.cluster_centers_[:, columns])
            visible += w * patterns.seen(D, v)
        A = patterns.matrices(grams, beta * np.eye(r))
        shift: Vector = np.zeros(n)
        if self._rows is not None:
            links = self._links(rows, self._rows)
            factor = self.memberships_ if self._factor is None else self._factor
            B += self.graph_weight * (links @ factor)
            shift = self.graph_weight * operators.row_sums(links)
        pulled = B[:, None, :] + beta * self.latent_centers_
        Y = np.empty_like(pulled)
        for own, matrix in zip(A.groups, A.matrices, strict=True):
            Y[own] = concepts.nonnegative_memberships(matrix, pulled[own], shift[own])
        cost = np.einsum("mcr,mcr->mc", A.times(Y) - 2.0 * pulled, Y)
        cost += shift[:, None] * np.sum(np.square(Y), axis=2)
        cost += beta * distances.squared_norms(self.latent_centers_) + (1.0 - beta) * visible
        labels = cost.argmin(axis=1)
        return labels, Y[np.arange(len(labels)), labels]

    def _links(self, rows: ObservedRows, X: Table) -> sp.csr_array:
        """Weights (m, n) of links from new rows to the nearest rows X (n, d) of the fit."""
        h = np.inf if self.affinity == "binary" else self.bandwidth_
        if rows.complete and self._rows_there is None:
            return graphs.heat_links(rows.X, X, self.n_neighbors, h)
        n = X.shape[0]
        known = np.ones((n, len(self._columns))) if self._rows_there is None else self._rows_there
        l = min(self.n_neighbors, n)
        lengths, near = view_patterns.nearest(rows.tables, rows.there, self._views_of(X), known, l)
        return graphs.heat_weighted(lengths, near, n, h)

    def _problem(self, rows: ObservedRows, k: int) -> Problem:
        """Check the parameters and build kernels and graph of the objective."""
        gamma = checks.not_negative("graph_weight", self.graph_weight)
        l = checks.at_least("n_neighbors", self.n_neighbors, 1)
        kind = checks.choice("affinity", self.affinity, ["gaussian", "binary"])
        h = None if self.bandwidth is None else checks.above("bandwidth", self.bandwidth, 0)
        alpha = checks.not_negative("factor_weight", self.factor_weight)
        beta = checks.share("latent_share", self.latent_share)
        # Descents enlarge rounding, so that even sums over columns have one order.
        tables = [content_order.sorted_columns(table) for table in rows.tables]
        kernels = [GramKernel(table) for table in tables]
        h = np.inf if kind == "binary" else h
        graph = None
        if gamma > 0 and rows.complete:
            graph = graphs.heat_graph(content_order.sorted_columns(rows.X), l, h)
        elif gamma > 0:
            l = min(l, rows.X.shape[0] - 1)
            near = view_patterns.nearest(tables, rows.there, tables, rows.there, l, itself=True)
            graph = graphs.heat_graph_of(*near, h)
        # The data terms of J for one cluster and no concepts, averaged over views.
        scatters = (1.0 - beta) * view_centers.scatters(tables, rows.there)
        squares = [alpha * K.squared_norms.sum() for K in kernels]
        size = float(np.mean(np.add(squares, scatters)))
        eta = size or 1.0  # if all rows are equal, any temperature gives equal weights
        if self.view_temperature is not None:
            eta = checks.above("view_temperature", self.view_temperature, 0)
        patterns = ViewPatterns(rows.there)
        held = bool(self.normalize)
        return Problem(kernels, graph, k, alpha, beta, gamma, eta, held, size, patterns)

    def _set_state(self, problem: Problem, s: State, rows: ObservedRows) -> None:
        """Set the fitted attributes, with concepts of unit length if normalized."""
        last = s.p
        m = np.sqrt(visible_latent.latent_scale(problem, s))
        # Labels are to be the best for the centers that are set.
        s = visible_latent.update_clusters(problem, s)
        self.view_weights_ = s.w if rows.complete else s.w / s.w.sum()
        self._row_weights: Vector | None = None if rows.complete else s.w
        whole = rows.complete or problem.graph is None
        self._rows_there: Matrix | None = None if whole else rows.there
        self._factor: Matrix | None = s.Y * m
        self.latent_centers_ = s.Z * m
        self.cluster_centers_ = np.empty((problem.k, rows.X.shape[1]), dtype=rows.X.dtype)
        for v, (table, columns) in enumerate(zip(rows.tables, self._columns, strict=True)):
            M = visible_latent.mean_weights(last, problem.k, v, problem.patterns)
            self.cluster_centers_[:, columns] = operators.crossed(table, M).T
        shrink = np.where(m > 0, m, 1.0)  # a concept of length 0 stays 0
        pairs = zip(rows.tables, s.G, strict=True)
        self.concepts_ = [operators.crossed(table, G / shrink).T for table, G in pairs]
        self._rows = None if problem.graph is None else rows.X
        if problem.graph is not None and self.affinity == "gaussian":
            self.bandwidth_ = problem.graph.bandwidth
        if self.normalize or self.update == "exact":
            self.labels_, self.memberships_ = self._assign(rows)
        else:  # as printed
            self.labels_ = s.p
            self.memberships_ = self._factor
