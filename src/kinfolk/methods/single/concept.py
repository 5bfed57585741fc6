"""Concept factorization (CF): rows as mixtures of concepts, which are mixtures of rows.

Over non-negative Y and G, minimize

    J(Y, G) = |X - Y G'X|_F^2 + gamma tr(Y'LY)                                    (3)

by exact steps: for given G each row of Y solves a non-negative least squares problem, and G
descends along the slope of the J that is left (`numerics/concept_descent.py`). With
`update="multiplicative"` by two steps as printed, neither of which raises J,

    G <- G o (K Y) / (K G Y'Y)                                       concept step
    Y <- Y o (K G + gamma S Y) / (Y G'KG + gamma D Y)                membership step

as they are printed where X >= 0, and in the form of `numerics/concepts.py` for data of any sign.
The label of a row is the largest entry of the y >= 0 that minimizes its own part of J, with the
concepts G'X scaled to unit length: what a new row x gets. That part is |x - y G'X|^2 + gamma
sum_i s_i |y - Y[i]|^2, over links s to its nearest rows. A multiplicative fit reads its labels
from Y.

Symbols     X (n, d), K = XX' (n, n), Y and G (n, k), L = D - S (n, n) of `graphs`. The
            sources have samples in columns, and V for Y, W for G.
Units       J is in squared units of X; gamma has none, unless `normalize` is False.
Exact       only products with X: K is never formed unless it is smaller than X; L is sparse.
Limits      gamma = 0 is CF, gamma > 0 is locally consistent CF (LCCF); k groups of rows, each the
            multiples of one vector, are factored exactly, J = 0. With one concept per row (one
            entry in each row of Y) the best concepts are Y^+ X >= 0 in rows: soft k-means.
Source      (3) and its rules in Hu, Shen, Huang, Huang (2023), section 1.2, after Xu, Gong (SIGIR
            2004); the graph of Cai, He, Han, IEEE TKDE 23(6), 2011.
Departures  where K has negative entries the printed steps lose sign and descent; here they are
            split; and they come to rest late, so that exact ones are the default. Starts:
            k-means, or "random" as printed.
Beyond      (G/s, sY) fits as (G, Y) does, so that gamma tr(Y'LY) can be lowered for nothing and
            J has no minimum: `normalize` holds diag(G'KG) = 1, by steps on J(Y m, G/m) with
            m_j^2 = (G'KG)_jj. Then gamma has no units.
            With weights w of rows, D = diag(w) and gamma = 0, the objective is that of the table
            with row i repeated w_i times, where copies have equal rows of Y and G:

                J(Y, G) = sum_i w_i |x_i - y_i G'D X|^2 = |D^1/2 (X - Y G'D X)|_F^2,    (3w)

            that is (3) of D^1/2 X, D^1/2 Y and D^1/2 G, for which all steps are computed
            (`numerics/weighted_rows`). Weights times a constant multiply J by it; the way to the
            minimum differs, as the first step of L-BFGS-B has the length 1. A graph takes no
            weights: copies of a row would be its nearest rows.
"""

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.blocks import Block, Blocks, kernel
from kinfolk.errors import InputError
from kinfolk.estimators import checks, factorization, kept_rows
from kinfolk.estimators import rows as rows_in
from kinfolk.estimators.descent import Run, Settings
from kinfolk.estimators.loose_concepts import warn_of_loose_clusters
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.estimators.row_sums import BlockClusterer
from kinfolk.numerics import (
    concept_descent,
    concepts,
    content_order,
    graphs,
    memberships,
    operators,
    starts,
    weighted_rows,
)
from kinfolk.numerics.concepts import GramKernel, Kernel
from kinfolk.numerics.graphs import NeighborGraph
from kinfolk.numerics.linked_memberships import Rough
from kinfolk.tables import Tasks


class State(NamedTuple):
    """Memberships Y (n, k), concept weights G (n, k), and the product K G (n, k)."""

    Y: Matrix
    G: Matrix
    KG: Matrix


class Problem(NamedTuple):
    """Constants of the objective: Gram matrix K, the graph or None, its weight, `normalize`.

    With weights (n,) of rows K is that of D^1/2 X.
    """

    K: Kernel
    graph: NeighborGraph | None
    gamma: float
    normalize: bool
    weight: Vector | None = None


def squared_lengths(problem: Problem, s: State) -> Vector:
    """Squared lengths (k,) of the concepts if normalized, else ones."""
    k = s.Y.shape[1]
    return np.sum(s.G * s.KG, axis=0) if problem.normalize else np.ones(k)


