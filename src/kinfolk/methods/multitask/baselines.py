"""Baselines: cluster each task alone (PerTask), or all tasks as one table (Pooled).

Any scikit-learn clusterer of one table becomes a clusterer of several tasks.

Limits   with one task both are the clusterer itself. Rows that lack views go to a clusterer of
         several views in `PerTask`; `Pooled` refuses them.
Source   the single-task and "All" rows in the tables of Gu, Zhou (2009) and Zhang, Zhang, Liu
         (2019).
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

from kinfolk import progress
from kinfolk.arrays import Labels, MatrixLike, Table, Vector
from kinfolk.blocks import Blocks, lloyd
from kinfolk.errors import EmptyClusterWarning, InputError, ScaleWarning
from kinfolk.estimators import checks, kept_rows, observed, task_blocks
from kinfolk.estimators import rows as rows_in
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.descent import Run
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.row_sums import RowSumClusterer
from kinfolk.estimators.warn import compared
from kinfolk.numerics import content_order
from kinfolk.tables import Tasks

DRAWING = (KMeans, MiniBatchKMeans)
"""Clusterers of scikit-learn that draw rows as starts, and keep nothing of them but labels."""


@parameterized
class PerTask(MultiTaskClusterer):
    """Clusters each task by itself, with a fresh copy of any scikit-learn clusterer.

    Parameters
    ----------
    estimator : a clusterer with fit and labels_; None: k-means from a fixed seed
    n_clusters : int, or a mapping task -> int; None: that of the estimator

    Attributes
    ----------
    estimators_ : list of T fitted copies
    and all of `MultiTaskClusterer`; rows that the estimator labels as noise (-1) form a cluster

    Raises
    ------
    InputError : a task has fewer rows than clusters; `predict`, if the estimator has none

    Examples
    --------
    >>> X = np.array([[0, 1, 50, 51, 70, 71, 20, 21, 22]]).T
    >>> model = PerTask(n_clusters=2).fit(X, tasks=list("aaaabbbbb"))
    >>> model.labels_, model.matched_labels_  # two clusters in each task; high and low are matched
    (array([1, 1, 0, 0, 1, 1, 0, 0, 0]), array([0, 0, 1, 1, 1, 1, 0, 0, 0]))
    >>> model.predict([[40.0], [40.0]], tasks=["a", "b"])
    array([0, 0])
    """

    keeps = kept_rows.ROWS  # as the estimator does, which may be of another library

    estimator: Any = None
    n_clusters: Any = None

    def level_kept(self) -> str:
        """Return how much a saved model tells of single rows, by the wrapped estimators."""
        copies = vars(self).get("estimators_", [_clusterer(self.estimator)])
        return kept_rows.most([kept_rows.LABELS, *map(kept_rows.of, copies)])

    def fit(
        self, X: MatrixLike, y: None = None, tasks: Any = None, sample_weight: Any = None
    ) -> Self:
        """Cluster the rows of X (n, d) of each task in tasks (n,).

        sample_weight (n,), not negative, counts a row as so many, if the estimator takes weights.
        """
        if rows_in.in_blocks(X, self):
            return self._fit_blocks(task_blocks.opened(self, X, tasks, sample_weight))
        X, found = self._open(X, tasks)
        inner = _clusterer(self.estimator)
        weight = rows_in.weights(sample_weight, X.shape[0])
        k = checks.clusters(_n_clusters(self.n_clusters, inner), found)
        labels = np.empty(len(found.codes), dtype=int)
        self.estimators_ = []
        self._values = []
        rows = found.rows()
        for t in progress.track(range(len(rows)), "clustering tasks"):
            own = None if weight is None else rows_in.usable(weight[rows[t]])
            with _rows_of(found, t):
                fitted = _fit(_with_clusters(clone(inner), k[t]), X[rows[t]], own)
            values = _cluster_ids(fitted.labels_, k[t])
            labels[rows[t]] = np.searchsorted(values, fitted.labels_)
            self.estimators_.append(fitted)
            self._values.append(values)
        k = [len(values) for values in self._values]
        # Clusters are matched and described with the means of columns in the place of views that
        # rows lack; the clusterer itself leaves those views out.
        whole = observed.column_means_for_gaps(X)
        return self._record(whole, found, labels, k, _runs(self.estimators_))

    def _takes_gaps(self) -> bool:
        # A clusterer of several views says itself if a row may lack one.
        return hasattr(_clusterer(self.estimator), "takes_missing_views")

    def _fit_blocks(self, rows: Blocks) -> Self:
        """Cluster the rows of each task from blocks, skipping blocks without rows of it."""
        names = task_blocks.task_names(rows)
        inner = _clusterer(self.estimator)
        k = task_blocks.clusters(_n_clusters(self.n_clusters, inner), rows)
        self.estimators_ = [
            _fit_blocks(_with_clusters(clone(inner), k[t]), rows.of_task(t))
            for t in progress.track(range(len(names)), "clustering tasks")
        ]
        self._values = [np.arange(k_t) for k_t in k]
        return task_blocks.record(self, rows, k, _runs(self.estimators_))

    def _sorts_rows(self) -> bool:
        return False  # the wrapped clusterer does

    def works_elsewhere(self) -> bool:
        """True if other libraries' arrays stay on their device: the clusterer sums over rows."""
        return _sums_over_rows(_clusterer(self.estimator))

    def _sees(self) -> str:
        return compared(_clusterer(self.estimator))

    def _assign(self, X: Table, t: int) -> Labels:
        return _predict(self.estimators_[t], self._values[t], X)


