"""Profiles (means, spreads, sizes) of a fitted estimator's clusters, without keeping rows."""

from typing import Any

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from kinfolk.arrays import Labels, Table
from kinfolk.errors import NotKeptError
from kinfolk.profiles import Profiles, from_moments
from kinfolk.profiles.from_moments import ClusterMoments


class ProfiledEstimator:
    """Adds sizes, means and standard deviations of the clusters to a fitted estimator.

    Attributes
    ----------
    profiles_ : Profiles, the kinds of clusters with means and spreads in units of X, by task; tasks
        that were added later are not in it
    """

    matched_clusters_: Labels
    clusters_: list[tuple[Any, int]]
    feature_names_in_: NDArray[Any]

    @property
    def profiles_(self) -> Profiles:
        """Profiles of the matched clusters: sizes, means, spreads, in units of X.

        Raises
        ------
        NotFittedError : nothing is fitted yet
        NotKeptError : the model is too wide, or was stored by an older version

        Examples
        --------
        >>> import numpy as np
        >>> from kinfolk import PerTask
        >>> X = np.repeat([[20.0, 1.0], [60.0, 9.0]], [4, 3], axis=0)
        >>> model = PerTask(n_clusters=2).fit(np.vstack([X, X]), tasks=["a"] * 7 + ["b"] * 7)
        >>> for difference in model.profiles_.differences(0):
        ...     print(difference)
        column 0: 20 beside 60 (−2.0)
        column 1: 1.0 beside 9.0 (−2.0)
        """
        check_is_fitted(self)
        found = getattr(self, "_moments", None)
        if found is None:
            raise NotKeptError(
                "this model keeps no profiles, because it has too many columns or was stored by an "
                "older version: make them from the rows with kf.profile(rows, matched_labels_)."
            )
        C = len(found[0])
        d = found[1].shape[1]
        names = getattr(self, "feature_names_in_", [f"column {j}" for j in range(d)])
        tasks = [task for task, _ in self.clusters_[:C]]
        return from_moments.profiles(
            ClusterMoments(*found), self.matched_clusters_[:C], tasks, [str(name) for name in names]
        )

    def _keep_moments(self, X: Table, positions: Labels, n_clusters: int) -> None:
        """Store sizes, means and spreads of clusters (n,), numbered over all tasks."""
        found = from_moments.moments(X, positions, n_clusters)
        # A plain tuple, as models are stored without classes of their own.
        self._moments = None if found is None else tuple(found)
