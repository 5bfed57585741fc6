"""Weighted multi-task clustering by feature and instance transfer (MTCFIR).

Symmetric factorization of each task, on a similarity that all tasks learn together.

1. Common features: g marginalised denoising layers on the rows of all tasks stacked; the rows
   and all layers side by side are Z.                                          (1)-(6)
2. Consistent similarity: for task t, with V^ts the associations of its rows with those of s,

    eps_t    = median over columns of the (l+1)-th largest entry of each column of V^tt
    alpha_ts = share of the entries of V^ts that are >= eps_t                     (20)
    A_ij     = sum_s alpha_ts |V^ts_i - V^ts_j|^2                                  (9)
    M        = for each row the l nearest by A, weighted; (M + M')/2         (14)-(19)
    M        = S M S, divided by its degrees (`degrees`)                           (D)

3. Symmetric factorization: minimize |M - Y Y'|_F^2 by

    Y <- Y o sqrt( (M Y) / (Y Y'Y) )                                              (25)

   from k-means of the task's rows of Z as 0/1 rows plus 0.2. The label is the largest entry. Exact
   steps reach the same condition in fewer sweeps (`symmetric_factorization`).

Symbols     X (N, d) all tasks, Z (N, d(g+1)), Y (n_t, k_t), l = ceil(lambda n_t / k_t).
Units       tanh in step 1 does not commute with units. Layers hold `layer_share_` of the squared
            length of Z: nearly nothing where entries are far above 1, most of it far below.
Exact       step 1 in the smaller of d x d and N x N (`denoising`); step 2 by products and counts
            in blocks, M sparse (`associations`, `graphs`); nothing n x n is held.
Limits      one task: MTCFIR with share_instances is a graph of the task itself; with
            share_features=False and share_instances=False it is SymNMF of each task, whose
            k-means start sees the rows, not the unit rows.
Source      Zhang, Zhang, Liu (2019), Chinese Journal of Computers 42(12), equations (1)-(25).
Departures  (D) is ours, unless `divide_by_degrees` is False: in M itself few rows with many links
            outweigh all others. l is at most `max_neighbors`, so that links grow as n and not as
            n^2, unless that is None; and at most n_t - 2, so that B_{l+2} of (19) exists; ties and
            r: see `graphs` and `denoising`. `update="multiplicative"` is (25). The paper does not
            say what MTCFIR-nI factors: here affinities of Z, of near rows alone in measurements.
Beyond      `weight_rows` counts (20) on a sample of rows. A new row of task t is passed through
            step 1, linked to its l nearest rows of the task by (9) and (14), and given the y >= 0
            that minimizes |m - Y y|^2 for these links m; a row of the fit keeps its label. In the
            variant nI, m are its associations with all rows of the task.
Blocks      with cosines, rows may be in blocks. Step 1, the counts of (20) for sampled rows and the
            sums Z_s'Z_s that (9) needs are those of all rows, in g + 4 passes. Steps (14) to (25)
            are an approximation: they see at most `landmarks` rows of each task, and the others are
            assigned as new rows are. If no task has more rows, the fit is that of the table. The
            variant nI is that of the table for any number of rows: Y is in memory, X is not.
Weights     of rows, in the variant nI with cosines: layers (`denoising`) and (21w) of `symmetric`
            are those of the table with row i repeated w_i times. A graph of nearest rows has none:
            it would link a row that is repeated often to its copies alone.
"""

from collections.abc import Sequence
from math import ceil
from typing import Any, Self

import numpy as np

from kinfolk.arguments import flag
from kinfolk.arrays import Labels, MatrixLike, Seed, Table, Vector
from kinfolk.estimators import (
    affinity,
    checks,
    kept_rows,
    renamed,
    task_blocks,
    task_graphs,
    task_similarity,
)
from kinfolk.estimators import rows as rows_in
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import (
    affinities,
    associations,
    common_features,
    geometry,
    kinds,
    reference,
    starts,
)
from kinfolk.numerics.affinities import Formula
from kinfolk.numerics.associations import Association, Precomputed
from kinfolk.numerics.consistent import TaskSimilarity, consistent_similarity, own_similarity
from kinfolk.numerics.features import Features
from kinfolk.numerics.seminonnegative import nonnegative_assignment
from kinfolk.running import progress

PRECISIONS: dict[str, type[np.floating]] = {"double": np.float64, "single": np.float32}

