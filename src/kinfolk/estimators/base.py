"""Base classes: estimators of one table, and of several tasks in one table."""

import functools
from abc import abstractmethod
from collections.abc import Mapping
from inspect import isfunction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from kinfolk.arrays import Labels, MatrixLike, Table
from kinfolk.errors import InputError
from kinfolk.estimators import (
    checks,
    correspondence,
    kept_rows,
    observed,
    rows,
    task_blocks,
    warn,
)
from kinfolk.estimators.added_task import AddedTask
from kinfolk.estimators.cluster_matches import MatchedClusters, first_positions
from kinfolk.estimators.descent import Run
from kinfolk.estimators.notebook import ShownInNotebooks
from kinfolk.estimators.profiled import ProfiledEstimator
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.estimators.row_order import RowsByContent
from kinfolk.estimators.scored import SilhouetteScore
from kinfolk.estimators.warn import compared
from kinfolk.numerics import float_errors
from kinfolk.tables import Tasks, object_array


class TableEstimator(RowsByContent):
    """Base of all estimators: learns from the rows of one table, dense or sparse."""

    compares = "lengths"
    """Property of rows that the method compares, a name of `numerics.dominance` or "nothing"."""
    keeps: str = kept_rows.LABELS
    """The most detailed facts about single rows that a fit may keep, a level of `kept_rows`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, method in list(vars(cls).items()):
            if isfunction(method) and not name.startswith("_"):
                setattr(cls, name, float_errors.handled_by_default(method))

    @classmethod
    @functools.cache
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters, read once from a class's constructor.

        scikit-learn, whose method this is, reads them at each clone, check and change of them.
        """
        names: list[str] = super()._get_param_names()
        return names

    def level_kept(self) -> str:
        """Return the privacy level of a saved model ("none" to "rows"); the worst before a fit."""
        return self.keeps

    def works_elsewhere(self) -> bool:
        """True if arrays of PyTorch and other libraries are processed on their own device."""
        return False

    def __sklearn_is_fitted__(self) -> bool:
        """True if a fit has results; one that failed leaves only the columns of its table."""
        return bool(checks.results(self))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Clusterer(ClusterMixin, TableEstimator):
    """Base of estimators that cluster the rows of one table, without tasks.

    Attributes
    ----------
    labels_ : (n,) the cluster of each row, from 0
    objective_trace_ : (n_iter_ + 1,) the objective at the start and after each sweep
    n_iter_ : sweeps of the run that was kept
    converged_ : True if that run stopped because its objective no longer fell

    Warns
    -----
    ConvergenceWarning : scikit-learn's; `max_iter` sweeps were made and the objective still falls
    EmptyClusterWarning : fewer clusters have rows than were asked for
    ScaleWarning : one column or row hides all others
    """

    @abstractmethod
    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d)."""

    def _open(self, X: MatrixLike, n_clusters: Any) -> tuple[Table, int]:
        """Check the table and the number of clusters; return both, with rows sorted by content."""
        X = checks.samples(self, X, at_least=2)
        self._asked = checks.clusters(n_clusters, Tasks.single(X.shape[0]))[0]
        warn.of_table(self, X)
        return self._by_content(X, Tasks.single(X.shape[0]))[0], self._asked

    def _new_rows(self, X: MatrixLike) -> Table:
        """Check new rows: the model must be fitted, and the columns those of the fit."""
        check_is_fitted(self)
        return checks.samples(self, X, reset=False)

    def _record(self, run: Run | None = None) -> Self:
        """Set the attributes of a descent, put results in the caller's row order, and warn."""
        if run is not None:
            self.objective_trace_ = np.array(run.trace)
            self.n_iter_ = run.n_iter
            self.converged_ = run.converged
            warn.unless_converged(self)
        return self._warn_of_empty_clusters()

    def _warn_of_empty_clusters(self) -> Self:
        """Put results in the caller's row order, and warn if clusters of `labels_` are empty."""
        one = Tasks.single(len(self.labels_))
        self._put_back(one)
        warn.of_empty_clusters(self.labels_, one.codes, one.names, [self._asked])
        return self


