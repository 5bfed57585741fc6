"""The few interfaces: one data set, several tasks."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from kinfolk import checks
from kinfolk.arrays import Labels, Matrix, MatrixLike, Table
from kinfolk.correspondence import correspond
from kinfolk.descent import Run
from kinfolk.numerics import distances
from kinfolk.tables import Tasks


class Clusterer(ClusterMixin, BaseEstimator):
    """Clusters the rows of one table.

    Attributes
    ----------
    labels_ : (n,) the cluster of each row, from 0
    objective_trace_ : (n_iter_ + 1,) the objective at the start and after each sweep
    n_iter_ : sweeps of the run that was kept
    converged_ : whether that run stopped because its objective no longer fell
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @abstractmethod
    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d)."""

    def _open(self, X: MatrixLike, n_clusters: Any) -> tuple[Table, int]:
        """Check table and number of clusters."""
        X = checks.samples(self, X, at_least=2)
        return X, checks.clusters(n_clusters, Tasks.single(X.shape[0]))[0]

    def _record(self, run: Run) -> Self:
        self.objective_trace_ = np.array(run.trace)
        self.n_iter_ = run.n_iter
        self.converged_ = run.converged
        return self


class CentreClusterer(Clusterer):
    """A clusterer with centres, to which new rows are assigned.

    Attributes
    ----------
    cluster_centers_ : (k, d) in units of X
    """

    def predict(self, X: MatrixLike) -> Labels:
        """Return the nearest centre (m,) of each row of X (m, d)."""
        check_is_fitted(self)
        X = checks.samples(self, X, reset=False)
        return self._distances(X).argmin(axis=1)

    def _distances(self, X: Table) -> Matrix:
        return distances.squared(X, self.cluster_centers_)


class MultiTaskClusterer(ClusterMixin, BaseEstimator):
    """Clusters the rows of each task of one table.

    Attributes
    ----------
    labels_ : (n,) the cluster of each row, from 0 in each task
    task_names_ : (T,) in the order in which they first appear
    n_clusters_ : (T,) clusters of each task
    clusters_ : list of C pairs (task, cluster), C clusters in all
    cluster_links_ : (C, C) how alike two clusters are, in [-1, 1]; see `kinfolk.correspondence`
    matched_clusters_ : (C,) equal numbers for clusters of one kind in different tasks
    match_strength_ : (C,) mean link to the others of the same number; nan: no counterpart
    matched_labels_ : (n,) `labels_` in terms of `matched_clusters_`
    """

    __metadata_request__fit = {"tasks": True}
    __metadata_request__predict = {"tasks": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @abstractmethod
    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d); tasks (n,) names the task of each, None: one task."""

    def predict(self, X: MatrixLike, tasks: Any = None) -> Labels:
        """Assign new rows X (m, d) of known tasks to the clusters of their task.

        Parameters
        ----------
        tasks : (m,) or one name for all rows; may be left out if there is only one task

        Raises
        ------
        UnknownTaskError : a task was not there when the model was fitted
        """
        check_is_fitted(self)
        codes, X = checks.known_tasks(tasks, X, list(self.task_names_))
        X = checks.samples(self, X, reset=False)
        labels = np.empty(X.shape[0], dtype=int)
        for t in np.unique(codes):
            rows = np.flatnonzero(codes == t)
            labels[rows] = self._assign(X[rows], int(t))
        return labels

    def fit_predict(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Labels:
        """Fit, and return `labels_`."""
        return self.fit(X, tasks=tasks).labels_

    def match(self, labels: Labels, tasks: Any) -> tuple[Labels, Matrix]:
        """Return matched numbers and strengths (m,) of clusters `labels` (m,) of known tasks."""
        check_is_fitted(self)
        codes, _ = checks.known_tasks(tasks, np.empty((len(labels), 0)), list(self.task_names_))
        first = np.concatenate([[0], np.cumsum(self.n_clusters_)[:-1]])
        positions = first[codes] + labels
        return self.matched_clusters_[positions], self.match_strength_[positions]

    @abstractmethod
    def _assign(self, X: Table, t: int) -> Labels:
        """Clusters of new rows of the task at position t."""

    def _open(self, X: MatrixLike, tasks: Any) -> tuple[Table, Tasks]:
        """Check the table and its tasks."""
        tasks, X = checks.tasks_of(tasks, X, least_rows=2)
        return checks.samples(self, X, at_least=2), tasks

    def _record(self, X: Table, tasks: Tasks, labels: Labels, k: list[int]) -> Self:
        """Keep the labels and match the clusters across tasks."""
        self.labels_ = labels
        names = np.empty(len(tasks.names), dtype=object)
        names[:] = tasks.names
        self.task_names_ = names
        self.n_clusters_ = np.array(k)
        found = correspond(X, labels, tasks.codes, tasks.names, k)
        self.clusters_ = found.clusters
        self.cluster_links_ = found.links
        self.matched_clusters_ = found.groups
        self.match_strength_ = found.strength
        self.matched_labels_ = found.groups[
            np.concatenate([[0], np.cumsum(k)[:-1]])[tasks.codes] + labels
        ]
        return self

    def _record_descents(self, runs: list[Run]) -> None:
        """Keep the objective of each task, and their sum over all."""
        self.n_iter_ = max(run.n_iter for run in runs)
        self.converged_ = all(run.converged for run in runs)
        self.objective_traces_ = {
            name: np.array(run.trace) for name, run in zip(self.task_names_, runs, strict=True)
        }
        longest = [np.pad(run.trace, (0, self.n_iter_ - run.n_iter), "edge") for run in runs]
        self.objective_trace_ = np.sum(longest, axis=0)
