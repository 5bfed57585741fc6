"""Weighted multi-task clustering by feature and instance transfer (MTCFIR).

Symmetric factorisation of each task, on a similarity that all tasks learn together.

1. Common features: g marginalised denoising layers on the rows of all tasks stacked; the rows
   and all layers side by side are Z.                                          (1)-(6)
2. Consistent similarity: for task t, with V^ts the associations of its rows with those of s,

    eps_t    = median over columns of the (l+1)-th largest entry of each column of V^tt
    alpha_ts = share of the entries of V^ts that are >= eps_t                     (20)
    A_ij     = sum_s alpha_ts |V^ts_i - V^ts_j|^2                                  (9)
    M        = for each row the l nearest by A, weighted; (M + M')/2         (14)-(19)

3. Symmetric factorisation: minimise |M - Y Y'|_F^2 by

    Y <- Y o sqrt( (M Y) / (Y Y'Y) )                                              (25)

   from k-means of the task's rows of Z as 0/1 rows plus 0.2. The label is the largest entry.

Symbols     X (N, d) all tasks, Z (N, d(g+1)), Y (n_t, k_t), l = ceil(lambda n_t / k_t).
Units       tanh in step 1 does not commute with units: X should have entries of about 1.
Exact       step 1 in the smaller of d x d and N x N (`denoising`); step 2 by products and counts
            in blocks, M sparse (`associations`, `graphs`); nothing n x n is held.
Limits      one task: MTCFIR with share_instances is a graph of the task itself; with
            share_features=False and share_instances=False it is SymNMF of each task, whose
            k-means start sees the rows, not the unit rows.
Source      Zhang, Zhang, Liu (2019), Chinese Journal of Computers 42(12), equations (1)-(25).
Departures  l is at most n_t - 2, so that B_{l+2} of (19) exists; ties and r: see `graphs` and
            `denoising`. The paper does not say what MTCFIR-nI factors: the cosines of Z here.
Beyond      `weight_rows` counts (20) on a sample of rows. A new row of task t is passed through
            step 1, linked to its l nearest rows of the task by (9) and (14), and given the y >= 0
            that minimises |m - Y y|^2 for these links m; a row of the fit keeps its label. In the
            variant nI, m are its associations with all rows of the task.
"""

from collections.abc import Callable
from functools import cache, cached_property
from math import ceil
from typing import Any, Self

import numpy as np

from kinfolk import progress
from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.estimators import checks, factorization
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.descent import Run
from kinfolk.numerics import associations, denoising, geometry, graphs, memo, operators, starts
from kinfolk.numerics.associations import Association, Formula, Known
from kinfolk.numerics.features import Features
from kinfolk.numerics.geometry import Geometry
from kinfolk.numerics.nonnegative import Factor
from kinfolk.tables import Tasks

PRECISIONS: dict[str, type[np.floating]] = {"double": np.float64, "single": np.float32}


def common_features(
    X: Table, noise: float, n_layers: int, ridge: float
) -> tuple[list[denoising.Layer], list[Table]]:
    """Step 1, algorithm 2: the layers, each fitted on the output of the one before; and [X, ...].

    The list holds the rows X and the output of every layer.
    """
    layers: list[denoising.Layer] = []
    H: list[Table] = [X]
    step = memo.name("denoising", X, noise, ridge)
    for g in progress.track(range(n_layers), "learning common features"):
        layer, output = memo.of(memo.name(step, g), lambda: denoising.fit(H[-1], noise, ridge))
        layers.append(layer)
        H.append(output)
    return layers, H


def consistent_similarity(seen: Geometry, l: int) -> operators.Explicit:
    """Step 2, equations (14)-(19): the sparse symmetric M of one task."""
    near, weights = [], []
    for rows in seen.blocks():
        A, sizes = seen.among(rows)
        A[np.arange(len(A)), np.arange(rows.start, rows.stop)] = np.inf
        i, w = graphs.nearest(A, l, sizes)
        near.append(i)
        weights.append(w)
    graph = graphs.directed(np.vstack(near), np.vstack(weights), len(seen.sizes))
    return operators.Explicit(graphs.symmetrised(graph))


