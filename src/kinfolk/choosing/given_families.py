"""Converts the parameter `families` (names, clusterers of any package) to families of candidates.

    "kmeans", ...      a family of `candidates.FAMILIES`
    "all"              all of them
    "leiden"           communities of the graph of nearest rows (extra `leiden`), see `leiden`
    another name       a family that an installed package offers as an entry point in the group
                       `kinfolk.families`: a clusterer, its class, or a `Family`
    a clusterer        a family with the setting of the clusterer, and three starts if it has a
                       `random_state`. If its `fit` takes `tasks` it uses several tasks at once.
                       Mixtures of scikit-learn, whose number is `n_components`, and a `Pipeline`
                       whose last step is a clusterer count as such

A name from outside takes part only if it is given: what is installed does not change an answer.
"""

import inspect
from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.neighbors import KNeighborsClassifier

from kinfolk.arguments import choice, shown
from kinfolk.arrays import Labels, Table
from kinfolk.choosing import fitting
from kinfolk.choosing.candidates import FAMILIES, Family
from kinfolk.choosing.leiden import Leiden
from kinfolk.errors import InputError
from kinfolk.estimators import wrapped
from kinfolk.methods.multitask.baselines import PerTask

ALL = "all"
GROUP = "kinfolk.families"
LEIDEN = "leiden"
STARTS = 3


def of(given: Any) -> dict[str, Family]:
    """Return {name: family} for names and clusterers that a caller gave; None: all built-in ones.

    Raises
    ------
    InputError : an item is neither the name of a family nor a clusterer

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> list(of(["mec", KMeans(), "kmeans", KMeans(init="random")]))
    ['kmeans', 'mec', 'KMeans', 'KMeans 2']
    """
    items = list(FAMILIES) if given is None else _items(given)
    named = {item for item in items if isinstance(item, str)}
    if ALL in named:
        named |= FAMILIES.keys()
    found = {name: family for name, family in FAMILIES.items() if name in named}
    for item in items:
        if isinstance(item, str):
            if item not in found and item != ALL:
                found[item] = _optional(item)
            continue
        name = type(item).__name__
        again = sum(known.split(" ")[0] == name for known in found)
        found[f"{name} {again + 1}" if again else name] = of_clusterer(item)
    return found


def of_clusterer(clusterer: Any) -> Family:
    """Wrap one clusterer with its present parameters as a family of candidates.

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN, KMeans
    >>> family = of_clusterer(KMeans(n_init=2))
    >>> family.starts, family.joint, family.make({0: 3}, 7).estimator
    (3, False, GivenClusterer(clusterer=KMeans(n_init=2, random_state=7)))
    >>> of_clusterer(DBSCAN()).starts
    1
    """
    if isinstance(clusterer, type) or not all(
        hasattr(clusterer, name) for name in ("fit", "get_params", "set_params")
    ):
        raise InputError(
            f"families has {shown(clusterer)}; give names, or clusterers such as KMeans() that "
            "have fit and labels_, or fit and predict."
        )
    if wrapped.needs_classes(clusterer):
        raise InputError(
            f"families has {shown(clusterer)}, which learns from known classes or values; give "
            "names, or clusterers such as KMeans()."
        )
    joint = "tasks" in inspect.signature(clusterer.fit).parameters
    starts = STARTS if wrapped.parameter_of(clusterer, "random_state") else 1
    make: Any = _Copies(clusterer, joint)
    # Most clusterers compare distances, as k-means does.
    return Family(make, None if joint else PerTask, starts, "for_kmeans")


class _Copies:
    """Makes copies of a clusterer, setting those parameters of a candidate that it has."""

    def __init__(self, clusterer: Any, joint: bool) -> None:
        self.clusterer = clusterer
        self.joint = joint

    def __call__(self, **parameters: Any) -> Any:
        """Return a copy of the clusterer; `n_init` and parameters that it lacks are ignored."""
        copy = clone(self.clusterer)
        # The starts of a family are runs of their own, but the caller may have chosen some within.
        parameters.pop("n_init", None)
        known = {wrapped.parameter_of(copy, name): value for name, value in parameters.items()}
        copy.set_params(**{name: value for name, value in known.items() if name})
        return copy if self.joint else GivenClusterer(copy)


class GivenClusterer(ClusterMixin, BaseEstimator):
    """Wraps any clusterer; if it has no `predict`, new rows get their nearest row's cluster.

    Parameters
    ----------
    clusterer : with fit and labels_, or with fit and predict

    Attributes
    ----------
    labels_ : (n,) of the clusterer
    clusterer_ : the fitted copy
    nearest_ : finds the nearest row of the fit, for a clusterer without `predict`

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN
    >>> X = np.array([[0.0], [0.2], [9.0], [9.1]])
    >>> GivenClusterer(DBSCAN(min_samples=1)).fit(X).predict([[1.0], [8.0]])
    array([0, 1])
    """

    # Packages refuse rows and parameters by a plain ValueError; in Kinfolk that is a defect.
    refusals = (*fitting.REFUSALS, ValueError)

    def __init__(self, clusterer: Any = None) -> None:
        self.clusterer = clusterer

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with `deep`, also `n_clusters` of the wrapped clusterer."""
        found: dict[str, Any] = super().get_params(deep=deep)
        own = wrapped.parameter_of(self.clusterer, "n_clusters") if deep else ""
        return found | ({"n_clusters": self.clusterer.get_params()[own]} if own else {})

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters; `n_clusters` is passed to the wrapped clusterer."""
        # First the clusterer, which the number is for.
        own = {name: value for name, value in parameters.items() if name != "n_clusters"}
        super().set_params(**own)
        if "n_clusters" in parameters:
            name = wrapped.parameter_of(self.clusterer, "n_clusters")
            self.clusterer.set_params(**{name: parameters["n_clusters"]})
        return self

    def fit(self, X: Table, y: None = None) -> Self:
        """Cluster the rows of X (n, d), and store them for `predict`."""
        self.clusterer_ = clone(self.clusterer).fit(X)
        self.labels_ = wrapped.labels_of(self.clusterer_, X.shape[0], X)
        if not hasattr(self.clusterer_, "predict"):
            self.nearest_ = KNeighborsClassifier(1).fit(X, self.labels_)
        return self

    def predict(self, X: Table) -> Labels:
        """Return the clusters (m,) of new rows X (m, d)."""
        assigning = self.clusterer_ if hasattr(self.clusterer_, "predict") else self.nearest_
        return np.asarray(assigning.predict(X))


def _items(given: Any) -> list[Any]:
    """Check the parameter `families` and return its items as a list."""
    listed = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
    if not listed or (isinstance(given, np.ndarray) and given.ndim != 1):
        raise InputError(f"families is {shown(given)}; give a list of names.")
    return list(given)


def _optional(name: str) -> Family:
    """Return the family of candidates of a name that is not built in: Leiden, or of a plug-in."""
    if name == LEIDEN:
        # Rows are represented for cosines there, at any length.
        make: Any = _Copies(Leiden(metric="cosine"), joint=False)
        return Family(make, PerTask, STARTS, "for_neighbors")
    offered = {point.name: point for point in entry_points(group=GROUP)}
    point = offered.get(choice("families", name, [*FAMILIES, ALL, LEIDEN, *offered]))
    assert point is not None  # the names of Kinfolk were found before
    found = point.load()
    if isinstance(found, Family):
        return found
    return of_clusterer(found() if isinstance(found, type) else found)
