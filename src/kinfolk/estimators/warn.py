"""Warnings of estimators about tables and clusters, one sentence each."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from kinfolk.arguments import spelled
from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.errors import (
    EmptyClusterWarning,
    ManyColumnsWarning,
    ScaleWarning,
    SharingWarning,
    SingleColumnWarning,
    warn_user,
)
from kinfolk.numerics import distances, dominance, operators

UNIT_LENGTH = (0.5, 2.0)
"""Rows count as of unit length if the root mean square of their lengths lies between these."""

ROUNDED = 1e12
"""Squared ratio of mean to deviations above which distances of sparse rows are rounding.

Distances are differences of squares, of 16 digits: where the mean is a million times as long as the
deviations, these keep four digits. Of dense rows the mean is subtracted before.
"""

NEARLY_PARALLEL = 100.0
"""Squared ratio of mean to deviations above which all rows have nearly the same direction.

Rows whose mean is 10 times as long as their deviations are within some 6 degrees of it.
"""


_COLUMNS: ContextVar[tuple[str, ...]] = ContextVar("_COLUMNS", default=())


@contextmanager
def columns_named(names: Sequence[str]) -> Iterator[None]:
    """Context in which warnings name the columns of arrays, which have no names of their own.

    names : (d,) of the columns; arrays of other widths are not concerned
    """
    token = _COLUMNS.set(tuple(names))
    try:
        yield
    finally:
        _COLUMNS.reset(token)


def compared(estimator: Any) -> str:
    """Return what an estimator compares of rows: "distances", "directions", ...

    Names are those of `numerics.dominance.shares`. Cosines compare directions and other affinities
    distances; an estimator without an affinity names it in its attribute `compares`.
    """
    affinity = getattr(estimator, "affinity", None)
    if affinity is None:
        return getattr(estimator, "compares", "distances")
    cosines = isinstance(affinity, str) and affinity == "cosine"
    return "directions" if cosines else "distances"


def of_empty_clusters(
    labels: Labels, codes: Labels, names: Sequence[Any], k: Sequence[int]
) -> None:
    """Warn if a task t has fewer than k[t] clusters with rows; codes (n,) are task positions."""
    found = []
    for t, (name, k_t) in enumerate(zip(names, k, strict=True)):
        used = len(np.unique(labels[codes == t]))
        if used < k_t:
            where = f" in task {name!r}" if len(names) > 1 else ""
            found.append(f"{used} of {k_t} clusters{where}")
    if found:
        warn_user(
            f"only {first_three(found)} have rows: ask for fewer clusters, or look for "
            "rows that are equal or zero and for columns that hide the others.",
            EmptyClusterWarning,
        )


def of_table(estimator: Any, X: Table, compares: str | None = None) -> None:
    """Warn of a dominating column or row, or of rows far from 0, if that harms the estimator.

    `compares` is as `compared` returns it, which is taken if it is None. An estimator that
    measures from 0 although it compares distances says so in its attribute `from_zero`.
    """
    compares = compared(estimator) if compares is None else compares
    told = of_scale(X, compares, getattr(estimator, "feature_names_in_", None))
    told = of_lost_digits(X) or told
    if not told and getattr(estimator, "from_zero", compares in ("lengths", "directions")):
        of_far_rows([X])


def of_scale(X: Table, compares: str, names: Any = None) -> bool:
    """Warn if one column or row of X (n, d) dominates all others by its size.

    Return True if one does.

    Parameters
    ----------
    compares : as `compared` returns it; "nothing" never warns
    names : (d,) of the columns, or None
    """
    if sp.issparse(X) or compares == "nothing" or 0 in X.shape:
        return False
    shares = dominance.shares(X, compares)
    row = int(shares.rows.argmax())
    column = dominance.dominant(shares.columns)
    whole = "the variance" if compares == "distances" else "the squared length"
    if shares.rows[row] > dominance.NEARLY_ALL and len(X) > 2:
        warn_user(
            f"row {row} carries more than 99 % of {whole} of all rows, so that it hides what the "
            "others have in common: leave it out, or bring rows to unit length.",
            ScaleWarning,
        )
        return True
    if names is None and len(_COLUMNS.get()) == X.shape[1]:
        names = _COLUMNS.get()
    if column is not None:
        which = column if names is None else repr(str(names[column]))
        share = shares.columns[column]
        alone = share > dominance.NEARLY_ALL
        size = "more than 99 %" if alone else f"{share:.0%}".replace("%", " %")
        rule = "it alone decides" if alone else "it decides more than all others together"
        warn_user(
            f"column {which} carries {size} of {whole} of all columns, so that {rule} which rows "
            f"are alike: bring columns to one scale ({_scale('standard')}), or leave it out.",
            ScaleWarning,
        )
    return column is not None


def _scale(name: str) -> str:
    """Return the text of the command-line option, or of the Python call, that scales by `name`."""
    return spelled(f"--scale {name}", f"kf.Preparation(scale={name!r})")


def of_deciding_column(
    estimator: Any, tables: Sequence[Table], labels: Sequence[Labels], tasks: Sequence[Any]
) -> None:
    """Warn if the clusters of a task are the values of a single column.

    Graphs and mixtures find the values of a binary column as groups without any overlap, and then
    no other column counts.
    """
    columns = [dominance.deciding_column(X, own) for X, own in zip(tables, labels, strict=True)]
    names = getattr(estimator, "feature_names_in_", range(tables[0].shape[1]))
    found = [
        f"column {names[j]!s}" + (f" in task {task!r}" if len(tasks) > 1 else "")
        for task, j in zip(tasks, columns, strict=True)
        if j is not None
    ]
    if found:
        warn_user(
            f"clusters are the values of {first_three(found, 'in ')}, and no other column counts: "
            "leave it out if these are not the groups you look for, or take a method that weighs "
            "all columns, such as MEC.",
            SingleColumnWarning,
        )


def of_separable_rows(X: Table, other: str) -> None:
    """Warn if X (n, d) has d >= n: one covariance can make any division of the rows look good.

    `other` names a method that can take such rows.
    """
    n, d = X.shape
    if 1 < n <= d:
        warn_user(
            f"X has {d:,} columns and {n:,} rows, so that some covariance separates any division "
            "of the rows, and the clusters may be those of the k-means start: reduce the columns, "
            f"for example with sklearn.decomposition.TruncatedSVD, or take {other}.",
            ManyColumnsWarning,
        )


def of_lost_digits(X: Table) -> bool:
    """Warn, and return True, if sparse rows lie so far from 0 that their distances are rounding."""
    lost = sp.issparse(X) and _are_far(X, ROUNDED)
    if lost:
        warn_user(
            "rows of a sparse table lie so far from 0 that their differences are lost in rounding: "
            "give a dense table, such as X.toarray(), or subtract the mean of each column.",
            ScaleWarning,
        )
    return lost


def of_far_rows(tables: Sequence[Table]) -> None:
    """Warn if dense rows lie so far from 0 that all have nearly the same direction.

    For methods that measure lengths or directions from 0; distances do not depend on where 0 is.
    """
    if any(not sp.issparse(X) and _are_far(X, NEARLY_PARALLEL) for X in tables):
        warn_user(
            "rows lie so far from 0 that all point nearly the same way, and this method measures "
            f"from 0: subtract the mean of each column ({_scale('standard')}), or take a method "
            "that compares distances, such as MEC.",
            ScaleWarning,
        )


def _are_far(X: Table, far: float) -> bool:
    """True if rows differ by far less than their distance from 0, but do differ."""
    if not distances.is_far(X, far):
        return False
    entries: Any = X if sp.issparse(X) else operators.dense(X)
    return bool(np.any(operators.dense(entries.max(axis=0) - entries.min(axis=0))))


def unless_unit_length(X: Table, parameter: str) -> None:
    """Warn if rows of X (n, d) are far from unit length, which a parameter assumes."""
    size = float(np.sqrt(np.mean(distances.squared_norms(X))))
    low, high = UNIT_LENGTH
    if not low <= size <= high:
        warn_user(
            f"rows of X have length {size:.3g} and {parameter} is meant for rows of length 1: "
            f"bring rows to unit length ({_scale('unit')}), or try several values of it.",
            ScaleWarning,
        )


def of_other_groups(tables: Mapping[str, Table], V: Matrix, centers: str, advice: str) -> list[str]:
    """Warn if rows lie farther from all centers V (k, d) than from their own mean; return where.

    Such centers, which come from elsewhere, say less of the rows than no clusters at all. Distances
    from their own mean are those of the variance without bias; a single row has none.

    Parameters
    ----------
    tables : name of a task, or "", -> its rows (n, d)
    centers, advice : words for one center, and for what to do instead of using the centers
    """
    far = []
    for name, X in tables.items():
        n = X.shape[0]
        nearest = float(np.sum(distances.squared(X, V).min(axis=1)))
        if (n - 1) * nearest > n * distances.scatter(X):
            far.append(name)
    if not far:
        return far
    of = f" of {first_three(far)}" if far[0] else ""
    warn_user(
        f"rows{of} lie farther from the nearest {centers} than from their own mean: it describes "
        f"other groups, or columns in other units. Compare the units, or {advice}.",
        SharingWarning,
    )
    return far


def unless_converged(estimator: Any) -> None:
    """Warn if `max_iter` stopped the descent of a fitted estimator before convergence."""
    # An estimator without sweeps of its own fits others, which warn by themselves.
    if hasattr(estimator, "max_iter") and not estimator.converged_:
        warn_user(
            f"{type(estimator).__name__} stopped after {estimator.n_iter_} sweeps, the most that "
            "max_iter allows, and before its end: its clusters may change with more of them. "
            "Raise max_iter.",
            ConvergenceWarning,
        )


def of_unreached_rows(n: int) -> None:
    """Warn if n > 0 rows have no path in the graph to a row with a known label."""
    if n:
        warn_user(
            f"{n} rows of unknown label are linked to no row of known label, not through others "
            "either: they get the most frequent known class. Raise n_neighbors to link them.",
            SharingWarning,
        )


def first_three(tasks: Sequence[str], preposition: str = "") -> str:
    """Name three of the tasks at most, and how many more there are.

    >>> first_three(["task 'a'", "task 'b'", "task 'c'", "task 'd'", "task 'e'"])
    "task 'a', task 'b', task 'c' and 2 more tasks"
    """
    more = f" and {preposition}{len(tasks) - 3} more tasks" if len(tasks) > 3 else ""
    return ", ".join(tasks[:3]) + more
