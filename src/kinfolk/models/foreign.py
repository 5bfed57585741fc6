"""Saves and restores scikit-learn estimators by their public attributes.

Private attributes of another library are never stored nor restored: their meaning is not ours, and
compiled code relies on them. A KMeans comes back from its centers, by a fit of its own.
"""

import warnings
from typing import Any

from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from kinfolk.models.parameter_types import parameter_types

FORMER = {
    "_sklearn_version",
    "_n_threads",
    "_tol",
    "_n_init",
    "_algorithm",
    "_n_features_out",
}
"""Private attributes of KMeans in folders of schema 1 and 2, which are not looked at."""


def public(cls: type, attributes: dict[str, Any]) -> dict[str, Any]:
    """Return an estimator's attributes without another library's private ones.

    >>> public(KMeans, {"n_clusters": 2, "_n_threads": 1})
    {'n_clusters': 2}
    """
    if cls is not KMeans:
        return attributes
    return {name: value for name, value in attributes.items() if name not in FORMER}


def kmeans(attributes: dict[str, Any]) -> KMeans:
    """Build a KMeans from checked attributes, fitted if they include centers.

    >>> import numpy as np
    >>> model = kmeans({"n_clusters": 2, "cluster_centers_": np.array([[0.0], [4.0]])})
    >>> model.predict([[1.0], [3.0]])
    array([0, 1], dtype=int32)
    """
    parameters = {n: attributes[n] for n in parameter_types(KMeans) if n in attributes}
    model = KMeans()
    if "cluster_centers_" in attributes:
        centers = attributes["cluster_centers_"]
        # The fit of the centers to themselves sets what `predict` needs, and nothing else lasts.
        model.set_params(n_clusters=len(centers), init=centers, n_init=1, max_iter=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # some centers are equal
            model.fit(centers)
        own = {n: value for n, value in attributes.items() if n not in parameters}
        vars(model).update(own)
    return model.set_params(**parameters)
