"""Base class that holds matched clusters of several tasks as fitted attributes."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.estimators import checks, correspondence, neighbor_votes
from kinfolk.estimators.correspondence import Correspondence
from kinfolk.tables import Tasks


class MatchedClusters(BaseEstimator):
    """Base of estimators of several tasks that matches clusters across tasks after the fit."""

    task_names_: Any
    n_clusters_: Labels

    def match(self, labels: Labels, tasks: Any) -> tuple[Labels, Matrix]:
        """Return matched numbers and match strengths (m,) of clusters `labels` (m,).

        >>> from kinfolk import PerTask
        >>> X = np.repeat(np.eye(9)[:2], [4, 3], axis=0)
        >>> model = PerTask(n_clusters=2).fit(np.vstack([X, X]), tasks=["a"] * 7 + ["b"] * 7)
        >>> numbers, strength = model.match(model.predict(X, "b"), "b")
        >>> numbers, strength.round(3)
        (array([0, 0, 0, 0, 1, 1, 1]), array([1., 1., 1., 1., 1., 1., 1.]))
        """
        check_is_fitted(self)
        numbers = checks.cluster_numbers(labels)
        codes, _ = checks.known_tasks(tasks, np.empty((len(numbers), 0)), list(self.task_names_))
        numbers = checks.below("labels", numbers, self.n_clusters_[codes])
        positions = first_positions(self.n_clusters_)[codes] + numbers
        return self.matched_clusters_[positions], self.match_strength_[positions]

    def _match_clusters(
        self, X: Table, tasks: Tasks, labels: Labels, k: list[int]
    ) -> Correspondence:
        """Match clusters across tasks by nearest rows; by profiles for small tasks."""
        scaled = getattr(self, "columns_are_scaled", False)
        agreement = neighbor_votes.agreement(X, labels, tasks.codes, k, scaled)
        return correspondence.correspond(X, labels, tasks.codes, tasks.names, k, agreement)

    def _set_correspondence(self, found: Correspondence) -> None:
        self.clusters_ = found.clusters
        self.cluster_links_ = found.links
        self.matched_clusters_ = found.groups
        self.match_strength_ = found.strength
        self.cluster_profiles_ = found.profiles
        self._cluster_sizes = found.sizes
        self._directions = found.directions
        self._votes = found.votes

    def _get_correspondence(self) -> Correspondence:
        return Correspondence(
            self.clusters_,
            self.cluster_links_,
            self.matched_clusters_,
            self.match_strength_,
            self.cluster_profiles_,
            self._cluster_sizes,
            self._directions,
            getattr(self, "_votes", 0.0 * self.cluster_links_),  # models of older versions
        )


def first_positions(k: Any) -> Labels:
    """Return the position of each task's first cluster among the clusters of all tasks."""
    return np.concatenate([[0], np.cumsum(k)[:-1]])