@parameterized
class Pooled(MultiTaskClusterer):
    """Clusters the rows of all tasks as if they were one table ("All" in the papers).

    Parameters
    ----------
    estimator : a clusterer with fit and labels_; None: k-means from a fixed seed
    n_clusters : int, the same for all tasks; None: that of the estimator

    Attributes
    ----------
    estimator_ : the fitted copy
    and all of `MultiTaskClusterer`; rows that the estimator labels as noise (-1) form a cluster

    Raises
    ------
    InputError : tasks with different numbers of clusters; `predict`, if the estimator has none

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [50.0], [51.0], [70.0], [71.0], [20.0], [21.0]])
    >>> Pooled(n_clusters=2).fit_predict(X, tasks=list("aaaabbbb"))
    array([1, 1, 0, 0, 0, 0, 1, 1])
    """

    keeps = kept_rows.ROWS  # as the estimator does, which may be of another library

    estimator: Any = None
    n_clusters: Any = None

    def level_kept(self) -> str:
        """Return how much a saved model tells of single rows, by the wrapped estimator."""
        copy = vars(self).get("estimator_", _clusterer(self.estimator))
        return kept_rows.most([kept_rows.LABELS, kept_rows.of(copy)])

    def fit(
        self, X: MatrixLike, y: None = None, tasks: Any = None, sample_weight: Any = None
    ) -> Self:
        """Cluster the rows of X (n, d) together; tasks (n,) are used for matching and reports only.

        sample_weight (n,), not negative, counts a row as so many, if the estimator takes weights.
        """
        if rows_in.in_blocks(X, self):
            return self._fit_blocks(task_blocks.opened(self, X, tasks, sample_weight))
        X, found = self._open(X, tasks)
        inner = _clusterer(self.estimator)
        k = checks.one_number_of_clusters(_n_clusters(self.n_clusters, inner), found, "Pooled")
        weight = rows_in.weights(sample_weight, X.shape[0])
        self.estimator_ = _fit(_with_clusters(clone(inner), k), X, weight)
        self._values = _cluster_ids(self.estimator_.labels_, k)
        labels = np.searchsorted(self._values, self.estimator_.labels_)
        return self._record(X, found, labels, [len(self._values)] * len(found.names))

    def _fit_blocks(self, rows: Blocks) -> Self:
        inner = _clusterer(self.estimator)
        tasks = task_blocks.as_tasks(rows)
        k = checks.one_number_of_clusters(_n_clusters(self.n_clusters, inner), tasks, "Pooled")
        self.estimator_ = _fit_blocks(_with_clusters(clone(inner), k), rows.pooled())
        self._values = np.arange(k)
        return task_blocks.record(self, rows, [k] * len(tasks.names), None)

    def _warn_of_empty_clusters(self, tasks: Tasks, labels: Labels, k: list[int]) -> None:
        # All tasks share the clusters; that a task has no rows in one is an answer.
        super()._warn_of_empty_clusters(Tasks.single(len(labels)), labels, k[:1])

    def _sorts_rows(self) -> bool:
        return False  # the wrapped clusterer does

    def works_elsewhere(self) -> bool:
        """True if other libraries' arrays stay on their device: the clusterer sums over rows."""
        return _sums_over_rows(_clusterer(self.estimator))

    def _sees(self) -> str:
        return compared(_clusterer(self.estimator))

    def _assign(self, X: Table, t: int) -> Labels:
        return _predict(self.estimator_, self._values, X)


def _clusterer(estimator: Any) -> BaseEstimator:
    if estimator is None:
        return KMeans(2, n_init=10, random_state=0)
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise InputError(f"estimator is {estimator!r:.60}; give a clusterer such as KMeans().")
    return estimator


