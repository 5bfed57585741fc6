"""The part of `Kinfolk` for rows with several views: fitting, and voting on new rows."""

import copy
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, MatrixLike, Table
from kinfolk.choosing import scores, view_answer, view_records, view_sharing
from kinfolk.choosing.candidates import Family
from kinfolk.choosing.run_voters import RunVoters
from kinfolk.choosing.view_answer import ViewAnswer
from kinfolk.choosing.view_representations import ViewRepresentations
from kinfolk.errors import InputError
from kinfolk.estimators import checks, kept_rows, observed
from kinfolk.estimators.views import columns_of
from kinfolk.numerics import graphs, memberships, operators, starts
from kinfolk.tables import Tasks, object_array


class InViews(RunVoters):
    """Base of `Kinfolk` for rows in several views; new rows are assigned by nearest rows per view.

    Attributes
    ----------
    view_names_ : (V,) in the order of `views`
    view_weights_ : (V,) weight of each view in the answer, mean of tasks; they sum to 1
    view_agreement_ : (V, V) adjusted Rand index of the clusters that two views have by themselves,
        mean of tasks
    view_guard_ : one record per task and view, see `view_records.view_records`
    own_view_labels_ : (n, V) the clusters that each view has by itself, numbered independently; not
        set where only samples of the rows were seen
    and all of `RunVoters`
    """

    of_rows: tuple[str, ...] = ("own_view_labels_",)

    views: Any
    n_clusters: Any
    columns_are_scaled: bool
    _view_weights: Matrix

    def level_kept(self) -> str:
        """Return how much a saved model tells of single rows: with views, the "rows" themselves."""
        return kept_rows.ROWS if "_view_rows" in vars(self) else super().level_kept()

    def _open(self, X: MatrixLike, tasks: Any, least_rows: int = 2) -> tuple[Table, Tasks]:
        """Check table, tasks and views; return sorted rows, which may lack views, and their tasks.

        A row lacks a view if all its columns of the view are NaN. Such blocks hold the means of
        their columns, or 0 in sparse tables, which no step uses.
        """
        for name in [name for name in vars(self) if name.startswith("_view_")]:
            delattr(self, name)  # of an earlier fit
        if self.views is None:
            return super()._open(X, tasks, least_rows)
        tasks, X = checks.tasks_of(tasks, X, least_rows=least_rows)
        X = checks.samples(self, X, at_least=least_rows, gaps=True)
        names = getattr(self, "feature_names_in_", None)
        given = columns_of(self.views, X.shape[1], None if names is None else names.tolist())
        self.view_names_ = object_array(given)
        self._view_columns = list(given.values())
        marks = self._there(X)
        # A view that is missing is not a view of means: rows are sorted with their marks.
        beside = sp.csr_array(marks) if sp.issparse(X) else marks
        marked = operators.hstack([observed.column_means_for_gaps(X), beside])
        whole, found = self._by_content(marked, tasks)
        self._view_there = operators.dense(whole[:, X.shape[1] :]) > 0
        for task, rows in zip(found.names, found.rows(), strict=True):
            for v in np.flatnonzero(~self._view_there[rows].any(axis=0)):
                whose = f"task {task!r}" if len(found.names) > 1 else "X"
                raise InputError(
                    f"view {self.view_names_[v]!r} is missing (NaN) from all {len(rows)} rows of "
                    f"{whose}; leave the view out" + (", or the task." if whose != "X" else ".")
                )
        return whole[:, : X.shape[1]], found

    def _as_given(self, X: Table, rows: NDArray[np.integer]) -> Table:
        """Return rows of X (n, d) at positions (m,), with NaN again where they lack a view."""
        table: Any = X[rows]
        if self.views is None or self._view_there.all():
            return table
        for v, columns in enumerate(self._view_columns):
            lacking = np.flatnonzero(~self._view_there[rows, v])
            table[np.ix_(lacking, columns)] = np.nan
        return table

    def _there(self, X: Table) -> Matrix:
        """Return 1.0 where a row of X (m, d) has a view and 0.0 where it lacks it, (m, V)."""
        if not observed.has_nan(X):
            return np.ones((X.shape[0], len(self._view_columns)))
        return observed.blocks_there(X, self._view_columns, self.view_names_.tolist())

    def _joined_for_numbers(self, X: Table, found: Tasks) -> Table:
        """Views side by side (n, D), to suggest numbers of clusters; X itself if they are given."""
        if not isinstance(self.n_clusters, str):
            return X
        scaled = bool(self.columns_are_scaled)
        seen = ViewRepresentations.of(X, found.codes, self._view_columns, scaled, self._view_there)
        return seen.for_numbers(X, found.codes)

    def _fit_views(
        self,
        X: Table,
        found: Tasks,
        k: list[int],
        families: dict[str, Family],
        random: np.random.RandomState,
        budget: float | None,
    ) -> Self:
        """Cluster each task by its views and set labels, own labels and records."""
        codes, there = found.codes, self._view_there
        scaled = bool(self.columns_are_scaled)
        seen = ViewRepresentations.of(X, codes, self._view_columns, scaled, there)
        names = self.view_names_.tolist()
        seconds = None if budget is None else budget / len(k)
        made = []
        for t, k_t in enumerate(k):
            same = copy.deepcopy(random)  # the order of the tasks changes no draw
            made.append(
                view_answer.answer(X, codes, t, k_t, seen, there, names, families, same, seconds)
            )
        clusters = view_sharing.transferred_to_each(made)
        self.task_agreement_ = view_sharing.agreement(made, clusters)
        made = view_sharing.shared(made, clusters, starts.seeds(random, 1)[0])
        self._set_view_records(found, made)
        labels = np.empty(len(found.codes), dtype=int)
        self.own_labels_ = labels.copy()
        self.own_view_labels_ = np.empty((len(labels), len(names)), dtype=int)
        for each in made:
            labels[each.rows] = each.labels
            self.own_labels_[each.rows] = each.best_labels
            self.own_view_labels_[each.rows] = np.column_stack([v.labels for v in each.views])
        self._keep_rows(X, found, seen, labels, k)
        return self._record(X, found, labels, k)

    def _set_view_records(self, found: Tasks, made: list[ViewAnswer]) -> None:
        """Set the fitted attributes about answers, views and runs, and the views' weights."""
        names = self.view_names_.tolist()
        tasks = list(zip(found.names, made, strict=True))
        given = self._sorted_positions(len(found.codes))
        self.guard_ = [
            view_records.answer_record(task, each, given[each.rows], names) for task, each in tasks
        ]
        self.view_guard_ = []
        self.evidence_ = []
        for task, each in tasks:
            self.view_guard_.extend(view_records.view_records(task, each, names))
            self.evidence_.extend(view_records.run_records(task, each, names))
        runs = [view.runs for each in made for view in each.views]
        self.left_out_ = [record for each in runs for record in each.left_out]
        self.run_warnings_ = [record for each in runs for record in each.run_warnings]
        self.unclustered_tasks_ = [r["task"] for r in self.guard_ if not r["has_clusters"]]
        self._view_weights = np.array([each.weights for each in made])
        self.view_weights_ = self._view_weights.mean(axis=0)
        self.view_agreement_ = np.mean(
            [view_records.agreement_of_views(each) for each in made], axis=0
        )
        self.second_labels_: dict[Any, Labels] = {}
        self.replicability_: list[dict[str, Any]] = []

    def _sorted_positions(self, n: int) -> NDArray[np.integer]:
        """Return for each of n sorted rows (n,) its position in the table as given."""
        return np.asarray(self._sorted(np.arange(n)))

    def _keep_rows(
        self, X: Table, found: Tasks, seen: ViewRepresentations, labels: Labels, k: list[int]
    ) -> None:
        """Store the training rows and their clusters, by which each view assigns new rows."""
        self._view_representations = seen
        self._view_rows = X
        self._view_codes = found.codes
        self._view_labels = labels
        self._view_blocks = self._view_there
        del self._view_there
        self._kept_runs = []
        self._cluster_maps = np.empty((0, len(found.names), max(k)), dtype=int)

    def _for_scoring(self, X: Table, codes: Labels) -> Table:
        if "_view_rows" not in vars(self):
            return super()._for_scoring(X, codes)
        return self._view_representations.for_scoring(X, codes)

    def _vote_counts(self, X: Table, codes: Labels) -> Matrix:
        """Votes (m, k) for each cluster on new rows X (m, d), by nearest training rows per view.

        Each view has its weight in the row's task, which its nearest rows share.
        """
        if "_view_rows" not in vars(self):
            return super()._vote_counts(X, codes)
        votes = np.zeros((X.shape[0], self._cluster_maps.shape[2]))
        for t in np.unique(codes):
            rows = np.flatnonzero(codes == t)
            here = self._votes_in(X[rows], int(t))
            votes[rows, : here.shape[1]] = here
        return votes

    def _votes_in(self, X: Table, t: int) -> Matrix:
        """Votes (m, k_t) on new rows X (m, d) of the task at position t, which may lack views."""
        seen = self._view_representations
        here = np.full(X.shape[0], t)
        has = self._there(X) > 0
        X = observed.column_means_for_gaps(X)
        own = self._view_codes == t
        # Other tasks may have more clusters.
        labels = np.where(own, self._view_labels, 0)
        U = memberships.indicator(labels, int(labels.max()) + 1) * own[:, None]
        # At most half of the smallest cluster, or others would outvote it.
        l = int(np.clip(U.sum(axis=0).min() // 2, 1, scores.NEIGHBORS))
        votes = np.zeros((X.shape[0], U.shape[1]))
        weights = self._view_weights[t]
        # A row that has none of the views that count is placed by those that it has.
        strange = ~has[:, weights > 0].any(axis=1)
        for v, weight in enumerate(weights):
            asked = np.flatnonzero(has[:, v] & ((weight > 0) | strange))
            if not len(asked):
                continue
            rows = np.flatnonzero(own & self._view_blocks[:, v])
            fitted = seen.scored(v, self._view_rows[rows], self._view_codes[rows])
            near = graphs.cosine_neighbors(seen.scored(v, X[asked], here[asked]), l, fitted)
            votes[asked] += (weight or 1.0) * U[rows][near].mean(axis=1)
        # A row without any view has no votes, and keeps zeros.
        return votes / np.maximum(votes.sum(axis=1, keepdims=True), 1e-12)

    def _new_rows(self, X: MatrixLike) -> Table:
        """Check new rows; they may lack views if the training rows had several views."""
        if self.views is None:
            return super()._new_rows(X)
        return checks.samples(self, X, reset=False, gaps=True)
