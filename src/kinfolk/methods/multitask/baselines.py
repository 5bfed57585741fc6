"""Baselines: cluster each task alone (PerTask), or all tasks as one table (Pooled).

Any scikit-learn clusterer of one table becomes a clusterer of several tasks.

Limits   with one task both are the clusterer itself. Rows that lack views go to a clusterer of
         several views in `PerTask`; `Pooled` refuses them.
Source   the single-task and "All" rows in the tables of Gu, Zhou (2009) and Zhang, Zhang, Liu
         (2019).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, Self

import numpy as np

from kinfolk.arrays import Labels, Table, Vector
from kinfolk.blocks import Blocks
from kinfolk.errors import InputError
from kinfolk.estimators import checks, observed, task_blocks, wrapped
from kinfolk.estimators import rows as rows_in
from kinfolk.estimators.descent import Run
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.wrapped import WrappedClusterer
from kinfolk.running import progress
from kinfolk.tables import Tasks


@parameterized
class PerTask(WrappedClusterer):
    """Clusters each task by itself, with a fresh copy of any scikit-learn clusterer.

    Parameters
    ----------
    estimator : a clusterer with fit and labels_, or predict; None: k-means from a fixed seed
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

    estimator: Any = None
    n_clusters: Any = None

    def _fit_table(self, X: Table, found: Tasks, weight: Vector | None) -> Self:
        k = checks.clusters(self._asked_clusters(), found)
        parts = []
        self.estimators_ = []
        self._values = []
        for t, rows in progress.track(list(enumerate(found.rows())), "clustering tasks"):
            with _rows_of(found.names, t):
                own = None if weight is None else rows_in.usable(weight[rows])
                fitted = wrapped.fitted(self._copy(k[t]), X[rows], own)
            values = wrapped.cluster_ids(fitted.labels_, k[t])
            parts.append(np.searchsorted(values, fitted.labels_))
            self.estimators_.append(fitted)
            self._values.append(values)
        k = [len(values) for values in self._values]
        # Clusters are matched and described with the means of columns in the place of views that
        # rows lack; the clusterer itself leaves those views out.
        whole = observed.column_means_for_gaps(X)
        return self._record(whole, found, found.merged(parts), k, _runs(self.estimators_))

    def _takes_gaps(self) -> bool:
        # A clusterer of several views says itself if a row may lack one.
        return hasattr(self._inner(), "takes_missing_views")

    def _fit_blocks(self, rows: Blocks) -> Self:
        k = task_blocks.clusters(self._asked_clusters(), rows)
        names = task_blocks.task_names(rows)
        self.estimators_ = []
        for t in progress.track(range(len(k)), "clustering tasks"):
            # Blocks without rows of a task are not read for it.
            own = rows.of_task(t)
            with _rows_of(names, t):
                self.estimators_.append(wrapped.fitted_to_blocks(self._copy(k[t]), own))
        self._values = [np.arange(k_t) for k_t in k]
        return task_blocks.record(self, rows, k, _runs(self.estimators_))

    def _assign(self, X: Table, t: int) -> Labels:
        return wrapped.predicted(self.estimators_[t], self._values[t], X)


def with_estimators(model: PerTask, fitted: Mapping[int, Any]) -> PerTask:
    """Return a copy whose tasks at some positions use other fitted clusterers for new rows.

    `fitted` maps a task's position to its clusterer, whose clusters are numbered 0 to k - 1.
    `labels_` stay those of the fit.

    >>> X = np.array([[0.0], [1.0], [50.0], [51.0]])
    >>> model = PerTask(n_clusters=2).fit(X, tasks=list("aabb"))
    >>> other = with_estimators(model, {1: model.estimators_[0]})
    >>> new = [[49.0], [0.0]]
    >>> model.predict(new, tasks=["b", "b"]), other.predict(new, tasks=["b", "b"])
    (array([1, 1]), array([0, 1]))
    """
    made = copy(model)
    made.estimators_ = [fitted.get(t, copy(own)) for t, own in enumerate(model.estimators_)]
    made._values = list(model._values)
    for t, new in fitted.items():
        made._values[t] = np.arange(new.labels_.max() + 1)
    return made


@parameterized
class Pooled(WrappedClusterer):
    """Clusters the rows of all tasks as if they were one table ("All" in the papers).

    Parameters
    ----------
    estimator : a clusterer with fit and labels_, or predict; None: k-means from a fixed seed
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

    estimator: Any = None
    n_clusters: Any = None

    def _fit_table(self, X: Table, found: Tasks, weight: Vector | None) -> Self:
        k = checks.one_number_of_clusters(self._asked_clusters(), found, "Pooled")
        self.estimator_ = wrapped.fitted(self._copy(k), X, weight)
        self._values = wrapped.cluster_ids(self.estimator_.labels_, k)
        labels = np.searchsorted(self._values, self.estimator_.labels_)
        return self._record(X, found, labels, [len(self._values)] * len(found.names))

    def _fit_blocks(self, rows: Blocks) -> Self:
        tasks = task_blocks.sizes_of(rows)
        k = checks.one_number_of_clusters(self._asked_clusters(), tasks, "Pooled")
        self.estimator_ = wrapped.fitted_to_blocks(self._copy(k), rows.pooled())
        self._values = np.arange(k)
        return task_blocks.record(self, rows, [k] * len(tasks.names), None)

    def _warn_of_empty_clusters(self, tasks: Tasks, labels: Labels, k: list[int]) -> None:
        # All tasks share the clusters; that a task has no rows in one is an answer.
        super()._warn_of_empty_clusters(Tasks.single(len(labels)), labels, k[:1])

    def _assign(self, X: Table, t: int) -> Labels:
        return wrapped.predicted(self.estimator_, self._values, X)


@contextmanager
def _rows_of(names: Sequence[Any], t: int) -> Iterator[None]:
    """Context that adds the task's name to errors raised inside."""
    try:
        yield
    except InputError as error:
        if len(names) == 1:
            raise
        raise InputError(f"task {names[t]!r}: {error}") from None


def _runs(fitted: list[Any]) -> list[Run] | None:
    """Return the objective traces of fitted clusterers as runs; None if one has no trace."""
    if not all(hasattr(one, "objective_trace_") for one in fitted):
        return None
    return [Run(None, [*one.objective_trace_], one.converged_) for one in fitted]
