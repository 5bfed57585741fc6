"""Profiles of groups of rows in the user's units: sizes, means, differences, typical rows.

A kind is the clusters of all tasks that match. Profiles are made from the rows before preparation:
numbers in their units, categories as words, dates as dates, gaps as gaps.

>>> import numpy as np
>>> import kinfolk as kf
>>> frame = {
...     "income": [21.0, 23.0, 90.0, 31.0, None, 99.0],
...     "plan": ["free", "free", "pro", "free", "free", "pro"],
... }
>>> tasks = np.array(["PT", "PT", "PT", "SE", "SE", "SE"])
>>> data = kf.RelatedData(
...     "customers", tasks, np.arange(1, 7), columns=kf.describe(frame).columns
... )
>>> found = profile(data, [0, 0, 1, 0, 0, 1], names={0: "families"})
>>> found.kinds, found.tasks, [found.called(k) for k in (0, 1, -1)]
((0, 1), ('PT', 'SE'), ['families', 'kind 1', 'all kinds'])

Arrays have a place for each kind and each task, and a last one for all of them:

>>> found.sizes
array([[2, 2, 4],
       [1, 1, 2],
       [3, 3, 6]])
>>> income, plan = found.columns
>>> income.mean
array([[22.        , 31.        , 25.        ],
       [90.        , 99.        , 94.5       ],
       [44.66666667, 65.        , 52.8       ]])
>>> income.gaps[0], plan.values, plan.shares[0, -1]
(array([0.  , 0.5 , 0.25]), ('free', 'pro'), array([1., 0.]))

Text for a page, by position of kind and task; -1 stands for all:

>>> [income.shown(0, t) for t in (0, 1, -1)], plan.shown(1, -1, value=1)
(['22', '31', '25'], '100 %')
>>> for difference in found.differences(0):
...     print(difference)
plan = free: 100 % beside 0 % (+2.1)
plan = pro: 0 % beside 100 % (−2.1)
income: 25 beside 93 (−2.1)

`typical_rows(kind)`, `cautions`, `frame()` and `csv()` are described at `Profiles`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from kinfolk.arrays import Table
from kinfolk.profiles import cautions, summaries, typical, units
from kinfolk.profiles.cells import Cells
from kinfolk.profiles.values import ColumnProfile, Difference, Profiles, TypicalRow
from kinfolk.tables import RelatedData, columns

__all__ = ["ColumnProfile", "Difference", "Profiles", "TypicalRow", "profile"]


def profile(
    data: RelatedData,
    kinds: ArrayLike,
    X: Table | None = None,
    feature_names: tuple[str, ...] = (),
    names: Mapping[int, str] | None = None,
    clusters: ArrayLike | None = None,
    terms: tuple[Table, tuple[str, ...]] | None = None,
) -> Profiles:
    """Return sizes, values and typical rows of each kind (group of matched clusters).

    Parameters
    ----------
    data : the n rows before preparation
    kinds : (n,) the kind of each row, `matched_labels_` of a model
    X : (n, d) the rows as prepared, for typical rows and cautions; of texts, the counts of terms
    feature_names : (d,) the columns of X, for texts
    names : kind number -> name
    clusters : (n,) the cluster of each row within its task; None: the kinds
    terms : counts (n, m) of terms that describe the rows in place of their columns, and their
        names (m,); None: no others
    """
    cells = Cells.of(kinds, data.tasks)
    with_units = _with_units(_columns(data, cells, X, feature_names, terms), data)
    found = Profiles(
        kinds=cells.kinds,
        tasks=cells.tasks,
        sizes=cells.sizes,
        columns=tuple(units.without_averages(column, cells.tasks) for column in with_units),
        names={} if names is None else names,
        typical=() if X is None else tuple(typical.rows(X, cells, data.row_ids)),
    )
    if X is None:
        return found
    numbers = np.asarray(kinds if clusters is None else clusters, dtype=int)
    told = cautions.sentences(found, cells, X, numbers, data.row_ids, data.columns is not None)
    return replace(found, cautions=tuple(told))


def _columns(
    data: RelatedData,
    cells: Cells,
    X: Table | None,
    feature_names: tuple[str, ...],
    terms: tuple[Table, tuple[str, ...]] | None,
) -> list[ColumnProfile]:
    """Profile the terms, if given, else the data's columns, counts or numbers, as it has them."""
    if terms is not None:
        return summaries.of_terms(*terms, cells)
    if data.columns is not None:
        return list(summaries.of_columns(data.columns, cells))
    counts = X if data.texts is not None else data.X
    if counts is None:
        return []
    names = feature_names if data.texts is not None else data.feature_names
    names = names or tuple(f"column {j}" for j in range(counts.shape[1]))
    if data.texts is not None or _holds_counts(counts):
        return summaries.of_terms(counts, names, cells)
    return summaries.of_numbers(counts, names, [columns.NUMBER] * len(names), cells)


def _with_units(found: Iterable[ColumnProfile], data: RelatedData) -> Iterator[ColumnProfile]:
    """Yield the profiles, those of numbers with the unit that their column has in the table."""
    written = {column.name: column.written for column in data.columns or ()} or data.written
    for column in found:
        unit = columns.unit(written.get(column.name, "")) if column.is_number else ""
        yield replace(column, unit=unit) if unit else column


def _holds_counts(X: Any) -> bool:
    """True for a sparse table without negative entries."""
    sparse = sp.issparse(X)
    return bool(sparse and X.nnz > 0 and X.data.min() >= 0)
