"""Base class of the baselines, which wrap a clusterer of one table, of this or another library."""

import warnings
from abc import abstractmethod
from copy import copy
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from kinfolk.arguments import shown
from kinfolk.arrays import Labels, MatrixLike, Table, Vector
from kinfolk.blocks import Blocks, lloyd
from kinfolk.errors import EmptyClusterWarning, InputError, ScaleWarning
from kinfolk.estimators import kept_rows, task_blocks
from kinfolk.estimators import rows as rows_in
from kinfolk.estimators.base import MultiTaskClusterer, TableEstimator
from kinfolk.estimators.row_sums import RowSumClusterer
from kinfolk.estimators.warn import compared
from kinfolk.numerics import content_order
from kinfolk.tables import Tasks
from kinfolk.tables.alignment import some

DRAWING = (KMeans, MiniBatchKMeans)
"""Clusterers of scikit-learn that draw rows as starts, and keep nothing of them but labels."""


class WrappedClusterer(MultiTaskClusterer):
    """Base of clusterers of several tasks that fit copies of a clusterer of one table."""

    keeps = kept_rows.ROWS  # as the estimator does, which may be of another library

    estimator: Any

    def fit(
        self, X: MatrixLike, y: None = None, tasks: Any = None, sample_weight: Any = None
    ) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each.

        sample_weight (n,), not negative, counts a row as so many, if the estimator takes weights.
        """
        if rows_in.in_blocks(X, self):
            return self._fit_blocks(task_blocks.opened(self, X, tasks, sample_weight))
        sample_weight = rows_in.weights_beside(X, sample_weight)
        X, found = self._open(X, tasks)
        return self._fit_table(X, found, rows_in.weights(sample_weight, X.shape[0]))

    @abstractmethod
    def _fit_table(self, X: Table, found: Tasks, weight: Vector | None) -> Self:
        """Fit copies to the checked rows X (n, d), with weights (n,) or none."""

    @abstractmethod
    def _fit_blocks(self, rows: Blocks) -> Self:
        """Fit copies to rows in blocks."""

    def _inner(self) -> BaseEstimator:
        """Return the wrapped clusterer, k-means for None; InputError if it is no clusterer."""
        if self.estimator is None:
            return KMeans(2, n_init=10, random_state=0)
        lacks = not (hasattr(self.estimator, "fit") and hasattr(self.estimator, "get_params"))
        if lacks or isinstance(self.estimator, type):
            raise InputError(
                f"estimator is {shown(self.estimator)}; give a clusterer such as KMeans()."
            )
        if needs_classes(self.estimator):
            raise InputError(
                f"estimator is {shown(self.estimator)}, which learns from known classes or values; "
                "give a clusterer such as KMeans()."
            )
        return self.estimator

    def _asked_clusters(self) -> Any:
        """Return the number of clusters given, else the estimator's, else 1."""
        given = self._given_clusters()
        return 1 if given is None else given  # 1 passes every check

    def _given_clusters(self) -> Any:
        """Return the number of clusters given, else the estimator's; None: it finds its own."""
        inner = self._inner()
        if self.n_clusters is not None:
            return self.n_clusters
        return inner.get_params().get(parameter_of(inner, "n_clusters"))

    def _copy(self, k: int) -> Any:
        """Return an unfitted copy of the clusterer that is to find k clusters."""
        inner = clone(self._inner())
        own = parameter_of(inner, "n_clusters")
        takes = own and self._given_clusters() is not None
        return inner.set_params(**{own: k}) if takes else inner

    def level_kept(self) -> str:
        """Return how much a saved model tells of single rows, by the wrapped estimators."""
        found = vars(self)
        copies = found.get("estimators_") or [found.get("estimator_", self._inner())]
        return kept_rows.most([kept_rows.LABELS, *map(kept_rows.of, copies)])

    def works_elsewhere(self) -> bool:
        """True if arrays of other libraries (PyTorch, CuPy) are clustered without conversion."""
        inner = self._inner()
        return type(inner) is KMeans or isinstance(inner, RowSumClusterer)

    def _sorts_rows(self) -> bool:
        return False  # the wrapped clusterer does

    def _sees(self) -> str:
        return compared(self._inner())


def fitted(inner: Any, X: Table, weight: Vector | None = None) -> Any:
    """Fit a clusterer in place and return it; silence warnings that the wrapper gives itself.

    Those of other libraries are fitted in double precision; ours compute in it without a copy.
    """
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
            Z = X if isinstance(inner, TableEstimator) else _double(X)
            labels = labels_of(inner.fit(Z, **weights), Z.shape[0], Z)
            if labels is not getattr(inner, "labels_", None):
                inner.labels_ = labels
            return inner
        rows, found = content_order.sorted_rows(X, np.zeros(X.shape[0], dtype=int))
        # Sums over columns in one order, too: rounding decides between starts that are level.
        # Centers that the user gives, as an array or by a function, have columns in their order.
        drawn = isinstance(inner.init, str)
        columns = content_order.columns(rows) if drawn else np.arange(rows.shape[1])
        if weight is not None:
            weights = {"sample_weight": weight[found.rows]}
        inner.fit(_double(rows[:, columns]), **weights)
        inner.cluster_centers_ = inner.cluster_centers_[:, np.argsort(columns)].copy()
        inner.labels_ = inner.labels_[np.argsort(found.rows)]
        return inner