def roughness(problem: Problem, Y: Matrix) -> Vector:
    """Graph penalty (k,) of each column of Y: differences between linked rows."""
    if problem.graph is None:
        return np.zeros(Y.shape[1])
    return problem.gamma * graphs.laplacian_energies(problem.graph, Y)


def objective(problem: Problem, s: State) -> float:
    """Reconstruction error plus graph penalty, for concepts of length 1 if normalized."""
    rough = squared_lengths(problem, s) @ roughness(problem, s.Y)
    return float(concepts.residual(problem.K, s.Y, s.G, s.KG) + rough)


def sweep(problem: Problem, s: State) -> State:
    """One multiplicative step for the concepts G, then one for the memberships Y."""
    K = problem.K
    Q = s.Y.T @ s.Y
    if problem.normalize:  # longer concepts raise the graph term of J(Y m, G/m)
        Q += np.diag(roughness(problem, s.Y))
    G = concepts.concept_step(K, s.G, s.KG, K.times(s.Y), Q)
    s = State(s.Y, G, K.times(G))
    A = concepts.gram(s.G, s.KG)
    pull = problem.gamma * squared_lengths(problem, s)
    Y = concepts.membership_step(s.Y, A, s.KG, np.zeros(len(A)), problem.graph, pull)
    return s._replace(Y=Y)


def exact_sweep(problem: Problem, s: State) -> State:
    """Quasi-Newton steps for the concepts G, with the best memberships Y for each."""
    shares = np.ones(1) if problem.normalize else None
    rough = Rough(gamma=problem.gamma, graph=problem.graph)
    p = concept_descent.Factorization(
        [problem.K], np.ones(1), shares, rough, repeats=problem.weight
    )
    Y, (G,) = concept_descent.descend(p, s.Y, [s.G])
    better = State(Y, G, problem.K.times(G))
    # Near the end rounding may lift J, where concepts depend on each other.
    return better if objective(problem, better) <= objective(problem, s) else s


SWEEPS = {"exact": exact_sweep, "multiplicative": sweep}
"""The sweep of each `update`."""


def start(p: Problem, k: int, init: str, seed: int, clusters: Callable[[int], Labels]) -> State:
    """First state: k-means memberships plus 0.2 with means as concepts, or random.

    clusters(seed) are the labels (n,) of k-means.
    """
    if init == "random":
        random = np.random.RandomState(seed)
        Y, G = random.uniform(size=(2, len(p.K.squared_norms), k))
    else:
        Y = memberships.indicator(clusters(seed), k, factorization.OFFSET)
        G = Y / (Y.sum(axis=0) if p.weight is None else p.weight @ Y)
    G = weighted_rows.times_roots(G, p.weight)
    return State(weighted_rows.times_roots(Y, p.weight), G, p.K.times(G))


