"""Means, spreads, quartiles and shares of columns by kind of rows and task."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Matrix, Table
from kinfolk.numerics import rounding
from kinfolk.profiles.cells import Cells, Cube, deviations, divided
from kinfolk.profiles.effects import effects, others
from kinfolk.profiles.values import TERM, ColumnProfile
from kinfolk.tables import answers, columns
from kinfolk.tables.columns import Column

MOST_COLUMNS = 200
"""Of wider tables only the columns that set a kind apart are profiled."""
OF_A_KIND = 20
"""Columns of a wide table that are kept for each kind."""
MOST_VALUES = 20
"""Values of a category that have a share of their own, the most frequent first."""
OTHER = "other values"
OTHER_ANSWERS = "other answers"
_BLOCK = 64
"""Columns that are summed at once, so that copies of a wide table stay small."""

_NUMBERS = (*columns.NUMERIC, columns.DATE)
_QUARTILES = (0.25, 0.5, 0.75)
_NONE = np.empty((0, 0))


def of_columns(table: Sequence[Column], cells: Cells) -> Iterator[ColumnProfile]:
    """Yield profiles of columns; texts, ids, constants and unclear columns have none."""
    together = [column for column in table if column.kind in _NUMBERS]
    numbers = iter(
        _of_numbers(
            np.column_stack([column.values for column in together]),
            [column.name for column in together],
            [column.kind for column in together],
            cells,
        )
        if together
        else []
    )
    for column in table:
        if column.kind in _NUMBERS:
            yield next(numbers)
        elif column.kind == columns.YES_NO:
            yes = np.where(np.isnan(column.values), np.nan, column.values == 1)
            yield _of_shares(column, column.levels[1:] or ("yes",), yes[:, None], cells)
        elif column.kind in (*columns.WITH_LEVELS, columns.ORDERED):
            values, coded = _coded(column, cells)
            if values:
                yield _of_shares(column, values, coded, cells)


def of_numbers(
    X: Table, names: Sequence[str], taken_for: Sequence[str], cells: Cells
) -> list[ColumnProfile]:
    """Profile numeric columns X (n, d); of more than 200, only those that set a kind apart.

    X is dense or CSR, with NaN for gaps.
    """
    if X.shape[1] > MOST_COLUMNS:
        kept = telling(np.hstack([_effects_of(block, cells) for block in blocks(X)]))
        names = [names[j] for j in kept]
        taken_for = [taken_for[j] for j in kept]
        X = X[:, kept]
    return _of_numbers(X, names, taken_for, cells)


def _of_numbers(
    X: Table, names: Sequence[str], taken_for: Sequence[str], cells: Cells
) -> list[ColumnProfile]:
    """Compute the profiles of all numeric columns."""
    found = []
    start = 0
    for block in blocks(X):
        count, mean, deviation = moments(block, cells)
        quartiles = _quartiles(block, cells)
        d = effects(mean, deviation, count)
        beside = others(mean, count)
        for j in range(block.shape[1]):
            found.append(
                ColumnProfile(
                    name=names[start + j],
                    taken_for=taken_for[start + j],
                    values=(),
                    count=count[:, :, j].astype(int),
                    gaps=_gaps(count[:, :, j], cells),
                    shares=np.empty((*count.shape[:2], 0)),
                    mean=mean[:, :, j],
                    deviation=deviation[:, :, j],
                    lower=quartiles[0][:, :, j],
                    median=quartiles[1][:, :, j],
                    upper=quartiles[2][:, :, j],
                    effects=d[:, [j]],
                    others=beside[:, [j]],
                )
            )
        start += block.shape[1]
    return found


def of_terms(X: Table, names: Sequence[str], cells: Cells) -> list[ColumnProfile]:
    """Return shares of rows with a term, for counts X (n, d); only terms that set a kind apart."""
    present = sp.csr_array(X) > 0
    sizes = np.broadcast_to(cells.sizes[:, :, None], (*cells.sizes.shape, X.shape[1])).astype(float)
    share = divided(cells.sums(present.astype(float)), sizes)
    d = effects(share, np.sqrt(share * (1 - share)), sizes)
    beside = others(share, sizes)
    # A term that a kind lacks says little, so only terms that it has more often are kept.
    return [
        ColumnProfile(
            name=names[j],
            taken_for=TERM,
            values=("present",),
            count=cells.sizes,
            gaps=_gaps(sizes[:, :, j], cells),
            shares=share[:, :, [j]],
            mean=_NONE,
            deviation=_NONE,
            lower=_NONE,
            median=_NONE,
            upper=_NONE,
            effects=d[:, [j]],
            others=beside[:, [j]],
        )
        for j in telling(np.maximum(d, 0))
    ]


def moments(V: Matrix, cells: Cells) -> tuple[Cube, Cube, Cube]:
    """Count, mean and standard deviation (K + 1, T + 1, d) of columns with gaps.

    >>> cells = Cells.of([0, 0, 1], ["a", "a", "a"])
    >>> count, mean, deviation = moments(np.array([[1.0], [3.0], [np.nan]]), cells)
    >>> count[:, -1, 0], mean[:, -1, 0], deviation[:, -1, 0]
    (array([2., 0., 2.]), array([ 2., nan,  2.]), array([ 1., nan,  1.]))
    """
    there = ~np.isnan(V)
    count = cells.sums(there.astype(float))
    zero = np.where(there, V, 0.0)
    # Sums about the column's own mean: about 0 they would lose digits of dates.
    center = zero.sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    centered = np.where(there, V - center, 0.0)
    shift = divided(cells.sums(centered), count)
    own = np.where(there, shift[cells.kind_of, cells.task_of], 0.0)
    return count, center + shift, deviations(cells.sums((centered - own) ** 2), shift, count)


def _quartiles(V: Matrix, cells: Cells) -> list[Cube]:
    """Lower quartile, median and upper quartile, (K + 1, T + 1, d) each, of columns with gaps."""
    shape = (len(cells.kinds) + 1, len(cells.tasks) + 1, V.shape[1])
    found = np.full((3, *shape), np.nan)
    for k, t, rows in cells.rows():
        own = V[rows]
        gaps = np.isnan(own)
        complete = ~gaps.any(axis=0) & (len(rows) > 0)
        if complete.any():
            found[:, k, t, complete] = np.quantile(own[:, complete], _QUARTILES, axis=0)
        for j in np.flatnonzero(~complete & ~gaps.all(axis=0)):
            found[:, k, t, j] = np.quantile(own[~gaps[:, j], j], _QUARTILES)
    return list(found)


def _of_shares(
    column: Column, values: tuple[str, ...], coded: Matrix, cells: Cells
) -> ColumnProfile:
    """Profile of a category from its 0/1 columns (n, V), NaN for gaps."""
    count, _, deviation = moments(coded, cells)
    # By counting, because a mean taken about a center leaves 1e-16 in the place of 0.
    share = divided(cells.sums(np.nan_to_num(coded)), count)
    return ColumnProfile(
        name=column.name,
        taken_for=column.kind,
        values=values,
        count=count[:, :, 0].astype(int),
        gaps=_gaps(count[:, :, 0], cells),
        shares=share,
        mean=_NONE,
        deviation=_NONE,
        lower=_NONE,
        median=_NONE,
        upper=_NONE,
        effects=effects(share, deviation, count),
        others=others(share, count),
    )


def _coded(column: Column, cells: Cells) -> tuple[tuple[str, ...], Matrix]:
    """Return a category's common values or answers, all others as one, and 0/1 columns (n, V)."""
    if column.kind == columns.SEVERAL:
        given = answers.of_column(column)
        named = answers.common(given, cells.task_of)[:MOST_VALUES]
        more = bool(named) and not {answer for found in given for answer in found} <= {*named}
        return (*named, *[OTHER_ANSWERS] * more), answers.coded(given, named, more)
    words = columns.words(column.values)
    if column.kind == columns.ORDERED:
        named = list(column.levels)
    else:
        named = columns.common_values(words, cells.task_of)[:MOST_VALUES]
    place = {value: float(v) for v, value in enumerate(named)}
    gap, rare = -2.0, -1.0
    code = np.array([gap if w is None else place.get(w, rare) for w in words.tolist()])
    numbers = [*range(len(named)), *([rare] if named and (code == rare).any() else [])]
    coded = (code[:, None] == np.array(numbers)).astype(float)
    coded[code == gap] = np.nan
    return (*named, OTHER)[: len(numbers)], coded


def _gaps(count: NDArray[Any], cells: Cells) -> Matrix:
    """Share of rows (K + 1, T + 1) without a value; NaN where there are no rows."""
    return 1 - divided(count.astype(float), cells.sizes)


def _effects_of(block: Matrix, cells: Cells) -> Matrix:
    count, mean, deviation = moments(block, cells)
    return effects(mean, deviation, count)


def blocks(X: Table) -> Iterator[Matrix]:
    """Yield blocks of columns of a table as dense arrays, so that only one is dense at a time."""
    sparse = sp.issparse(X)
    by_column: Any = sp.csc_array(X) if sparse else np.asarray(X, dtype=float)
    for start in range(0, X.shape[1], _BLOCK):
        block = by_column[:, start : start + _BLOCK]
        yield block.toarray() if sparse else block


def telling(d: Matrix) -> list[int]:
    """Positions, ascending, of the 20 columns with the largest effects (K, d) on each kind."""
    size = rounding.comparable(np.nan_to_num(np.abs(d)))
    best = np.argsort(-size, axis=1, kind="stable")[:, :OF_A_KIND]
    kept = {int(j) for k, row in enumerate(best) for j in row if size[k, j] > 0}
    return sorted(kept)