class MultiTaskEstimator(MatchedClusters, ShownInNotebooks, ProfiledEstimator, TableEstimator):
    """Base of estimators of several tasks in one table: clusters, or classes from known labels.

    Attributes
    ----------
    labels_ : (n,) the cluster of each row, from 0 in each task
    task_names_ : (T,) in the order of an ordered category; else by number or date if all have one,
        with the same words around it; else in the order in which they first appear
    n_clusters_ : (T,) clusters of each task that were asked for; some may have no rows, of which an
        EmptyClusterWarning tells
    clusters_ : list of C pairs (task, cluster), C clusters in all
    cluster_links_ : (C, C) similarity of two clusters in [-1, 1], see `estimators.correspondence`
    matched_clusters_ : (C,) equal numbers for clusters of one kind in different tasks
    match_strength_ : (C,) mean agreement with the others of the same number by nearest rows; mean
        link in tasks of fewer than 30 rows and in added ones; nan: no counterpart
    matched_labels_ : (n,) `labels_` in terms of `matched_clusters_`
    cluster_profiles_ : (C, d) difference of the mean of a cluster from that of its task
    objective_trace_ : of iterative methods: the objective at the start and after each sweep
    objective_traces_ : the same per task, or {"all tasks": trace} where one descent moves all
    n_iter_, converged_ : sweeps, and True if the objective no longer fell

    Warns
    -----
    ScaleWarning : one column or row hides all others
    """

    task_names_: NDArray[Any]
    n_clusters_: Labels

    of_rows: tuple[str, ...] = ("matched_labels_",)

    __metadata_request__fit = {"tasks": True}
    __metadata_request__predict = {"tasks": True}

    @abstractmethod
    def fit(self, X: MatrixLike, y: Any = None, tasks: Any = None) -> Self:
        """Fit the rows of X (n, d); tasks (n,) names the task of each, None: one task.

        y (n,) has the known labels, for estimators that take them; others ignore it.
        """

    def predict(self, X: MatrixLike, tasks: Any = None) -> Labels:
        """Assign new rows X (m, d) of known tasks to the clusters of their task.

        X may be in blocks (`kinfolk.Blocks`, or of Dask), which are assigned one by one.

        Parameters
        ----------
        tasks : (m,) or one name for all rows; may be left out if there is only one task

        Raises
        ------
        UnknownTaskError : a task was not there when the model was fitted
        """
        check_is_fitted(self)
        if rows.in_blocks(X, self):
            blocks, t = task_blocks.known(self, X, tasks)
            return blocks.each(task_blocks.assigned, task_blocks.without_labels(self), t)
        codes, X = self._open_new(X, tasks)
        return self._assign_known(X, codes)

    def _open_new(self, X: MatrixLike, tasks: Any) -> tuple[Labels, Table]:
        """Check new rows X (m, d) and their tasks; return positions of the tasks (m,), and X."""
        check_is_fitted(self)
        codes, X = checks.known_tasks(tasks, X, list(self.task_names_))
        return codes, self._new_rows(X)

    def _new_rows(self, X: MatrixLike) -> Table:
        """Check new rows X (m, d): finite numbers in the columns of the fit."""
        return checks.samples(self, X, reset=False, gaps=self._takes_gaps())

    def _takes_gaps(self) -> bool:
        """True if rows may lack whole views, given as NaN in all columns of the view."""
        return False

    def _assign_known(self, X: Table, codes: Labels) -> Labels:
        """Assign new rows X (m, d) to clusters; codes (m,) are task positions, added tasks too."""
        return self._assign_all(X, codes)

    def _assign_all(self, X: Table, codes: Labels) -> Labels:
        """Assign new rows X (m, d) task by task; codes (m,) are positions of tasks of the fit."""
        labels = np.empty(X.shape[0], dtype=int)
        for t in np.unique(codes):
            rows = np.flatnonzero(codes == t)
            labels[rows] = self._assign(X[rows], int(t))
        return labels

    @abstractmethod
    def _assign(self, X: Table, t: int) -> Labels:
        """Assign new rows of the task at position t to its clusters; methods define it."""

    def _open(self, X: MatrixLike, tasks: Any, least_rows: int = 2) -> tuple[Table, Tasks]:
        """Check the table and its tasks; return rows sorted by content, and their tasks."""
        tasks, X = checks.tasks_of(tasks, X, least_rows=least_rows)
        X = checks.samples(self, X, at_least=least_rows, gaps=self._takes_gaps())
        warn.of_table(self, X, self._sees())
        return self._by_content(X, tasks)

    def _sees(self) -> str:
        """Return what the method compares of rows: "distances", "directions", ..."""
        return compared(self)

    def _record(
        self,
        X: Table,
        tasks: Tasks,
        labels: Labels,
        k: list[int],
        runs: Run | list[Run] | None = None,
    ) -> Self:
        """Set labels, traces and other fitted attributes; match the clusters across tasks.

        `runs` has a descent per task, or is the one descent that moved all tasks.
        """
        self.task_names_ = object_array(tasks.names)
        self.n_clusters_ = np.array(k)
        if correspondence.is_skipped():
            self.labels_ = labels
            self._cluster_sizes = correspondence.cluster_sizes(labels, tasks.codes, k)
            self._put_back(tasks)
        else:
            self._set_correspondence(self._match_clusters(X, tasks, labels, k))
            self._set_labels(X, tasks, labels)
        if isinstance(runs, Run):
            self._record_descents({"all tasks": runs})
        elif runs is not None:
            self._record_descents(dict(zip(tasks.names, runs, strict=True)))
        return self

    def _set_labels(self, X: Table, tasks: Tasks, labels: Labels) -> Self:
        """Set `labels_`, `matched_labels_` and profiles, and restore the caller's row order."""
        self.labels_ = labels
        positions = first_positions(self.n_clusters_)[tasks.codes] + labels
        self.matched_labels_ = self.matched_clusters_[positions]
        self._keep_moments(X, positions, int(self.n_clusters_.sum()))
        self._put_back(tasks)
        return self

    def _record_descents(self, runs: Mapping[Any, Run]) -> None:
        """Set objective traces and iterations of descents, one per task or one for all."""
        self.n_iter_ = max(run.n_iter for run in runs.values())
        self.converged_ = all(run.converged for run in runs.values())
        warn.unless_converged(self)
        self.objective_traces_ = {name: np.array(run.trace) for name, run in runs.items()}
        # A descent that stopped earlier stays at its last value while the others go on.
        longest = [np.pad(r.trace, (0, self.n_iter_ - r.n_iter), "edge") for r in runs.values()]
        self.objective_trace_ = np.sum(longest, axis=0)