# Older files have memberships_ for the factor Y: both were one then.
@accept_old_names(unstated={"update": "multiplicative", "_factor": None})
@parameterized
class ConceptFactorization(BlockClusterer):
    """Concept factorization of data of any sign, optionally smooth on a graph of rows.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of concepts
    graph_weight : float >= 0, gamma; 0 is CF, above 0 is LCCF (whose paper has 100, without
        `normalize`)
    n_neighbors : int >= 1, l, the nearest rows that a row is linked to
    affinity : "gaussian" or "binary", weights of the links
    bandwidth : float > 0, h of the Gaussian weights in units of X; None: the median distance of
        linked rows, or of different ones where most are equal
    normalize : bool, True holds every concept at unit length, diag(G'KG) = 1, during the descent;
        False as printed
    update : "exact" rows by non-negative least squares, or "multiplicative" as printed
    init : "kmeans" or "random", the first Y and G
    n_init : int >= 1, starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    memberships_ : (n, k), not negative, for concepts of unit length
    labels_ : (n,), the column of the largest membership; rows without any are in the cluster whose
        concept they are least opposed to
    concepts_ : (k, d), the concepts G'X, of unit length
    concept_weights_ : (n, k), G, how much of each row is in each concept, of all its copies (w G)
    bandwidth_ : the h that was used, if there is a graph with Gaussian weights
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Examples
    --------
    >>> X = np.array([[1.0, -1.0], [2.0, -2.1], [1.0, 1.0], [3.1, 3.0]])
    >>> model = ConceptFactorization(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 1, 1])
    >>> model.concepts_.round(2)
    array([[ 0.69, -0.72],
           [ 0.71,  0.71]])
    >>> model.predict([[-4.0, 4.0], [5.0, 5.0]])
    array([1, 1])
    >>> rows = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> one = ConceptFactorization(1, random_state=0)
    >>> [one.fit(rows, sample_weight=w).concepts_.round(2).tolist() for w in (None, [1, 8])]
    [[[0.85, 0.53]], [[0.73, 0.68]]]
    """

    from_zero = True  # rows are sums of concepts
    keeps = kept_rows.ROWS
    of_rows = ("memberships_", "concept_weights_")

    n_clusters: int = 2
    graph_weight: float = 0.0
    n_neighbors: int = 5
    affinity: str = "gaussian"
    bandwidth: float | None = None
    normalize: bool = True
    update: str = "exact"
    init: str = "kmeans"
    n_init: int = 4
    max_iter: int = 300
    tol: float = 1e-6
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X (n, d), n >= k; InputError if X or a parameter cannot be used.

        sample_weight (n,), not negative, counts a row as so many; None: 1. InputError if fewer than
        k are above 0, or for a graph with weights other than 1. X may be in blocks
        (`kinfolk.Blocks`, or of Dask) without a graph: X is never in memory.
        """
        if rows_in.in_blocks(X, self):
            return self._fit_blocks(*self._open_blocks(X, self.n_clusters, sample_weight))
        sample_weight = rows_in.weights_beside(X, sample_weight)
        X, k = self._open(X, self.n_clusters)
        weight = rows_in.weights_of_fit(self, sample_weight, Tasks.single(X.shape[0]), [k])
        problem = self._problem(X, weight)
        settings = Settings.of(self)
        of_means = weighted_rows.uneven(weight)
        clusters = partial(starts.kmeans, X, k, weight=of_means)
        run = self._descend(problem, settings, k, clusters)
        self._rows = None if problem.graph is None else X
        Y = self._set_factors(problem, run.state)
        self.concepts_ = operators.crossed(X, self.concept_weights_).T
        if problem.graph is not None and self.affinity == "gaussian":
            self.bandwidth_ = problem.graph.bandwidth
        if self.update == "exact":
            self.memberships_: Matrix = self._best_memberships(X)
            self.labels_ = self._labels(X, self.memberships_)
        else:
            best = partial(self._best_memberships, X)
            self.memberships_ = weighted_rows.over_roots(Y, weight, best)
            self.labels_ = factorization.labels_of(self.memberships_)
        warn_of_loose_clusters(X, self.labels_, k, settings.seeds[0], self.graph_weight, weight)
        return self._record(run)

    def _fit_blocks(self, rows: Blocks, k: int) -> Self:
        """Cluster rows in blocks, with starts from a sample in memory."""
        self._only_products()
        settings = Settings.of(self)
        sample = rows.sample()
        plain = kernel.kernel(rows)
        weight = rows_in.weights_of_blocks(rows)
        K = plain if weight is None else plain.scaled(np.sqrt(weight))
        problem = Problem(K, None, 0.0, bool(self.normalize), weight)
        clusters = partial(kernel.start_labels, rows, sample, k)
        run = self._descend(problem, settings, k, clusters)
        self._rows = None
        Y = self._set_factors(problem, run.state)
        self.concepts_ = plain.crossed(self.concept_weights_).T
        if self.update == "exact":
            Y = rows.gathered(_memberships, self._light())
            labels = rows.gathered(_assigned, self._light())
        else:
            best = partial(rows.gathered, _memberships, self._light())
            Y = weighted_rows.over_roots(Y, weight, best)
            labels = factorization.labels_of(Y)
        self.memberships_ = rows.like_rows(Y)
        self.labels_ = rows.like_rows(labels)
        self._say_present(np.unique(labels))
        near = _assigned(sample, self)
        warn_of_loose_clusters(sample.x, near, k, settings.seeds[0], 0.0, sample.weight)
        return self._record(run)

    def works_elsewhere(self) -> bool:
        """True if arrays on a GPU can be fitted there: exact updates, no graph."""
        return self.graph_weight == 0 and self.update == "exact"

    def _only_products(self) -> None:
        """Raise InputError if there is a graph, which needs the table in memory."""
        if checks.not_negative("graph_weight", self.graph_weight) > 0:
            raise InputError(
                f"X is in blocks and graph_weight is {self.graph_weight:g}: a graph compares all "
                "pairs of rows; give graph_weight=0, or the table itself if it fits in memory."
            )

    def _descend(
        self, problem: Problem, settings: Settings, k: int, clusters: Callable[[int], Labels]
    ) -> Run[State]:
        """Descend from k-means labels `clusters(seed)` of each start; keep the best."""
        init = checks.choice("init", self.init, ["kmeans", "random"])
        step = SWEEPS[checks.choice("update", self.update, SWEEPS)]
        return settings.best(
            start=lambda seed: start(problem, k, init, seed, clusters),
            sweep=lambda s: step(problem, s),
            objective=lambda s: objective(problem, s),
            scale=float(problem.K.squared_norms.sum()),
            what="concept factorization",
        )

    def _set_factors(self, problem: Problem, s: State) -> Matrix:
        """Set the fitted factors for concepts of unit length; return Y (n, k), or D^1/2 Y."""
        lengths = np.sqrt(np.sum(s.G * s.KG, axis=0).clip(min=0.0))
        scale = np.where(lengths > 0, lengths, 1.0)
        self.concept_weights_ = weighted_rows.times_roots(s.G / scale, problem.weight)
        # J depends on the scale of Y unless normalized: new rows need the scale of the descent.
        self._scale: Vector = np.ones(len(scale)) if problem.normalize else scale
        Y: Matrix = s.Y * lengths
        # Only fits with a graph use it, and a graph takes no weights.
        self._factor: Matrix | None = Y if problem.weight is None else None
        return Y

    def _light(self) -> Self:
        """Return a copy without per-row attributes, cheap to send to workers."""
        light = copy(self)
        for name in ("labels_", "memberships_", "concept_weights_", "_factor"):
            light.__dict__.pop(name, None)
        return light

    def level_kept(self) -> str:
        """Return how much a saved model tells of single rows: "rows" or "memberships"."""
        return self.keeps if self.graph_weight != 0 else kept_rows.MEMBERSHIPS

    def predict_memberships(self, X: MatrixLike) -> Matrix:
        """Return optimal memberships (m, k) of new rows X (m, d)."""
        rows = self._new_blocks(X)
        found: Matrix = rows.each(_memberships, self._light() if self._rows is None else self)
        return found

    def predict(self, X: MatrixLike) -> Labels:
        """Return the column (m,) of the largest membership of each new row X (m, d)."""
        rows = self._new_blocks(X)
        found: Labels = rows.each(_assigned, self._light() if self._rows is None else self)
        return found

    def _best_memberships(self, X: Table) -> Matrix:
        """Optimal memberships (n, k) of rows X (n, d), for the fitted concepts."""
        C = self.concepts_ * self._scale[:, None]
        B = operators.times(X, C.T)
        shift: Vector = np.zeros(X.shape[0])
        if self._rows is not None:
            h = np.inf if self.affinity == "binary" else self.bandwidth_
            links = graphs.heat_links(X, self._rows, self.n_neighbors, h)
            # The part of J of a new row, as y'(CC' + shift I)y - 2 B'y.
            factor = self.memberships_ if self._factor is None else self._factor
            B += self.graph_weight * (links @ (factor / self._scale))
            shift = self.graph_weight * operators.row_sums(links)
        return concepts.nonnegative_memberships(C @ C.T, B[:, None], shift)[:, 0] * self._scale

    def _labels(self, X: Table, Y: Matrix) -> Labels:
        # A row that no concept helps to build goes to the one it is least opposed to.
        return memberships.hard(Y, operators.times(X, self.concepts_.T).argmax(axis=1))

    def _problem(self, X: Table, weight: Vector | None) -> Problem:
        """Check the parameters and build Gram matrix and graph."""
        gamma = checks.not_negative("graph_weight", self.graph_weight)
        if weight is not None and gamma > 0:
            raise InputError(
                f"sample_weight is given and graph_weight is {gamma:g}: copies of a row would be "
                "its nearest rows in the graph; give graph_weight=0, or leave the weights out."
            )
        l = checks.at_least("n_neighbors", self.n_neighbors, 1)
        kind = checks.choice("affinity", self.affinity, ["gaussian", "binary"])
        h = None if self.bandwidth is None else checks.above("bandwidth", self.bandwidth, 0)
        # Descents enlarge rounding, so that even sums over columns have one order.
        X = content_order.sorted_columns(X)
        graph = graphs.heat_graph(X, l, np.inf if kind == "binary" else h) if gamma > 0 else None
        K = GramKernel(weighted_rows.scaled(X, weight))
        return Problem(K, graph, gamma, bool(self.normalize), weight)


def _memberships(block: Block, model: ConceptFactorization) -> Matrix:
    """Optimal memberships (m, k) of the rows of a block."""
    return model._best_memberships(block.x)


def _assigned(block: Block, model: ConceptFactorization) -> Labels:
    """Cluster (m,) of each row of a block."""
    return model._labels(block.x, model._best_memberships(block.x))
