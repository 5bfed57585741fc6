"""Warns of concepts that cut through the groups of a table's rows."""

import numpy as np

from kinfolk.arrays import Labels, Table, Vector
from kinfolk.errors import ConceptWarning, warn_user
from kinfolk.numerics import concept_descent, distances, memberships, starts, weighted_rows

LOOSE = 1.2
"""Most scatter within clusters, as a multiple of that of k-means clusters, without a warning."""


def warn_of_loose_clusters(
    X: Table, labels: Labels, k: int, seed: int, graph_weight: float, weight: Vector | None = None
) -> None:
    """Warn if clusters (n,) of rows X (n, d) scatter far more than those of k-means.

    With weights (n,) a row counts as so many.
    """
    loose = scatter_inside(X, labels, k, weight)
    of_means = starts.kmeans(X, k, seed, weight=weighted_rows.uneven(weight))
    tight = scatter_inside(X, of_means, k, weight)
    heavy = weighted_rows.scaled(X, weight)
    # Up to rounding: groups of equal rows have none.
    rounding = concept_descent.ROUNDING * distances.scatter(heavy)
    if loose > LOOSE * tight + rounding:
        much = "join rows that differ, and k-means clusters have equal rows only"
        if tight > rounding:
            much = f"have {loose / tight:.2g} times the scatter of k-means clusters"
        advice = "another graph_weight" if graph_weight > 0 else "graph_weight=1"
        warn_user(
            f"clusters {much}: rows of this table differ by more than their direction from 0, and "
            f"concepts cut through their groups. Try {advice}, or SoftKMeans, which gives each row "
            "one concept.",
            ConceptWarning,
        )


def scatter_inside(X: Table, labels: Labels, k: int, weight: Vector | None = None) -> float:
    """Sum of squared distances of rows to their cluster's mean, with row weights (n,) or none.

    >>> X = np.array([[0.0], [3.0], [9.0]])
    >>> scatter_inside(X, np.array([0, 0, 1]), 2)
    4.5
    >>> scatter_inside(X, np.array([0, 0, 1]), 2, np.array([2.0, 1.0, 1.0]))
    6.0
    """
    Y = memberships.indicator(labels, k)
    if weight is not None:
        Y *= weight[:, None]
    away = distances.squared(X, memberships.centers(X, Y))
    return float(np.sum(Y * away))
