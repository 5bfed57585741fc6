"""Shared by co-clustering estimators: encoding of tables as shares, and random starts."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.numerics import coclusters, content_order, distances, doubling, operators, starts
from kinfolk.numerics.coclusters import Domain, State

AUTO = "auto"


def fit_encoding(estimator: Any, X: Table) -> Table:
    """Encode the rows X (n, d) of a fit as non-negative numbers; store the rule for new rows.

    Sets `encoding_`, its name, on the estimator; InputError for negative numbers if it is "raw".
    """
    name = checks.choice("encoding", estimator.encoding, [AUTO, *doubling.ENCODINGS])
    if name == "raw" and (least := operators.entries(X).min(initial=0.0)) < 0:
        raise InputError(
            f"encoding is 'raw' and X has negative numbers, such as {least:.3g}, which are no "
            "counts; choose encoding='doubled', which takes any numbers."
        )
    estimator.encoding_ = doubling.chosen(X) if name == AUTO else name
    estimator._range = tuple(doubling.range_of(X))
    return encode(estimator, X)


def encode(estimator: Any, X: Table) -> Table:
    """Encode new rows X (m, d) as non-negative numbers by the rule of the fit."""
    return doubling.encoded(X, estimator.encoding_, doubling.Range(*estimator._range))


def n_feature_clusters(estimator: Any, d: int) -> int:
    """Check the number of column clusters, and limit it to the number d of columns."""
    return min(checks.at_least("n_feature_clusters", estimator.n_feature_clusters, 1), d)


def first_columns(tables: Sequence[Table], m: int, seed: int) -> Labels:
    """Random clusters (d,) of the columns, from 0 to m - 1; one for each column if m >= d.

    The draws are for the columns in the order of their content in all tables (n_t, d).

    >>> first_columns([np.eye(3)], 3, 0), first_columns([np.ones((2, 4))], 2, 0)
    (array([0, 1, 2]), array([0, 1, 1, 0]))
    """
    d = tables[0].shape[1]
    if m >= d:
        return np.arange(d)
    return np.random.RandomState(seed).randint(m, size=(d,))[places_of_columns(tables)]


def places_of_columns(tables: Sequence[Table]) -> NDArray[np.intp]:
    """Rank (d,) of each column of tables (n_t, d) in the order by content.

    >>> places_of_columns([np.array([[3.0, 0.0, 1.0]])])
    array([2, 0, 1])
    """
    return np.argsort(content_order.columns(operators.vstack(tables)))


def first_rows(domains: Sequence[Domain], init: str, seed: int) -> list[Labels]:
    """First row clusters of each table: k-means on square roots of row shares, or random."""
    if init == "random":
        # One seed for all domains, so that their order does not matter.
        return [
            np.random.RandomState(seed).randint(own.k, size=(own.X.shape[0],)) for own in domains
        ]
    # Unit vectors of roots: their distances are those of Hellinger between shares.
    rows = [distances.unit_rows(roots(domain.X)) for domain in domains]
    return [starts.kmeans(x, own.k, seed) for x, own in zip(rows, domains, strict=True)]


def roots(X: Table) -> Table:
    """Square roots of the entries of a table (n, d)."""
    return cast(Table, np.sqrt(cast(Any, X)))


def start(p: coclusters.Problem, init: str, seed: int) -> State:
    """First state of a co-clustering descent: row clusters by `init`, random column clusters."""
    columns = first_columns([own.X for own in p.domains], p.m, seed)
    return coclusters.state(p, first_rows(p.domains, init, seed), columns)
