"""Fits several views of the same rows, and assigns new rows by their nearest rows in each view."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.choosing import scores, view_answer, view_records
from kinfolk.choosing.run_voters import RunVoters
from kinfolk.choosing.view_answer import ViewAnswer
from kinfolk.choosing.view_representations import ViewRepresentations
from kinfolk.estimators import kept_rows
from kinfolk.estimators.views import columns_of
from kinfolk.numerics import graphs, memberships
from kinfolk.tables import Tasks, object_array

OF_VIEWS = (
    *("view_names_", "view_weights_", "view_agreement_", "view_guard_", "own_view_labels_"),
    *("_view_representations", "_view_rows", "_view_codes", "_view_labels", "_view_weights"),
)
"""Attributes that only a fit to several views sets."""


class InViews(RunVoters):
    """Keeps the rows of the fit, whose clusters vote on new rows, where rows have several views.

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
    columns_are_scaled: bool
    _view_weights: Matrix

    def level_kept(self) -> str:
        """Return the level of facts that the model keeps: the rows themselves, with views."""
        return kept_rows.ROWS if "_view_rows" in vars(self) else super().level_kept()

    def _columns_of_views(self, X: Table) -> list[NDArray[np.integer]]:
        """Set the names of the views and return the columns of each."""
        names = getattr(self, "feature_names_in_", None)
        found = columns_of(self.views, X.shape[1], None if names is None else names.tolist())
        self.view_names_ = object_array(found)
        return list(found.values())

    def _fit_views(
        self,
        X: Table,
        found: Tasks,
        k: list[int],
        families: list[str],
        random: np.random.RandomState,
        budget: float | None,
    ) -> Self:
        """Set the answer of each task, which is clustered by itself, and its records."""
        columns = self._columns_of_views(X)
        scaled = bool(self.columns_are_scaled)
        seen = ViewRepresentations.of(X, found.codes, columns, scaled)
        names = self.view_names_.tolist()
        seconds = None if budget is None else budget / len(k)
        made = [
            view_answer.answer(X, found.codes, t, k[t], seen, names, families, random, seconds)
            for t in range(len(k))
        ]
        self._set_view_records(found, made)
        labels = np.empty(len(found.codes), dtype=int)
        self.own_labels_ = labels.copy()
        self.own_view_labels_ = np.empty((len(labels), len(names)), dtype=int)
        for each in made:
            labels[each.rows] = each.labels
            self.own_labels_[each.rows] = each.best.labels
            self.own_view_labels_[each.rows] = np.column_stack([v.labels for v in each.views])
        self._keep_rows(X, found, seen, labels, k)
        return self._record(X, found, labels, k)

    def _set_view_records(self, found: Tasks, made: list[ViewAnswer]) -> None:
        """Set the records of answers, views and runs, and the weights of the views."""
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
        own = [np.array([view.labels for view in each.views]) for each in made]
        self.view_agreement_ = np.mean(
            [scores.pairwise_agreement(labels) for labels in own], axis=0
        )
        self.second_labels_: dict[Any, Labels] = {}
        self.replicability_: list[dict[str, Any]] = []
        self.task_agreement_: Matrix = np.eye(len(made))
        self.__dict__.pop("task_relatedness_", None)

    def _sorted_positions(self, n: int) -> NDArray[np.integer]:
        """Return the positions (n,) of the sorted rows among the given ones."""
        return np.asarray(self._sorted(np.arange(n)))

    def _keep_rows(
        self, X: Table, found: Tasks, seen: ViewRepresentations, labels: Labels, k: list[int]
    ) -> None:
        """Keep the rows of the fit with their clusters."""
        self._view_representations = seen
        self._view_rows = X
        self._view_codes = found.codes
        self._view_labels = labels
        self._kept_runs = []
        self._cluster_maps = np.empty((0, len(found.names), max(k)), dtype=int)

    def _for_scoring(self, X: Table, codes: Labels) -> Table:
        if "_view_rows" not in vars(self):
            return super()._for_scoring(X, codes)
        return self._view_representations.for_scoring(X, codes)

    def _vote_counts(self, X: Table, codes: Labels) -> Matrix:
        """Votes (m, k) on new rows X (m, d), by the nearest rows of the fit in each view.

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
        """Votes (m, k_t) on new rows X (m, d) of one task."""
        seen = self._view_representations
        there = np.flatnonzero(self._view_codes == t)
        here = np.full(X.shape[0], t)
        labels = self._view_labels[there]
        U = memberships.indicator(labels, int(labels.max()) + 1)
        # At most half of the smallest cluster, or others would outvote it.
        l = int(np.clip(U.sum(axis=0).min() // 2, 1, scores.NEIGHBORS))
        votes = np.zeros((X.shape[0], U.shape[1]))
        for v, weight in enumerate(self._view_weights[t]):
            if weight > 0:
                fitted = seen.scored(v, self._view_rows[there], self._view_codes[there])
                near = graphs.cosine_neighbors(seen.scored(v, X, here), l, fitted)
                votes += weight * U[near].mean(axis=1)
        return votes
