"""Checks rows and weights for methods that sum over rows, in memory or in blocks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from kinfolk.arrays import MatrixLike, Vector
from kinfolk.blocks import Block, Blocks, is_dask
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.numerics import backend
from kinfolk.tables import Tasks, intake
from kinfolk.tables.alignment import some

HEAVIEST = 1e100
"""The largest sum of weights that are multiplied with each other, and 1 over the smallest."""


def in_blocks(X: MatrixLike, estimator: Any) -> bool:
    """True if X is read in blocks: a `Blocks`, a Dask object, or another library's array.

    An array of another library is, if the estimator works where it lies.
    """
    if isinstance(X, Blocks) or is_dask(X):
        return True
    return backend.is_other(X) and bool(estimator.works_elsewhere())


def blocks(
    estimator: BaseEstimator,
    X: MatrixLike,
    *,
    sample_weight: Any = None,
    tasks: Any = None,
    reset: bool = True,
    at_least: int = 1,
) -> Blocks:
    """Return X in checked blocks; with `reset`, set the columns and delete the last results."""
    if reset:
        checks.flags(estimator)
    rows = Blocks.of(X, sample_weight, tasks)
    if reset:
        _set_columns(estimator, rows)
    else:
        _compare_columns(estimator, rows)
    found = rows.facts
    if found.n < at_least:
        raise InputError(f"X has {found.n} rows; give at least {at_least}.")
    if found.bad is not None:
        row, column, value = found.bad
        where = column if rows.feature_names is None else repr(rows.feature_names[column])
        raise InputError(
            f"X has entries that are NaN or infinite (inf), the first is {value} in row {row}, "
            f"column {where}; fill them in or leave the rows out."
        )
    if found.largest > checks.LARGEST[rows.dtype]:
        raise InputError(
            f"X has entries as large as {found.largest:.3g}, whose squares overflow in "
            f"{rows.dtype}; divide the columns by their size."
        )
    _usable(found.lightest, found.mass)
    if reset:
        checks.forget(estimator)
    return rows


def weights_beside(X: MatrixLike, sample_weight: Any) -> Any:
    """Return row weights in the order of a table as it was given, by the index of pandas.

    >>> import pandas as pd
    >>> weights_beside(pd.DataFrame({"x": [1, 2]}, index=[5, 7]), pd.Series([3, 1], index=[7, 5]))
    5    1
    7    3
    dtype: int64
    """
    return intake.in_order_of(X, sample_weight, "sample_weight")


def weights(sample_weight: Any, n: int) -> Vector | None:
    """Return checked row weights (n,), or None without any; InputError if one is negative.

    >>> weights([1, 2], 2)
    array([1., 2.])
    """
    if sample_weight is None:
        return None
    try:
        found: Any = None if isinstance(sample_weight, str) else np.ma.asarray(sample_weight)
    except ValueError:
        raise InputError("sample_weight is no column of numbers; give one for each row.") from None
    if found is None or found.shape != (n,):
        given = "a text" if found is None else f"of shape {found.shape}"
        raise InputError(
            f"sample_weight is {given} and X has {n} rows; give one number of at least 0 for each."
        )
    try:
        weight = found.astype(float).filled(np.nan)  # masked weights, which are then refused
    except (TypeError, ValueError):
        raise InputError("sample_weight has entries that are no numbers; give numbers.") from None
    return usable(weight)


def weights_of_fit(model: Any, sample_weight: Any, tasks: Tasks, k: Sequence[int]) -> Vector | None:
    """Return row weights (n,) in the order of the rows that a fit works on; None if all are 1.

    `k` are the clusters of each task, `model` is the estimator that has sorted its rows.

    Raises
    ------
    InputError : weights cannot be used; fewer rows of a task than clusters have one above 0
    """
    weight = weights(sample_weight, len(tasks.codes))
    if weight is None or (weight == 1).all():
        return None
    weight = _multiplied(model._sorted(weight))
    for name, rows, least in zip(tasks.names, tasks.rows(), k, strict=True):
        there = int(np.count_nonzero(weight[rows]))
        if there < least:
            where = f" of task {name!r}" if len(tasks.names) > 1 else ""
            raise InputError(
                f"n_clusters is {least} but only {there} rows{where} have a sample_weight above 0; "
                "give fewer clusters, or weights to more rows."
            )
    return weight


def weights_of_blocks(found: Blocks) -> Vector | None:
    """Return the row weights (n,) of blocks, in memory; None if they have none."""
    return _multiplied(found.gathered(_weights)) if found.weighted else None


def _multiplied(weight: Vector) -> Vector:
    """Return the weights (n,); InputError if products of them overflow or vanish."""
    mass = float(weight.sum())
    if not 1.0 / HEAVIEST <= mass <= HEAVIEST:
        raise InputError(
            f"sample_weight has the sum {mass:g}, and products of such weights overflow or are 0; "
            "divide all weights by their mean, or give fewer extreme ones."
        )
    return weight


def _weights(block: Block) -> Vector:
    return np.ones(block.shape[0]) if block.weight is None else block.weight


def usable(weight: Vector) -> Vector:
    """Return the weights if all are >= 0 and one is > 0; else InputError."""
    with np.errstate(over="ignore"):  # the sum is then refused
        mass = float(weight.sum())
    _usable(float(weight.min(initial=np.inf)), mass)
    return weight


def _usable(lightest: float, mass: float) -> None:
    """Raise InputError unless weights with this minimum and this sum can be used."""
    if not (lightest >= 0 and 0 < mass < np.inf):
        raise InputError(
            f"sample_weight has the smallest number {lightest:g} and the sum {mass:g}; give finite "
            "numbers of at least 0 that are not all zero."
        )


def _set_columns(estimator: Any, rows: Blocks) -> None:
    vars(estimator).pop("feature_names_in_", None)
    estimator.n_features_in_ = rows.shape[1]
    if rows.feature_names is not None:
        estimator.feature_names_in_ = np.array(rows.feature_names, dtype=object)


def _compare_columns(estimator: Any, rows: Blocks) -> None:
    """Raise InputError unless rows have the columns that the estimator was fitted to."""
    fitted = getattr(estimator, "feature_names_in_", None)
    names = rows.feature_names
    if fitted is not None and names is not None and names != fitted.tolist():
        raise InputError(
            f"X has the columns {some(names)} and the model was fitted to "
            f"{some(fitted.tolist())}; give the same in the same order (columns=)."
        )
    if rows.shape[1] != estimator.n_features_in_:
        raise InputError(
            f"X has {rows.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input; give the columns of the fit."
        )
