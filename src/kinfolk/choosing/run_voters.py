"""Assigns new rows by the vote of the runs that agree best with the answer.

A new row is assigned by some of the runs that were kept for the answer of its task; the run's
cluster becomes the matched cluster of the answer, and the plurality decides, whatever combiner
made it. They are the nine runs that agree best with the answer. Runs that learned denoising layers,
which take a hundred times as long for a row, are among them only where fewer than three others were
kept.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from kinfolk.arrays import Labels, Matrix, MatrixLike, Table, Vector
from kinfolk.choosing import consensus
from kinfolk.choosing.candidate_runs import FittedCandidate
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.task_state import FitState
from kinfolk.estimators import kept_rows
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.row_order import move_rows
from kinfolk.numerics import memo
from kinfolk.tables import Tasks

# On rows held out of nine shaping sets, votes of the best 9 without layers were right in .794, of
# all 7 to 79 kept runs in .792; the best run alone in .788 (docs/labelfree-rules-measured.md).
MOST_VOTERS = 9
"""The most runs that assign the new rows of a task."""
ENOUGH = 3
"""Fewest quick runs that vote without slow ones: two cannot outvote an error."""


class RunVoters(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MultiTaskClusterer):
    """Base of `Kinfolk` that keeps fitted runs, whose votes assign new rows.

    As a transformer it gives the share of the runs that vote for each kind of clusters, in columns
    kinfolk0, kinfolk1 and so on; `set_output(transform="pandas")` names them.

    Attributes
    ----------
    voters_ : task -> the runs that assign new rows, each with its representation
    and all of `MultiTaskClusterer`
    """

    keeps = kept_rows.ROWS
    _representations: Representations
    _kept_runs: list[tuple[str, Any]]
    _cluster_maps: Labels

    def level_kept(self) -> str:
        """Return how much a saved model tells of single rows: "none", "labels", ..., "rows"."""
        runs = vars(self).get("_kept_runs")
        if runs is None:
            return self.keeps
        return kept_rows.most([kept_rows.LABELS, *(kept_rows.of(run) for _, run in runs)])

    @property
    def voters_(self) -> dict[Any, list[tuple[str, Any]]]:
        """The runs that assign new rows: {task: [(representation name, fitted estimator)]}.

        The estimators know several tasks, by position, with all attributes of their method, such
        as centers and relatedness; their clusters are not matched across tasks. With
        `consensus=False` a task has one, whose clusters are the answer.
        """
        votes = self._cluster_maps.max(axis=2) >= 0
        return {
            name: [self._kept_runs[i] for i in np.flatnonzero(votes[:, t])]
            for t, name in enumerate(self.task_names_[: votes.shape[1]])
        }

    def _keep_runs(
        self,
        seen: Representations,
        states: list[FitState],
        k: list[int],
        fitted: list[FittedCandidate],
    ) -> None:
        """Store the runs that assign new rows, with their clusters matched to the answers'.

        The maps (runs, T, k) hold -1 for clusters without a match, and for all clusters of a task
        in which the run has no vote.
        """
        voting = [_voting(state, k[t], fitted) for t, state in enumerate(states)]
        used = np.unique(np.concatenate(voting))
        chosen = [fitted[r].candidate for r in used]
        codes = np.full(len(fitted[0].labels), -1)
        for t, state in enumerate(states):
            codes[state.rows] = t
        for r in used:
            rows = np.flatnonzero(fitted[r].labels >= 0)
            tasks = Tasks.of(codes[rows])  # as the run numbers them
            move_rows(fitted[r].candidate.estimator, self._row_order[rows], tasks.codes)
        self._representations = seen
        self._kept_runs = [(run.representation, run.estimator) for run in chosen]
        # A run of another package may have more clusters than the answer.
        most = max(max(k), *(int(fitted[r].labels.max()) + 1 for r in used))
        self._cluster_maps = np.full((len(used), len(k), most), -1)
        for t, state in enumerate(states):
            for r in voting[t]:
                matched = _matched(state, k[t], r)
                place = np.searchsorted(used, r)
                self._cluster_maps[place, t, : len(matched)] = np.where(matched < k[t], matched, -1)

    __metadata_request__transform = {"tasks": True}

    def transform(self, X: MatrixLike, tasks: Any = None) -> Matrix:
        """Return memberships (m, K) of rows X (m, d): shares of runs voting for K matched clusters.

        The shares of the runs that vote for the clusters of each kind in the task of the row, as
        `matched_clusters_` numbers kinds. They add up to 1 in each row for which a run votes.

        Parameters
        ----------
        tasks : (m,) or one name for all rows; may be left out if there is only one task

        Raises
        ------
        UnknownTaskError : a task was not there when the model was fitted

        Examples
        --------
        >>> from kinfolk import Kinfolk
        >>> from kinfolk.datasets import makers
        >>> data = makers.make_related_blobs(20, n_features=4, random_state=0)
        >>> model = Kinfolk(3, families=["kmeans", "mec"], random_state=0)
        >>> shares = model.fit(data.X, tasks=data.tasks).transform(data.X, tasks=data.tasks)
        >>> shares[:2].round(2), model.matched_labels_[:2]
        (array([[0., 0., 1.],
               [1., 0., 0.]]), array([2, 0]))
        """
        codes, X = self._open_new(X, tasks)
        T = self._cluster_maps.shape[1]
        firsts = np.concatenate([[0], np.cumsum(self.n_clusters_)])
        shares = np.zeros((X.shape[0], self._n_features_out))
        for t in np.unique(codes):
            rows = np.flatnonzero(codes == t)
            voting = self if t < T else self.added_tasks_[t - T]
            votes = voting._vote_counts(X[rows], np.full(len(rows), t if t < T else 0))
            kinds = self.matched_clusters_[firsts[t] : firsts[t + 1]]
            for cluster, kind in enumerate(kinds):
                shares[rows, kind] += votes[:, cluster]
        return shares / np.maximum(shares.sum(axis=1, keepdims=True), 1.0)

    def fit_transform(self, X: MatrixLike, y: Any = None, tasks: Any = None) -> Matrix:
        """Fit, and return the memberships (n, K) of the rows in the matched clusters."""
        return self.fit(X, y, tasks=tasks).transform(X, tasks=tasks)

    @property
    def _n_features_out(self) -> int:
        return int(self.matched_clusters_.max()) + 1

    def _for_scoring(self, X: Table, codes: Labels) -> Table:
        """Transform rows X (m, d) to the representation used to score clusterings."""
        return self._representations.for_scoring(X, codes)

    def _scored(self, X: Table, codes: Labels) -> tuple[Table, str]:
        T = self._cluster_maps.shape[1]
        # Tasks that came later have moments of their own in the model that was fitted to them.
        return (X, "cosine") if (codes >= T).any() else (self._for_scoring(X, codes), "cosine")

    def _assign(self, X: Table, t: int) -> Labels:
        return self._assign_all(X, np.full(X.shape[0], t))

    def _assign_all(self, X: Table, codes: Labels) -> Labels:
        """Assign new rows X (m, d) of tasks at positions (m,) to clusters (m,) by vote."""
        return self._vote_counts(X, codes).argmax(axis=1)

    def _vote_counts(self, X: Table, codes: Labels) -> Matrix:
        """Count the runs (m, k) that put each new row into each cluster of its task."""
        votes = np.zeros((X.shape[0], self._cluster_maps.shape[2]))
        with memo.remembering():  # runs on the same features share them
            for (name, estimator), maps in zip(self._kept_runs, self._cluster_maps, strict=True):
                rows = np.flatnonzero(maps.max(axis=1)[codes] >= 0)
                if not len(rows):
                    continue
                seen = self._representations.transform(name, X[rows], codes[rows])
                matched = maps[codes[rows], estimator.predict(seen, tasks=codes[rows])]
                votes[rows, matched] += matched >= 0
        return votes


def _matched(state: FitState, k: int, r: int) -> Labels:
    """For each cluster of run r, return the matched cluster of the answer; k if unmatched."""
    decision = state.decision
    return consensus.match_clusters(decision.runs.labels[r], decision.answer.labels, k)


def best_runs(agreement: Vector, slow: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Select the runs that assign new rows, by their agreement (R,) with the answer.

    Parameters
    ----------
    slow : (R,) True for runs that take long for a row

    Examples
    --------
    >>> best_runs(np.array([0.7, 0.9, 0.8, 0.6]), np.array([False, True, False, False]))
    array([2, 0, 3])
    >>> best_runs(np.array([0.7, 0.9, 0.8]), np.array([False, True, False]))
    array([1, 2, 0])
    """
    best = np.argsort(np.negative(agreement), kind="stable")
    if np.sum(~slow) >= ENOUGH:
        best = best[~slow[best]]
    return best[:MOST_VOTERS]


def _voting(state: FitState, k: int, fitted: Sequence[FittedCandidate]) -> Labels:
    """Positions, among all fitted runs, of those that assign a task's new rows."""
    answer = state.decision.answer
    runs = state.decision.runs.labels
    agreement = [np.mean(_matched(state, k, r)[runs[r]] == answer.labels) for r in answer.kept]
    slow = [_has_layers(fitted[r].candidate.estimator) for r in answer.kept]
    return np.asarray(answer.kept)[best_runs(np.array(agreement), np.array(slow))]


def _has_layers(estimator: Any) -> bool:
    """True if an estimator, or one inside it, learned denoising layers."""
    inner = [*vars(estimator).get("estimators_", ()), vars(estimator).get("estimator_", estimator)]
    return any(vars(one).get("_layers") for one in inner)