def needs_classes(estimator: Any) -> bool:
    """True for a classifier or a regressor of scikit-learn, which cannot be fitted to rows alone.

    >>> from sklearn.linear_model import LogisticRegression
    >>> needs_classes(LogisticRegression()), needs_classes(KMeans())
    (True, False)
    """
    # Clusterers of other packages need not have the tags that `is_classifier` reads.
    return isinstance(estimator, BaseEstimator) and (
        is_classifier(estimator) or is_regressor(estimator)
    )


def parameter_of(clusterer: Any, meaning: str) -> str:
    """Return a clusterer's own name for `n_clusters` or `random_state`; "" if it has none.

    >>> from sklearn.cluster import DBSCAN
    >>> from sklearn.mixture import GaussianMixture
    >>> from sklearn.pipeline import make_pipeline
    >>> [parameter_of(c, "n_clusters") for c in (GaussianMixture(), make_pipeline(KMeans()))]
    ['n_components', 'kmeans__n_clusters']
    >>> parameter_of(DBSCAN(), "n_clusters")
    ''
    """
    if isinstance(clusterer, Pipeline):
        step, last = clusterer.steps[-1]
        own = parameter_of(last, meaning)
        return own and f"{step}__{own}"
    known = clusterer.get_params() if hasattr(clusterer, "get_params") else {}
    if meaning in known:
        return meaning
    # Transformers have a number of components as well, and cluster no row.
    mixture = meaning == "n_clusters" and hasattr(clusterer, "fit_predict")
    return "n_components" if mixture and "n_components" in known else ""


def labels_of(clusterer: Any, n: int, X: Table | None = None) -> Labels:
    """Return the labels (n,) that a clusterer of any package set in its fit, as whole numbers.

    With the rows X (n, d) of the fit, mixtures and pipelines, which set none, are asked for them.

    Raises
    ------
    InputError : it set none, or other values

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> labels_of(SimpleNamespace(labels_=[1.0, -1.0]), 2)
    array([ 1, -1])
    """
    name = type(clusterer).__name__
    last = clusterer[-1] if isinstance(clusterer, Pipeline) else clusterer
    found = getattr(last, "labels_", None)
    if found is None and X is not None and hasattr(clusterer, "predict"):
        found = clusterer.predict(X)
    labels = np.asarray(found)
    # Those of sklearn.cluster.FeatureAgglomeration are of the columns.
    if labels.shape != (n,):
        raise InputError(
            f"{name} has no labels_ of the rows after a fit; give a clusterer such as KMeans()."
        )
    if labels.dtype.kind in "iu":
        return labels
    for label in labels.tolist():
        if not isinstance(label, int | float) or label != label // 1:
            raise InputError(
                f"{name} has {shown(label)} among its labels_ after a fit; give a clusterer that "
                "numbers its clusters by whole numbers, such as KMeans()."
            )
    return labels.astype(int)


def fitted_to_blocks(inner: Any, rows: Blocks) -> Any:
    """Fit a clusterer to rows in blocks and return it without labels; InputError if it cannot."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyClusterWarning)
        warnings.simplefilter("ignore", ScaleWarning)
        if type(inner) is KMeans:
            return lloyd.fitted(inner, rows)
        if isinstance(inner, RowSumClusterer):
            found = task_blocks.without_labels(inner.fit(rows))
            found.__dict__.pop("feature_names_in_", None)  # it is given arrays alone
            return found
    raise InputError(
        f"X is in blocks, and {type(inner).__name__} needs all rows in memory at once: wrap "
        "KMeans, MEC or KTMEC, or give the table itself if it fits."
    )


def cluster_ids(labels: Labels, k: int) -> np.ndarray:
    """Return the cluster ids: 0 to k - 1 if these cover all labels, else the labels used.

    >>> cluster_ids(np.array([2, 2, 0]), 3), cluster_ids(np.array([-1, 4, 4]), 3)
    (array([0, 1, 2]), array([-1,  4]))
    """
    there = np.unique(labels)
    return np.arange(k) if there[0] >= 0 and there[-1] < k else there


def predicted(inner: Any, values: np.ndarray, X: Table) -> Labels:
    """Assign new rows X (m, d) by a fitted clusterer; return positions in its ids `values` (k,).

    InputError if it cannot, or assigns a row to a cluster that has no id.
    """
    if not hasattr(inner, "predict"):
        raise InputError(
            f"{type(inner).__name__} cannot assign new rows; wrap a clusterer that has predict, "
            "for example sklearn.cluster.KMeans."
        )
    if type(inner) is KMeans and not sp.issparse(X):
        inner, X = _near_zero(inner, X)
    labels = inner.predict(_double(X))
    positions = np.searchsorted(values, labels)
    if len(strange := labels[values.take(positions, mode="clip") != labels]):
        raise InputError(
            f"{type(inner).__name__} assigns a row to cluster {strange[0]}, where the rows of the "
            f"fit are in {some(values.tolist())}: leave such rows out, or wrap another clusterer."
        )
    return positions


def _near_zero(inner: KMeans, X: Table) -> tuple[KMeans, Table]:
    """Shift k-means and dense rows by the mean of the centers, as scikit-learn fits them.

    Its `predict` takes entries as they are: squares of 5e8 leave no digits for a spread of 1.
    """
    origin = inner.cluster_centers_.mean(axis=0)
    moved = copy(inner)
    moved.cluster_centers_ = inner.cluster_centers_ - origin
    return moved, _double(X) - origin


def _double(X: Table) -> Table:
    """Convert X to double precision."""
    return X.astype(np.float64, copy=False)
