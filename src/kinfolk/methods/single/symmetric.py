"""Symmetric non-negative matrix factorization (SymNMF) of a similarity between rows.

For a symmetric similarity M between rows and non-negative Y, minimize

    J(Y) = |M - Y Y'|_F^2,                                                        (21)

where M may first be divided by its degrees d = M 1 (`degrees`),

    M <- S M S,   S = sqrt(mean d) diag(d)^-1/2,                                  (D)

from k-means labels as 0/1 rows plus 0.2. Exact steps solve the problem of each row m of M,

    y = argmin |m - Y y|^2   over y >= 0,                                          (R)

and go from Y towards these rows as far as J falls most (`symmetric_factorization`). The label of a
row, of the fit or new, is the largest entry of its y of (R). The multiplicative step is

    Y <- Y o sqrt( (M Y) / (Y Y'Y) ).                                             (25)

Symbols     M (n, n), Y (n, k), Z unit rows of X (n, d), h bandwidth.
Units       cosines and kernels have none; h is in units of X.
Exact       for cosines M = Z Z' and M Y = Z (Z'Y): M is never formed, and
            J = |Z'Z|_F^2 - 2 tr(Y'MY) + |Y'Y|_F^2.
Limits      M with blocks of ones is factored exactly, J = 0.
Source      Zhang, Zhang, Liu (2019), equations (21)-(25), after Kuang, Ding, Park (2012).
Departures  (D), which the authors of SymNMF propose, unless `divide_by_degrees` is False: without
            it (21) describes the densest rows. Exact steps end where (25) does, in fewer sweeps;
            `update="multiplicative"` is (25), without (D), and its label the largest entry of Y.
            M of measurements is (LN) of `affinities`: most small similarities are left out.
            Where M has negative entries (25) would take roots of negative numbers: it is then the
            step of `symmetric_factorization` for M = P - N.
Beyond      new rows: (R), with the similarities m to the n rows, times S. It is the condition (24)
            on a row of Y while all others stay.
            With weights w of rows, D = diag(w), the objective is that of the table with row i
            repeated w_i times, copies of which have the similarity M_ii to each other:

                J(Y) = sum_ij w_i w_j (M_ij - y_i'y_j)^2 = |D^1/2 M D^1/2 - F F'|_F^2,  (21w)
                F = D^1/2 Y,   d = M w,   mean d = w'd / sum w in (D),

            so that (R) and (25) are steps for D^1/2 M D^1/2 and F (`numerics/weighted_rows`), and
            the y of a row has F'F for Y'Y and M D Y for M Y. Nearest rows of local kernels, the
            mean of "centered-cosine" and the median distance of "gaussian" are those of the
            repeated table; "auto" looks at rows without weights. Weights times c change J by c^2,
            and nothing else but nearest rows and the median distance. Where M has negative
            entries, multiplicative steps split it by the size of the table, so that they may be
            others than those of the repeated table.
"""

from copy import copy
from typing import Any, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.blocks import Block, gram
from kinfolk.errors import InputError
from kinfolk.estimators import affinity, checks, factorization, kept_rows
from kinfolk.estimators import rows as rows_in
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.row_sums import BlockClusterer
from kinfolk.numerics import (
    affinities,
    distances,
    operators,
    similarities,
    starts,
    weighted_rows,
)
from kinfolk.numerics.features import Features
from kinfolk.tables import Tasks

AFFINITIES = (*affinities.WITHIN, "precomputed")

ASYMMETRY = 1e-8
"""Differences of M and M' up to this share of its entries are rounding of the user's program."""