def split(tables: list[Table], tasks: Tasks) -> list[Features]:
    """The rows of each task; empties the list as it goes, to hold the layers only once."""
    parts: list[list[Table]] = [[] for _ in tasks.names]
    while tables:
        table = tables.pop(0)
        for part, rows in zip(parts, tasks.rows(), strict=True):
            part.append(table[rows])
    return [Features(part) for part in parts]


def first_labels(rows: Table, k: int, seeds: list[int]) -> list[Labels]:
    """k-means labels of the rows for each seed."""
    return [starts.kmeans(rows, k, seed, overwrite=not memo.wanted()) for seed in seeds]


def _first_rows(Z: Features) -> Table:
    n, D = Z.shape
    return starts.condensed(Z.inner(Z)) if 4 * n < D else Z.merged()


class Rows:
    """The rows of all tasks with their layers, taken apart when somebody first asks.

    Attributes
    ----------
    step : what they are called, see `memo`
    few : whether their associations are no more numbers than they hold, or fit into one block
    """

    def __init__(self, H: list[Table], tasks: Tasks, step: str = "") -> None:
        n, size = H[0].shape[0], sum(operators.entries(table).size for table in H)
        self.step, self.few = step, n * n <= max(operators.BLOCK, size)
        self._H, self._tasks = H, tasks

    @cached_property
    def parts(self) -> list[Features]:
        """The rows of each task, until they are `prepared`."""
        return split(self._H, self._tasks)

    def first(self, t: int) -> Table:
        """Those of task t for k-means, in fewer columns where that is cheap."""
        return memo.of(memo.name(self.step, "first", t), lambda: _first_rows(self.parts[t]))

    def prepared(self, V: Formula) -> list[Features]:
        """Those of each task as V compares them."""
        return [V.prepared(self.parts.pop(0)) for _ in self._tasks.names]

    def compared(self, V: Formula, step: str) -> tuple[Association, list[Features]]:
        """How they are compared, and those of each task: by `Known` associations if few."""
        if not self.few:
            return V, self.prepared(V)
        Z = memo.of(step, lambda: associations.known(V, self.prepared(V)))
        return Known(V), Z


class Training:
    """What new rows are compared with: made from the rows of the fit when first asked for."""

    def __init__(
        self,
        X: Table,
        layers: list[denoising.Layer],
        found: Tasks,
        V: Formula,
        precision: type[np.floating],
    ) -> None:
        if not 0 <= found.codes.min() <= found.codes.max() < len(found.names):
            raise ValueError(f"a row of the fit is of none of the {len(found.names)} tasks")
        self._layers, self._H = layers, denoising.stack(X, layers)
        self.association, self._precision = V, precision
        rows = Rows([*self._H], found)
        self.Z = rows.prepared(V)
        self._compared: tuple[Association, list[Features]] = V, self.Z
        if rows.few:
            self._compared = Known(V), associations.known(V, self.Z)
        self._grams = geometry.grams(self._compared[0], self._compared[1], precision)
        self._geometries: dict[tuple[float, ...], Geometry] = {}

    def _rows(self, X: Table) -> Features:
        return self.association.prepared(Features(denoising.stack(X, self._layers, self._H)))

    def products(self, X: Table, t: int, Y: Matrix) -> Matrix:
        """Associations of new rows X (m, d) with those of task t, times Y (n_t, k)."""
        return self.association.tile(self._rows(X), self.Z[t]) @ Y

    def seen(self, X: Table) -> Features:
        """New rows X (m, d) as `geometry` takes them."""
        rows, known = self._rows(X), isinstance(self._compared[0], Known)
        return associations.seen(self.association, rows, self.Z) if known else rows

    def geometry(self, alpha: Vector, t: int) -> Geometry:
        """The geometry of task t."""
        at = (t, *alpha)
        if at not in self._geometries:
            self._geometries[at] = Geometry(*self._compared, alpha, t, self._grams, self._precision)
        return self._geometries[at]