@contextmanager
def _rows_of(tasks: Tasks, t: int) -> Iterator[None]:
    """Context that adds the task's name to errors raised inside."""
    try:
        yield
    except InputError as error:
        if len(tasks.names) == 1:
            raise
        raise InputError(f"task {tasks.names[t]!r}: {error}") from None


def _n_clusters(n_clusters: Any, inner: BaseEstimator) -> Any:
    """Return the number of clusters given, else the estimator's, else 1."""
    # An estimator without the parameter finds its own number; 1 passes every check.
    return inner.get_params().get("n_clusters", 1) if n_clusters is None else n_clusters


def _with_clusters(inner: BaseEstimator, k: int) -> Any:
    return inner.set_params(n_clusters=k) if "n_clusters" in inner.get_params() else inner


def _fit(inner: Any, X: Table, weight: Vector | None = None) -> Any:
    """Fit a clusterer in double precision, silencing warnings that the wrapper gives itself."""
    if weight is not None and not has_fit_parameter(inner, "sample_weight"):
        raise InputError(
            f"{type(inner).__name__} takes no sample_weight; leave it out, or wrap a clusterer "
            "that does, such as KMeans or MEC."
        )
    weights = {} if weight is None else {"sample_weight": weight}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyClusterWarning)
        warnings.simplefilter("ignore", ScaleWarning)
        # scikit-learn's k-means tells of empty clusters in words of its own
        warnings.filterwarnings("ignore", "Number of distinct clusters", ConvergenceWarning)
        if not isinstance(inner, DRAWING):
            return inner.fit(_double(X), **weights)
        rows, found = content_order.sorted_rows(_double(X), np.zeros(X.shape[0], dtype=int))
        # Sums over columns in one order, too: rounding decides between starts that are level.
        columns = content_order.columns(rows)
        if weight is not None:
            weights = {"sample_weight": weight[found.rows]}
        inner.fit(rows[:, columns], **weights)
        inner.cluster_centers_ = inner.cluster_centers_[:, np.argsort(columns)].copy()
        inner.labels_ = inner.labels_[np.argsort(found.rows)]
        return inner


def _fit_blocks(inner: Any, rows: Blocks) -> Any:
    """Fit a clusterer that sums over rows to blocks; no labels are stored."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyClusterWarning)
        warnings.simplefilter("ignore", ScaleWarning)
        if type(inner) is KMeans:
            return lloyd.fitted(inner, rows)
        if isinstance(inner, RowSumClusterer):
            fitted = task_blocks.without_labels(inner.fit(rows))
            fitted.__dict__.pop("feature_names_in_", None)  # it is given arrays alone
            return fitted
    raise InputError(
        f"X is in blocks, and {type(inner).__name__} needs all rows in memory at once: wrap "
        "KMeans, MEC or KTMEC, or give the table itself if it fits."
    )


def _sums_over_rows(inner: Any) -> bool:
    return type(inner) is KMeans or isinstance(inner, RowSumClusterer)


def _runs(fitted: list[Any]) -> list[Run] | None:
    """Return the descents of fitted clusterers; None for other libraries' ones, without traces."""
    if not all(hasattr(one, "objective_trace_") for one in fitted):
        return None
    return [Run(None, [*one.objective_trace_], one.converged_) for one in fitted]


def _cluster_ids(labels: Labels, k: int) -> np.ndarray:
    """Return the cluster ids: 0 to k - 1 if these cover all labels, else the labels used."""
    there = np.unique(labels)
    return np.arange(k) if there[0] >= 0 and there[-1] < k else there


def _double(X: Table) -> Table:
    """Convert X to double precision."""
    return X.astype(np.float64, copy=False)


def _predict(fitted: Any, values: np.ndarray, X: Table) -> Labels:
    if not hasattr(fitted, "predict"):
        raise InputError(
            f"{type(fitted).__name__} cannot assign new rows; wrap a clusterer that has predict, "
            "for example sklearn.cluster.KMeans."
        )
    if type(fitted) is KMeans and not sp.issparse(X):
        fitted, X = _near_zero(fitted, X)
    return np.searchsorted(values, fitted.predict(_double(X)))


def _near_zero(fitted: KMeans, X: Table) -> tuple[KMeans, Table]:
    """Shift k-means and dense rows by the mean of the centres, as scikit-learn fits them.

    Its `predict` takes entries as they are: squares of 5e8 leave no digits for a spread of 1.
    """
    origin = fitted.cluster_centers_.mean(axis=0)
    moved = copy(fitted)
    moved.cluster_centers_ = fitted.cluster_centers_ - origin
    return moved, _double(X) - origin