# With few neighbors a graph of overlapping classes falls apart: of heart and iris .58 and .83 are
# right with 0.3, .71 and .85 with 0.6; no other table loses .04. The printed steps keep the value
# that they were measured with.
NEIGHBORS = {"exact": 0.6, "multiplicative": 0.3}
"""Value of `neighbors` (lambda) for "auto", by the name of `update`."""


@renamed.accept_old_names(parameters={"association": "affinity"})
@parameterized
class MTCFIR(MultiTaskClusterer):
    """Multi-task clustering that shares features and instances, weighted by relatedness.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    noise : float in [0, 1), p, the chance that a feature is blanked out (paper: 0.5 to 0.9)
    n_layers : int >= 1, g, denoising layers (paper: 3)
    neighbors : float > 0, lambda, neighbors of a row as a share of the mean cluster size of its
        task (paper: 0.1 to 0.9); "auto": 0.6, 0.3 for multiplicative updates, or 0.5 in nI
    max_neighbors : int >= 1, the most neighbors of a row in step 2; None: no bound, as printed
    affinity : the association by which rows are compared: "cosine", "centered-cosine", "gaussian",
        "local-gaussian" (means and scales of a task's own rows; `affinities`), in nI also
        "local-neighbors", or "auto": "cosine" for counts and tables that are mostly zeros,
        "gaussian" where half of the columns are answers of yes and no, else "local-gaussian", in
        nI "local-neighbors" (`kinds`)
    bandwidth : float > 0, h of the Gaussian kernel in units of Z; None: the median distance
    share_features : bool, False leaves out step 1 (the paper's variant nF); "auto": True for
        tables of counts or mostly zeros, as of words (`kinds`)
    share_instances : bool, False factors each task's own similarity (nI)
    weigh_tasks : bool, False sets every alpha to 1 (nR)
    weight_rows : int >= 2, rows of each task on which alpha is counted; None: all, exactly, or of
        rows in blocks all landmarks
    landmarks : int >= 3, the most rows of each task that step 2 compares with each other if X is in
        blocks; drawn from a sample of the rows
    precision : "double", or "single" for the products of step 2 that M comes from: half the time,
        distances to about 1e-6 of their size
    divide_by_degrees : bool, (D); "auto": True for exact updates, but in the variant nI where its
        own similarities are cosines with negative entries or a kernel of one bandwidth
    ridge : float > 0, added to the diagonal of E[Q]
    update : "exact" rows by non-negative least squares, or "multiplicative" as printed
    n_init : int >= 1, k-means starts, of which each task keeps the one with its lowest J
    kmeans_n_init : int >= 1, k-means runs behind each start; that of the least inertia is taken
    max_iter : int >= 1, the most sweeps of step 3
    tol : float >= 0, stop when a task's J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for starts and samples

    Attributes
    ----------
    labels_ : (n,), the cluster of each row, from 0 in each task
    memberships_ : list of T arrays Y (n_t, k_t), not negative, in the row order of each task
    task_names_ : (T,)
    affinity_ : the name of the affinity that was used
    bandwidth_ : the h that was used, if the affinity is "gaussian"
    layer_share_ : float, share of the squared length of the rows of Z that is in the layers
    task_relatedness_ : (T, T), row t is alpha_ts / alpha_tt: what task t takes from each s
    task_relatedness_error_ : (T, T), its standard error; 0 without `weight_rows`
    objective_traces_ : task -> (sweeps + 1,), its J at the start and after each sweep
    objective_trace_ : (n_iter_ + 1,), the sum over tasks
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; a task has fewer rows than clusters, or only one

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(random_state=0)
    >>> model = MTCFIR(n_clusters=3, random_state=0).fit(data.X, tasks=data.tasks)
    >>> model.task_relatedness_.diagonal()
    array([1., 1.])
    """

    keeps = kept_rows.ROWS
    of_rows = ("memberships_",)
    keeps_row_order = True

    n_clusters: Any = 2
    noise: float = 0.5
    n_layers: int = 3
    neighbors: float | str = "auto"
    max_neighbors: int | None = 100
    affinity: str = "auto"
    bandwidth: float | None = None
    share_features: bool | str = "auto"
    share_instances: bool = True
    weigh_tasks: bool = True
    weight_rows: int | None = None
    precision: str = "double"
    divide_by_degrees: bool | str = "auto"
    ridge: float = 1e-5
    update: str = "exact"
    n_init: int = 10
    max_iter: int = 1000
    tol: float = 1e-8
    random_state: Seed = None
    kmeans_n_init: int = 1
    landmarks: int = 2000

    def fit(
        self, X: MatrixLike, y: None = None, tasks: Any = None, sample_weight: Any = None
    ) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each.

        sample_weight (n,), not negative, counts a row as so many, with cosines and
        share_instances=False; None: 1. X may be in blocks (`kinfolk.Blocks`, or of Dask) for
        cosines; memberships are then not kept.
        """
        if rows_in.in_blocks(X, self):
            return task_graphs.fit_blocks(self, task_blocks.opened(self, X, tasks, sample_weight))
        sample_weight = rows_in.weights_beside(X, sample_weight)
        X, found = self._open(X, tasks)
        k = checks.clusters(self.n_clusters, found)
        weight = rows_in.weights_of_fit(self, sample_weight, found, k)
        weights = task_similarity.by_task(weight, found.rows())
        random = checks.random(self.random_state)
        best_of = task_graphs.checked(self)
        self._l = self._neighbor_counts(found.sizes, k)
        precision = self._precision()
        self._X, self._codes, self._weight = X, found.codes, weight
        rows = self._learn_features()  # (1)-(6)
        self._fit_affinity(rows, random)
        task_graphs.check_weighted(self, weight is not None)
        seeds = Settings.of(self, random).seeds
        of_tasks = list(zip(rows, k, weights, strict=True))
        first = [starts.first_labels(z, n, seeds, best_of, w) for z, n, w in of_tasks]
        V, Z = self._compared(rows)
        self._fit_weights(V, Z, random)  # (20)
        grams = geometry.grams(V, Z, precision) if self.share_instances else None

        tracked = progress.track(range(len(k)), task_graphs.CLUSTERING)
        similar = (self._similarity(V, Z, t, grams) for t in tracked)  # (9), (14)-(19)
        parts = zip(similar, first, k, weights, strict=True)
        each = [task_graphs.factorized(self, *part) for part in parts]
        task_graphs.keep(self, each)
        self.memberships_ = [own.Y for own in each]
        labels = found.merged(own.labels for own in each)
        return self._record(X, found, labels, k, [own.run for own in each])

    def _neighbor_counts(self, sizes: list[int], k: list[int]) -> list[int]:
        """Number of neighbors for each task of these sizes and clusters."""
        share = self._neighbor_share()
        most = max(sizes)
        if self.max_neighbors is not None:
            # A share of the rows makes as many links as n^2.
            most = checks.at_least("max_neighbors", self.max_neighbors, 1)
        if not self.share_instances:
            pairs = zip(sizes, k, strict=True)
            return [affinities.neighbor_count(n, k_t, share) for n, k_t in pairs]
        wanted = [min(ceil(share * n / k_t), most) for n, k_t in zip(sizes, k, strict=True)]
        return [max(1, min(l, n - 2)) for l, n in zip(wanted, sizes, strict=True)]

    def _neighbor_share(self) -> float:
        """Return the parameter `neighbors` (lambda), checked or chosen."""
        if not isinstance(self.neighbors, str):
            return checks.above("neighbors", self.neighbors, 0)
        checks.choice("neighbors", self.neighbors, [kinds.AUTO])
        return NEIGHBORS[self.update] if self.share_instances else affinities.NEIGHBORS

    def _learn_features(self) -> list[Features]:
        """Return each task's rows with their denoising layers, none in nF; sets `layer_share_`."""
        settings = self._layer_settings(self._X)
        layers, rows = common_features.by_task(self._X, self._codes, *settings, self._weight)
        self._layers = list(layers)
        given = (self._X, rows, self._weight, self._codes)
        self.layer_share_ = common_features.layer_share(*given) if layers else 0.0
        return list(rows)

    def _layer_settings(self, X: Table) -> tuple[float, int, float]:
        """Noise, number (0 in the variant nF) and ridge of the layers, checked, for rows X."""
        noise = checks.number("noise", self.noise, 0.0, 1.0, open_low=False)
        n_layers = checks.at_least("n_layers", self.n_layers, 1)
        ridge = checks.above("ridge", self.ridge, 0)
        return noise, n_layers if self._shares_features(X) else 0, ridge

    def _shares_features(self, X: Table) -> bool:
        """True if features are to be shared; InputError for a wrong `share_features`."""
        if isinstance(self.share_features, str):
            checks.choice("share_features", self.share_features, [kinds.AUTO])
            return kinds.like_words(X)
        return flag("share_features", self.share_features)

    def _fit_affinity(self, rows: list[Features], random: np.random.RandomState) -> None:
        """Set `affinity_`, and `bandwidth_` for the Gaussian kernel."""
        names = affinities.NAMES if self.share_instances else affinities.WITHIN
        self.affinity_ = affinity.chosen(self.affinity, self._X, names)
        if self.affinity_ == "gaussian":
            self.bandwidth_ = affinity.bandwidth(self, rows, random)

    def _formula(self, t: int = 0) -> Formula:
        """Affinity of the rows of task t; in the variant nI by the task's number of neighbors."""
        bandwidth = vars(self).get("bandwidth_")
        return affinities.formula(affinity.of_fit(self), bandwidth, self._l[t])

    def _compared(self, rows: list[Features]) -> tuple[Association, Sequence[Features]]:
        """Return the affinity and rows for building similarities; empties `rows`."""
        V = self._formula()
        if not self.share_instances:
            return V, [self._formula(t).prepared(rows.pop(0)) for t in range(len(rows))]
        if associations.worth_precomputing(rows):
            return Precomputed(V), associations.precompute(V, rows)
        return V, associations.prepare(V, rows)

    def _fit_weights(
        self, V: Association, Z: Sequence[Features], random: np.random.RandomState
    ) -> None:
        """Set the task weights alpha and `task_relatedness_`, constants in variants nI and nR."""
        T = len(Z)
        if not self.share_instances or not self.weigh_tasks:
            found = associations.constant_weights(T, related=bool(self.share_instances))
        elif self.weight_rows is None:
            found = associations.exact_weights(V, Z, self._l)
        else:
            n_rows = checks.at_least("weight_rows", self.weight_rows, 2)
            found = associations.sampled_weights(V, Z, self._l, n_rows, random)
        self._set_weights(found)

    def _precision(self) -> type[np.floating]:
        return PRECISIONS[checks.choice("precision", self.precision, PRECISIONS)]

    def _set_weights(self, found: associations.TaskWeights) -> None:
        self._alpha = found.alpha
        self.task_relatedness_ = found.alpha / found.alpha.diagonal()[:, None]
        self.task_relatedness_error_ = found.relatedness_error.copy()  # remembered: read-only

    def _similarity(
        self, V: Association, Z: Sequence[Features], t: int, grams: tuple[Vector, ...] | None
    ) -> TaskSimilarity:
        """Similarity graph of task t's rows; in the variant nI from the task alone."""
        if not self.share_instances:
            return TaskSimilarity(own_similarity(self._formula(t), Z[t]), np.arange(Z[t].shape[0]))
        precision = self._precision()
        return consistent_similarity(V, Z, self._alpha[t], t, self._l[t], grams, precision)

    def _reference(self) -> Any:
        """Return the training rows prepared to compare new rows with, made at first use."""
        if self._training:
            return self._training["made"]
        triangles = vars(self).get("_triangles")  # of a fit to blocks
        T = len(self.memberships_ if triangles is None else triangles)
        if not 0 <= self._codes.min() <= self._codes.max() < T:
            raise ValueError(f"a row of the fit is of none of the {T} tasks")
        layers = self._layers
        if not layers:  # they were left out of a file
            settings = (*self._layer_settings(self._X), vars(self).get("_weight"))
            layers = list(common_features.by_task(self._X, self._codes, *settings)[0])
        given = (self._X, self._codes, layers)
        if self.share_instances:
            precision = self._precision()
            made: Any = reference.reference(*given, self._formula(), precision, triangles)
        else:
            made = reference.own_reference(*given, tuple(map(self._formula, range(T))))
        self._training["made"] = made
        return made

    def _assign(self, X: Table, t: int) -> Labels:
        values = vars(self)
        # Models that were saved by earlier versions have no factors of their own, or no scales.
        factors = values["_factors" if "_factors" in values else "memberships_"]
        Y = factors[t]
        scaled = values.get("_scaled", factors)[t]
        if "_profiles" in values:
            return nonnegative_assignment(task_graphs.products(self, X, t), Y.T @ Y)
        fitted = self._reference()
        if not self.share_instances:
            return nonnegative_assignment(fitted.products(X, t, scaled), Y.T @ Y)
        labels = values.get("_landmark_labels")
        known = (self._sorted(self.labels_) if labels is None else labels)[self._codes == t]
        return reference.linked(fitted, X, t, self._alpha[t], self._l[t], (Y, scaled, known))

    def __getstate__(self) -> Any:
        # Copies and files leave out what can be computed again from the rows: a layer has n x n or
        # d x d numbers, nine layers 80 MB for a thousand documents. Rows in blocks are not there.
        layers = self._layers if task_graphs.is_of_blocks(self) else []
        return {**super().__getstate__(), "_training": {}, "_layers": layers}