class MTCFIR(MultiTaskClusterer):
    """Multi-task clustering that shares features and instances, weighted by relatedness.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    noise : float in [0, 1), p, the chance that a feature is blanked out (paper: 0.5 to 0.9)
    n_layers : int >= 1, g, denoising layers (paper: 3)
    neighbors : float > 0, lambda, neighbours of a row as a share of the mean cluster size of its
        task (paper: 0.1 to 0.9)
    association : "cosine" or "gaussian", how rows are compared
    bandwidth : float > 0, h of the Gaussian kernel in units of Z; None: the median distance
    share_features : bool, False leaves out step 1 (the paper's variant nF)
    share_instances : bool, False factors each task's own similarity (nI)
    weigh_tasks : bool, False sets every alpha to 1 (nR)
    weight_rows : int >= 2, rows of each task on which alpha is counted; None: all, exactly
    precision : "double", or "single" for the products of step 2 that M comes from: half the time,
        distances to about 1e-6 of their size
    ridge : float > 0, added to the diagonal of E[Q]
    n_init : int >= 1, k-means starts, of which each task keeps the one with its lowest J
    max_iter : int >= 1, the most sweeps of step 3
    tol : float >= 0, stop when a sweep lowers a task's J by at most this share of |M|_F^2
    random_state : int, RandomState or None, for starts and samples

    Attributes
    ----------
    labels_ : (n,), the cluster of each row, from 0 in each task
    memberships_ : list of T arrays Y (n_t, k_t), not negative, in the row order of each task
    task_names_ : (T,)
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

    def __init__(
        self,
        n_clusters: Any = 2,
        noise: float = 0.5,
        n_layers: int = 3,
        neighbors: float = 0.3,
        association: str = "cosine",
        bandwidth: float | None = None,
        share_features: bool = True,
        share_instances: bool = True,
        weigh_tasks: bool = True,
        weight_rows: int | None = None,
        precision: str = "double",
        ridge: float = 1e-5,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.noise = noise
        self.n_layers = n_layers
        self.neighbors = neighbors
        self.association = association
        self.bandwidth = bandwidth
        self.share_features = share_features
        self.share_instances = share_instances
        self.weigh_tasks = weigh_tasks
        self.weight_rows = weight_rows
        self.precision = precision
        self.ridge = ridge
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        k = checks.clusters(self.n_clusters, found)
        random = checks.random(self.random_state)
        share = checks.above("neighbors", self.neighbors, 0)
        self._l = [
            max(1, min(ceil(share * n / k_t), n - 2)) for n, k_t in zip(found.sizes, k, strict=True)
        ]
        n_init = checks.at_least("n_init", self.n_init, 1)
        max_iter = checks.at_least("max_iter", self.max_iter, 1)
        tol = checks.not_negative("tol", self.tol)
        checks.choice("precision", self.precision, PRECISIONS)
        self._X, self._codes = X, found.codes
        self._layers, H = self._fit_layers(X)
        features = self.share_features and (self.noise, self.n_layers, self.ridge)
        rows = Rows(H, found, memo.name("rows", X, found.codes, features))
        V = self._fit_association(rows, random)
        seeds = starts.seeds(random, n_init)
        first = [first_labels(rows.first(t), k_t, seeds) for t, k_t in enumerate(k)]
        compared = self.association, getattr(self, "bandwidth_", None), self.share_instances
        step = memo.name(rows.step, compared)
        seen, Z = rows.compared(V, step) if self.share_instances else (V, rows.prepared(V))
        self._fit_weights(seen, Z, random, step)
        grams = cache(lambda: geometry.grams(seen, Z, PRECISIONS[self.precision]))

        def cluster(t: int) -> Run[Factor]:
            name = memo.name(step, "similarity", t, self._alpha, self._l, self.precision)
            M = memo.of(name, lambda: self._similarity(seen, Z, t, grams))
            return factorization.symmetric(M, first[t], k[t], max_iter=max_iter, tol=tol)

        runs = [cluster(t) for t in progress.track(range(len(Z)), "clustering tasks")]
        self._training: dict[str, Training] = {}  # made when new rows first come
        self.memberships_ = [run.state.Y for run in runs]
        labels = np.empty(len(found.codes), dtype=int)
        for own, Y in zip(found.rows(), self.memberships_, strict=True):
            labels[own] = factorization.labels_of(Y)
        return self._record(X, found, labels, k, runs)

    def _fit_layers(self, X: Table) -> tuple[list[denoising.Layer], list[Table]]:
        noise = checks.number("noise", self.noise, 0.0, 1.0, open_low=False)
        n_layers = checks.at_least("n_layers", self.n_layers, 1)
        ridge = checks.above("ridge", self.ridge, 0)
        return common_features(X, noise, n_layers, ridge) if self.share_features else ([], [X])

    def _fit_association(self, rows: Rows, random: np.random.RandomState) -> Formula:
        """The association V; without a given bandwidth that of all rows is learnt."""
        if checks.choice("association", self.association, ["cosine", "gaussian"]) == "gaussian":
            self.bandwidth_ = (
                associations.median_distance(rows.parts, random)
                if self.bandwidth is None
                else checks.above("bandwidth", self.bandwidth, 0)
            )
        return self._association()

    def _association(self) -> Formula:
        if self.association == "gaussian":
            return associations.Gaussian(self.bandwidth_)
        return associations.Cosine()

    def _fit_weights(
        self, V: Association, Z: list[Features], random: np.random.RandomState, step: str
    ) -> None:
        """Equation (20), or what the variant puts in its place."""
        T = len(Z)
        if not self.share_instances:
            found = associations.Weights(np.eye(T), np.zeros((T, T)))
        elif not self.weigh_tasks:
            found = associations.Weights(np.ones((T, T)), np.zeros((T, T)))
        else:
            if self.weight_rows is None:
                name = memo.name(step, "weights", self._l)
                found = memo.of(name, lambda: self._exact_weights(V, Z))
            else:
                n_rows = checks.at_least("weight_rows", self.weight_rows, 2)
                found = associations.sampled_weights(V, Z, self._l, n_rows, random)
        self._alpha = found.alpha
        self.task_relatedness_ = found.alpha / found.alpha.diagonal()[:, None]
        self.task_relatedness_error_ = found.relatedness_error

    def _exact_weights(self, V: Association, Z: list[Features]) -> associations.Weights:
        eps = [associations.threshold(V, z, l) for z, l in zip(Z, self._l, strict=True)]
        return associations.weights(V, Z, eps)

    def _similarity(
        self, V: Association, Z: list[Features], t: int, grams: Callable[[], Any]
    ) -> operators.Symmetric:
        """M of task t; the variant nI takes the task's own associations."""
        if self.share_instances:
            return consistent_similarity(
                Geometry(V, Z, self._alpha[t], t, grams(), PRECISIONS[self.precision]), self._l[t]
            )
        if V.linear:
            return operators.gram(Z[t].tables)
        return operators.Explicit(V.tile(Z[t], Z[t]))

    def _trained(self) -> Training:
        """What new rows are compared with, kept until the model is fitted again or copied."""
        if not self._training:
            V, precision = self._association(), PRECISIONS[self.precision]
            rows = self._X, self._layers, Tasks(list(range(len(self.memberships_))), self._codes)
            step = memo.name("training", *self._origin())
            self._training["made"] = memo.of(step, lambda: Training(*rows, V, precision))
        return self._training["made"]

    def _origin(self) -> list[Any]:
        """What `Training` follows from; their shifts tell layers of the same rows apart."""
        width, shifts = getattr(self, "bandwidth_", None), [layer.b for layer in self._layers]
        return [self._X, self._codes, *shifts, self.association, width, self.precision]

    def _assign(self, X: Table, t: int) -> Labels:
        training, Y = self._trained(), self.memberships_[t]
        if not self.share_instances:
            return factorization.nonnegative_assignment(Y, training.products(X, t, Y))
        rows = memo.of(memo.name("seen", X, *self._origin()), lambda: training.seen(X))
        seen = training.geometry(self._alpha[t], t)
        fitted = self.labels_[self._codes == t]
        labels = np.empty(X.shape[0], dtype=int)
        for block in operators.blocks(X.shape[0], len(Y)):
            A, sizes = seen.distances(rows.rows(block))
            near, weights = graphs.nearest(A, self._l[t], sizes)
            links = graphs.directed(near, weights, len(Y))
            same = A.min(axis=1) <= graphs.TIE[A.dtype] * sizes
            labels[block] = np.where(
                same, fitted[A.argmin(axis=1)], factorization.nonnegative_assignment(Y, links @ Y)
            )
        return labels

    def __getstate__(self) -> Any:
        return {**super().__getstate__(), "_training": {}}