@parameterized
class SymNMF(BlockClusterer):
    """Symmetric non-negative matrix factorization of a similarity between rows.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    affinity : "cosine", "centered-cosine", "gaussian", "local-gaussian", "local-neighbors" (that
        of near rows, 0 between others), "precomputed" (X is then the symmetric matrix M), or
        "auto": "cosine" for counts and tables that are mostly zeros, "gaussian" for answers of yes
        and no, else "local-neighbors" (`kinds`, `affinities`); M of the kernels holds n^2 numbers
    bandwidth : float > 0, h of the Gaussian kernel in units of X; None: the median distance
    divide_by_degrees : bool, (D); "auto": True for exact updates where the affinity is cosines that
        are not negative or a kernel with local scales
    update : "exact" rows by non-negative least squares, or "multiplicative" as printed
    n_init : int >= 1, k-means starts; the run with the lowest J is kept
    kmeans_n_init : int >= 1, k-means runs behind each start; that of the least inertia is taken
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts
    neighbors : float > 0, nearest rows that "local-neighbors" links a row to, as a share of the
        mean cluster size n / k; at least 3

    Attributes
    ----------
    memberships_ : (n, k), Y, not negative
    labels_ : (n,), the column of the largest membership, which `predict` gives too
    affinity_ : the name of the affinity that was used
    bandwidth_ : the h that was used, if the affinity is "gaussian"
    n_neighbors_ : int, nearest rows that "local-neighbors" links a row to
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]])
    >>> model = SymNMF(n_clusters=2, affinity="cosine", random_state=0).fit(X)
    >>> model.labels_, model.predict([[0.0, 7.0]])
    (array([0, 0, 1, 1]), array([1]))
    >>> model.memberships_[[0, 2]].round(2) + 0.0
    array([[1.01, 0.  ],
           [0.  , 1.01]])
    >>> rows = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> one = SymNMF(1, affinity="cosine", divide_by_degrees=False, random_state=0)
    >>> one.fit(rows, sample_weight=[8, 1]).memberships_.round(2).ravel()
    array([1.  , 0.75])
    >>> one.fit(np.repeat(rows, [8, 1], axis=0)).memberships_[[0, 8]].round(2).ravel()
    array([1.  , 0.75])
    """

    keeps = kept_rows.ROWS
    of_rows = ("memberships_",)

    n_clusters: int = 2
    affinity: str = "auto"
    bandwidth: float | None = None
    divide_by_degrees: bool | str = "auto"
    update: str = "exact"
    n_init: int = 10
    max_iter: int = 1000
    tol: float = 1e-8
    random_state: Seed = None
    kmeans_n_init: int = 1
    neighbors: float = affinities.NEIGHBORS

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = str(self.affinity) == "precomputed"
        return tags

    def fit(self, X: MatrixLike, y: None = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X (n, d), or of the similarity X (n, n); InputError if unusable.

        sample_weight (n,), not negative, counts a row as so many; None: 1. InputError if fewer than
        k are above 0. X may be in blocks (`kinfolk.Blocks`, or of Dask) for cosines: Y is then in
        memory, X not.
        """
        if rows_in.in_blocks(X, self):
            return self._fit_blocks(X, sample_weight)
        sample_weight = rows_in.weights_beside(X, sample_weight)
        X, k = self._open(X, self.n_clusters)
        weight = rows_in.weights_of_fit(self, sample_weight, Tasks.single(X.shape[0]), [k])
        random = checks.random(self.random_state)
        share = checks.above("neighbors", self.neighbors, 0)
        n = X.shape[0] if weight is None else max(1, round(weight.sum()))
        self.n_neighbors_ = affinities.neighbor_count(n, k, share)
        similarity = self._fit_similarity(X, random, weight)
        M = self._given(X) if similarity is None else similarity.operator(X, 0)
        # k-means sees what M compares: directions for cosines, places for kernels.
        Z = similarity.directions(X) if isinstance(similarity, similarities.DIRECTED) else X
        settings = Settings.of(self, random)
        best_of = checks.at_least("kmeans_n_init", self.kmeans_n_init, 1)
        update = checks.choice("update", self.update, factorization.UPDATES)
        M, s = factorization.balanced(
            M, self.divide_by_degrees, update, self.affinity_, weight
        )  # (D)
        of_means = weighted_rows.uneven(weight)
        run = factorization.symmetric(
            M,
            [starts.kmeans(Z, k, seed, best_of, weight=of_means) for seed in settings.seeds],
            k,
            update=update,
            max_iter=settings.max_iter,
            tol=settings.tol,
            weight=weight,
        )
        self._factor = run.state.Y
        found = factorization.symmetric_memberships(run.state, M=M, weight=weight)
        self.memberships_ = found.Y
        self.labels_ = found.labels
        self._scaled = weighted_rows.times_roots(s[:, None] * self._factor, weight)
        self._keep(X, self._scaled, similarity)
        return self._record(run)

    def _fit_blocks(self, X: MatrixLike, sample_weight: Any) -> Self:
        """Cluster rows in blocks by cosines, with starts from a sample in memory."""
        rows, k = self._open_blocks(X, self.n_clusters, sample_weight)
        random = checks.random(self.random_state)
        weight = rows_in.weights_of_blocks(rows)
        sample = rows.sample()
        self.affinity_ = affinity.of_blocks(self, rows, AFFINITIES)
        settings = Settings.of(self, random)
        best_of = checks.at_least("kmeans_n_init", self.kmeans_n_init, 1)
        update = checks.choice("update", self.update, factorization.UPDATES)
        plain = gram.cosines(rows)
        M, s = factorization.balanced(plain, self.divide_by_degrees, update, "cosine", weight)
        near = distances.unit_rows(sample.x)
        means = [starts.means(near, k, seed, best_of, sample.weight) for seed in settings.seeds]
        run = factorization.symmetric(
            M,
            [rows.gathered(gram.nearest, found.cluster_centers_) for found in means],
            k,
            update=update,
            max_iter=settings.max_iter,
            tol=settings.tol,
            weight=weight,
        )
        self._factor = run.state.Y
        found = factorization.symmetric_memberships(run.state, M=M, weight=weight)
        self.memberships_ = rows.like_rows(found.Y)
        self._scaled = weighted_rows.times_roots(s[:, None] * self._factor, weight)
        self._profiles: Matrix | None = plain.crossed(self._scaled)
        self._rows: Table | None = None
        self.labels_ = rows.like_rows(found.labels)
        self._say_present(np.unique(found.labels))
        return self._record(run)

    def works_elsewhere(self) -> bool:
        """True if arrays on a GPU can be fitted there: cosines and exact updates."""
        return (self.affinity, self.update) == ("cosine", "exact")

    def level_kept(self) -> str:
        """Return how much a saved model tells of single rows: "rows" or "memberships"."""
        fitted = "_rows" in vars(self)
        return kept_rows.MEMBERSHIPS if fitted and self._rows is None else self.keeps

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d), or their similarities X (m, n) to the rows of the fit."""
        rows = self._new_blocks(X)
        # Models that were saved by earlier versions have no factor of its own.
        Y = getattr(self, "_factor", self.memberships_)
        light = copy(self)
        for name in ("labels_", "memberships_", "_factor", "_scaled"):
            light.__dict__.pop(name, None)
        # Cosines need the profiles alone; what has an entry for each row need not travel.
        scaled = None if vars(self).get("_profiles") is not None else getattr(self, "_scaled", Y)
        return rows.each(_assigned, light, Y.T @ Y, scaled)

    def _fit_similarity(
        self, X: Table, random: np.random.RandomState, weight: Vector | None
    ) -> similarities.NamedSimilarity | None:
        """Set `affinity_`; return the similarity by that name, None if X is a similarity."""
        self.affinity_ = affinity.chosen(self.affinity, X, AFFINITIES)
        if self.affinity_ == "precomputed":
            return None
        if self.affinity_ == "gaussian":
            self.bandwidth_ = affinity.bandwidth(self, [Features([X])], random, weight)
        return self._named(weight)

    def _given(self, X: Table) -> operators.Symmetric:
        """Return the similarity matrix given as X; InputError if it is not symmetric."""
        if X.shape[0] != X.shape[1] or similarities.asymmetry(X) > ASYMMETRY:
            raise InputError(
                f"affinity is 'precomputed' and X has shape {X.shape}; give a symmetric (n, n) "
                "similarity, or choose affinity='cosine' to start from a table of features."
            )
        return operators.Explicit(X)

    def _named(self, weight: Vector | None = None) -> similarities.NamedSimilarity:
        """Return the fitted similarity function; `affinity_` must not be "precomputed"."""
        name = affinity.of_fit(self)
        fitted = vars(self)
        l = fitted.get("n_neighbors_")
        return similarities.named(name, fitted.get("bandwidth_"), l, weight)

    def _keep(self, X: Table, Y: Matrix, similarity: similarities.NamedSimilarity | None) -> None:
        """Store what assigning new rows needs: Z'Y (d, k) for cosines, else the rows."""
        self._profiles = None
        self._rows = None
        if similarity is None:
            return
        if isinstance(similarity, similarities.DIRECTED):
            self._profiles = similarity.kept(X, Y)
        else:
            self._rows = similarity.kept(X, Y)

    def _products(self, X: Table, Y: Any) -> Matrix:
        """Similarities of new rows X (m, d), or X (m, n) if given, times Y (n, k)."""
        if affinity.of_fit(self) == "precomputed":
            return operators.times(X, Y)
        kept = self._rows if self._profiles is None else self._profiles
        return self._named().products(X, kept, Y)


def _assigned(block: Block, model: SymNMF, G: Matrix, scaled: Matrix | None) -> Labels:
    """Cluster (m,) of each row of a block, by its largest optimal membership."""
    return factorization.row_memberships(G, model._products(block.x, scaled)).labels
