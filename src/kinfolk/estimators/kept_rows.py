"""Privacy levels: how much a saved model tells of single rows ("none", ..., "rows").

    rows          the rows, as they were clustered, or numbers that the rows can be computed from
    memberships   memberships, coordinates or hashes of each row; with more clusters than columns
                  memberships give the row back, and a hash tells if a known row was in the fit
    labels        the cluster of each row, in the order of the rows
    none          centers, means and spreads of clusters

Each estimator declares one of them as its attribute `keeps`. Beside them every model holds sizes,
means and spreads of its clusters: the mean of a cluster of one row is that row.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from kinfolk.estimators import facets

ROWS, MEMBERSHIPS, LABELS, NONE = "rows", "memberships", "labels", "none"

LEVELS = (NONE, LABELS, MEMBERSHIPS, ROWS)
"""Privacy levels, from the one that tells least of single rows to the one that tells most."""

FEW = 10
"""Rows below which the mean of a cluster tells much about each of them: one weighs over a tenth."""

MEANINGS = {
    ROWS: "the rows of the fit: only for people who may see them",
    MEMBERSHIPS: "no row, but memberships, coordinates or hashes of each row, which a row can be "
    "recognized or estimated by: only for people who may see the rows",
    LABELS: "no row; the cluster of each row, in the order of the table, and means of clusters",
    NONE: "nothing about single rows; means and spreads of clusters",
}
"""Level -> its meaning in words that follow "the model holds"."""


def of(estimator: Any) -> str:
    """Return the privacy level of a fitted estimator; of an unfitted one the worst possible.

    >>> from kinfolk import MTCFIR, DMTFCLS, PerTask
    >>> of(MTCFIR()), of(DMTFCLS()), of(PerTask())
    ('rows', 'labels', 'labels')
    """
    # As `models.without_rows` leaves it.
    labels = vars(estimator).get("labels_")
    if labels is not None and len(labels) == 0:
        return NONE
    if type(estimator) is KMeans:
        return LABELS
    # Of another library: not known, so the worst.
    own = estimator.level_kept() if isinstance(estimator, facets.KeepsRows) else ROWS
    return most([own, *map(of, vars(estimator).get("added_tasks_", ()))])


def most(levels: Iterable[str]) -> str:
    """Return the least private of several levels; "none" for an empty list.

    >>> most(["labels", "rows", "none"]), most([])
    ('rows', 'none')
    """
    return max(levels, key=LEVELS.index, default=NONE)


def sentence(estimator: Any, level: str | None = None) -> str:
    """Say in a sentence what a fitted model tells of its training rows.

    >>> from kinfolk import PerTask
    >>> X = np.repeat([[0.0], [9.0]], [12, 3], axis=0)
    >>> print(sentence(PerTask(n_clusters=2).fit(X)))
    The model holds no row; the cluster of each row, in the order of the table, and means of
    clusters. One cluster has fewer than 10 rows: its mean says much about each of them.
    """
    said = f"The model holds {MEANINGS[level or of(estimator)]}."
    sizes = np.asarray(vars(estimator).get("_cluster_sizes", ()))
    few = int(np.sum((sizes > 0) & (sizes < FEW)))
    if few == 1:
        said += f" One cluster has fewer than {FEW} rows: its mean says much about each of them."
    elif few:
        said += (
            f" {few} clusters have fewer than {FEW} rows: their means say much about each of them."
        )
    return said