@accept_old_names(attributes={"newcomers_": "added_tasks_"})
class MultiTaskClusterer(SilhouetteScore, ClusterMixin, MultiTaskEstimator):
    """Base of clusterers of several tasks, which can add further tasks after the fit.

    Attributes
    ----------
    task_names_ : (T,) in their order, then those added later
    counterparts_ : a record per cluster and other task: the cluster or clusters that are the
        same there, or none; see `kinfolk.estimators.correspondence.counterparts`
    added_tasks_ : list of estimators, each fitted to a task that `add_task` added
    and all of `MultiTaskEstimator`

    Warns
    -----
    ConvergenceWarning : scikit-learn's; `max_iter` sweeps were made and the objective still falls
    EmptyClusterWarning : fewer clusters of a task have rows than were asked for
    """

    n_clusters: Any
    added_tasks_: list[Any]

    def fit_predict(self, X: MatrixLike, y: Any = None, tasks: Any = None, **more: Any) -> Labels:
        """Fit, with further arguments of `fit` such as sample_weight, and return `labels_`."""
        return self.fit(X, y, tasks=tasks, **more).labels_

    def add_task(self, X: MatrixLike, name: Any, n_clusters: Any = None) -> AddedTask:
        """Cluster the rows X (m, d) of one more task by themselves, and match its clusters.

        The known tasks stay as they are: their clusters are neither fitted again nor renumbered.
        The new task joins `task_names_`, `n_clusters_`, `clusters_`, `cluster_links_`,
        `matched_clusters_`, `match_strength_`, `cluster_profiles_` and `counterparts_`, and can be
        named in `predict` and `match`; `labels_` and all other attributes stay those of the fit.

        Parameters
        ----------
        name : of the task, which the model does not know yet
        n_clusters : of this task; None: that of the model, if it is the same for all tasks

        Raises
        ------
        InputError : the name is taken or cannot be one, columns or rows are not usable, or
            n_clusters is not given where tasks have different numbers

        Examples
        --------
        >>> from kinfolk import PerTask
        >>> X = np.repeat(np.eye(9)[:3], [4, 3, 2], axis=0) + 0.1 * np.eye(9)
        >>> model = PerTask(n_clusters=3).fit(np.vstack([X, X]), tasks=["a"] * 9 + ["b"] * 9)
        >>> model.matched_labels_[:9]
        array([0, 0, 0, 0, 1, 1, 1, 2, 2])
        >>> model.add_task(X[4:], "c", n_clusters=2).matched_labels
        array([1, 1, 1, 2, 2])
        """
        check_is_fitted(self)
        Tasks.given([name], 1)  # refuses what cannot be a name
        if name in self.task_names_.tolist():
            raise InputError(f"task {name!r} is known to the model; give the new one another name.")
        given = self.n_clusters if n_clusters is None else n_clusters
        if isinstance(given, Mapping):
            raise InputError(
                "the model was given a number of clusters for each task by name; give n_clusters, "
                f"the number for task {name!r}."
            )
        X = self._new_rows(X)  # which may lack views if the rows of the fit may
        tasks = [name] * X.shape[0]
        # Everything that can fail comes before the first attribute changes.
        alone = clone(self).set_params(n_clusters=given).fit(X, tasks=tasks)
        k = int(alone.n_clusters_[0])
        known = self._get_correspondence()
        filled = observed.column_means_for_gaps(X)
        self._set_correspondence(correspondence.with_task(known, filled, alone.labels_, name, k))
        self.task_names_ = object_array([*self.task_names_, name])
        self.n_clusters_ = np.append(self.n_clusters_, k)
        self.added_tasks_ = [*self.added_tasks_, alone]
        matched, strength = self.match(alone.labels_, tasks)
        records = [record for record in self.counterparts_ if record["task"] == name]
        return AddedTask(name, alone.labels_, matched, strength, records, alone)

    @property
    def counterparts_(self) -> list[dict[str, Any]]:
        """The matching clusters of each cluster in each other task, as records (dicts)."""
        check_is_fitted(self)
        return correspondence.counterparts(self._get_correspondence())

    def _assign_known(self, X: Table, codes: Labels) -> Labels:
        T = len(self.task_names_) - len(self.added_tasks_)
        labels = np.empty(X.shape[0], dtype=int)
        if len(fitted := np.flatnonzero(codes < T)):
            labels[fitted] = self._assign_all(X[fitted], codes[fitted])
        for t, added in enumerate(self.added_tasks_, start=T):
            if len(rows := np.flatnonzero(codes == t)):
                labels[rows] = added.predict(X[rows])
        return labels

    def _record(
        self,
        X: Table,
        tasks: Tasks,
        labels: Labels,
        k: list[int],
        runs: Run | list[Run] | None = None,
    ) -> Self:
        self._warn_of_empty_clusters(tasks, labels, k)
        self.added_tasks_ = []
        return super()._record(X, tasks, labels, k, runs)

    def _warn_of_empty_clusters(self, tasks: Tasks, labels: Labels, k: list[int]) -> None:
        """Warn if a task has fewer than its k[t] clusters with rows."""
        warn.of_empty_clusters(labels, tasks.codes, tasks.names, k)
