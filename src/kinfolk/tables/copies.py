"""Finds columns that repeat another one in other units or words, and would count twice.

Numbers are a copy of others if, within each data set, they are a linear function of them but for
rounding: the residuals of a regression are within the steps in which the two are written, and the
squared correlation is at least `LEAST`. Coarse numbers, such as grades from 1 to 5, are then copies
only if they are equal, or turned around. Categories, with yes and no, are copies if each value
stands beside one value of the other column alone.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.tables import columns
from kinfolk.tables.columns import Column

LEAST = 0.998
"""Squared correlation of a column with a copy that is rounded to a tenth of its spread."""

FEWEST_ROWS = 10
"""Fewer rows may agree by chance."""

MOST_COLUMNS = 200
"""Wider tables are pixels, terms or genes, of which several may well say the same."""

_WITH_VALUES = (columns.YES_NO, columns.CATEGORY)

_SAMPLE = 2_000

ROUNDING = 0.75
"""Residuals are within half a step of either column, and half as much again by the regression."""


def marked(table: Sequence[Column], codes: Labels, kept: Collection[str] = ()) -> list[Column]:
    """Return columns with kind "copy" for those that say the same as another one.

    Parameters
    ----------
    codes : (n,) the position of each row's data set
    kept : names of columns that stay what they are

    Examples
    --------
    >>> plan = Column("plan", "category", "", np.array(["pro", "free"] * 10, dtype=object))
    >>> code = Column("code", "category", "", np.array(["P", "F"] * 10, dtype=object))
    >>> [column.kind for column in marked([plan, code], np.zeros(20, dtype=int))]
    ['category', 'copy']
    """
    made = list(table)
    for kinds, numbers_of, search in (
        (columns.NUMERIC, _values_of, found),
        (_WITH_VALUES, _codes_of, _same_values),
    ):
        own = [j for j, column in enumerate(table) if column.kind in kinds]
        if not 1 < len(own) <= MOST_COLUMNS:
            continue
        X = np.column_stack([numbers_of(table[j]) for j in own])
        for copy, original in search(X, codes).items():
            column = table[own[copy]]
            if column.name not in kept:
                reason = why(column.name, table[own[original]].name, column.kind)
                made[own[copy]] = replace(column, kind=columns.COPY, reason=reason)
    return made


def without(
    X: Matrix, names: tuple[str, ...], codes: Labels, kept: Collection[str] = ()
) -> tuple[Matrix, tuple[str, ...], list[str]]:
    """Return numbers X (n, d) and names without copies, and sentences on these.

    >>> cm = np.array([3.0, 5.0, 4.0, 9.0, 7.0, 8.0, 2.0, 6.0, 1.0, 2.5, 3.5, 4.5])
    >>> X, names, told = without(np.column_stack([cm, cm / 2.54]), ("cm", "in"), np.zeros(12))
    >>> names, told
    (('cm',), ["'in' says what 'cm' says and is left out (kf.read(..., kinds={'in': 'number'})
    keeps it)."])
    """
    copies = {copy: j for copy, j in found(X, codes).items() if names[copy] not in kept}
    rest = [j for j in range(len(names)) if j not in copies]
    told = [
        f"{names[copy]!r} {why(names[copy], names[j], columns.NUMBER, ' and is left out')}."
        for copy, j in copies.items()
    ]
    return X[:, rest] if copies else X, tuple(names[j] for j in rest), told


def why(name: str, original: str, kind: str, more: str = "") -> str:
    """Reason why a column is a copy, with the option or argument by which it stays.

    >>> why("in", "cm", "number")
    "says what 'cm' says (kf.read(..., kinds={'in': 'number'}) keeps it)"
    """
    asked = columns.NUMBER if kind == columns.AMOUNT else kind
    return f"says what {original!r} says{more} ({columns.taken_as(name, asked)} keeps it)"


def found(X: Matrix, codes: Labels) -> dict[int, int]:
    """Return copy -> original, as positions of columns of numbers X (n, d), NaN in gaps.

    Of several columns that say the same the one with fewest gaps is the original, else the first.

    Parameters
    ----------
    codes : (n,) the position of each row's data set, each of which may have units of its own

    Examples
    --------
    >>> meters = np.random.default_rng(0).normal(1.7, 0.1, size=50)
    >>> inches = (meters / 0.0254).round(1)
    >>> found(np.column_stack([inches, np.arange(50.0), meters]), np.zeros(50, dtype=int))
    {2: 0}
    """
    n, d = X.shape
    if n < FEWEST_ROWS or not 1 < d <= MOST_COLUMNS:
        return {}
    # A sample of rows finds the few pairs that are worth a look at all rows.
    sample = np.random.default_rng(0).permutation(n)[:_SAMPLE]
    alike = _alike(X[sample], codes[sample])
    copies: dict[int, int] = {}
    for original, copy in _pairs(X, copies):
        if alike[original, copy] and _is_linear(X[:, [original, copy]], codes):
            copies[copy] = original
    return copies


def _same_values(X: Matrix, codes: Labels) -> dict[int, int]:
    """Return copy -> original, as positions of columns of codes of values X (n, d), NaN in gaps."""
    n_values = [len(np.unique(x[~np.isnan(x)])) for x in X.T]
    copies: dict[int, int] = {}
    for original, copy in _pairs(X, copies):
        if n_values[original] == n_values[copy] > 1:
            pair = X[:, [original, copy]]
            there = np.asarray(~np.isnan(pair).any(axis=1))
            both = pair[there] @ [1.0, n_values[original]]
            if len(np.unique(both)) == n_values[original] and _may_be_copy(pair, there):
                copies[copy] = original
    return copies


def _values_of(column: Column) -> Vector:
    """Values of a column of numbers (n,), NaN in gaps."""
    return np.asarray(column.values, dtype=np.float64)


def _codes_of(column: Column) -> Vector:
    """Position of each value among the different values of a column (n,), NaN in gaps."""
    words = columns.words(column.values)
    gaps = columns.gaps(words)
    coded = np.full(len(words), np.nan)
    coded[~gaps] = np.unique(words[~gaps].astype(str), return_inverse=True)[1]
    return coded


def _pairs(X: Matrix, copies: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield positions of pairs of columns, fewer gaps first, but for those that are in `copies`."""
    order = np.argsort(np.isnan(X).sum(axis=0), kind="stable").tolist()
    for place, original in enumerate(order):
        for other in order[place + 1 :]:
            if original not in copies and other not in copies:
                yield original, other


def _may_be_copy(pair: Matrix, there: NDArray[np.bool_]) -> bool:
    """True if the second column (n, 2) has gaps where the first has, and enough rows vary."""
    # What the first lacks and the second has would be lost.
    if (np.isnan(pair[:, 0]) & ~np.isnan(pair[:, 1])).any():
        return False
    # Rare answers may be in the same rows by chance.
    return _usual(pair[there, 0]) <= there.sum() - FEWEST_ROWS


def _alike(X: Matrix, codes: Labels) -> NDArray[np.bool_]:
    """Mark pairs (d, d) of columns that correlate enough within data sets to be compared."""
    Z = np.zeros_like(X)
    for rows in _rows(codes):
        own = X[rows]
        there = ~np.isnan(own)
        counts = np.maximum(there.sum(axis=0), 1)
        away = np.where(there, own - np.nan_to_num(own).sum(axis=0) / counts, 0.0)
        # Each data set by its own unit.
        size = np.sqrt((away**2).sum(axis=0))
        Z[rows] = np.divide(away, size, out=np.zeros_like(away), where=size > 0)
    # Where one has gaps the other has none, the sum of squares of the other is too large.
    there = ~np.isnan(X)
    products = np.abs(Z.T @ Z)
    common = there.T.astype(float) @ (Z**2)
    return products**2 >= 0.9 * LEAST * common * common.T


def _is_linear(pair: Matrix, codes: Labels) -> bool:
    """True if the second column (n, 2) is a linear function of the first but for rounding."""
    there = np.asarray(~np.isnan(pair).any(axis=1))
    if not _may_be_copy(pair, there):
        return False
    step, other_step = map(_step, pair.T)
    for rows in _rows(codes):
        own = pair[rows][there[rows]]
        if len(own) < 3:
            continue
        x, y = (own - own.mean(axis=0)).T
        xx, xy, yy = x @ x, x @ y, y @ y
        if xx == 0 or yy == 0:
            if xx or yy:
                return False
            continue
        slope = xy / xx
        bound = ROUNDING * (other_step + abs(slope) * step) + 1e-9 * np.sqrt(yy)
        if xy**2 < LEAST * xx * yy or np.abs(y - slope * x).max() > bound:
            return False
    return True


def _usual(values: Vector) -> int:
    """Number of rows that have the most frequent value of a column."""
    return int(np.unique(values, return_counts=True)[1].max(initial=0))


def _rows(codes: Labels) -> Iterator[NDArray[np.intp]]:
    """Yield the positions of the rows of each data set."""
    for t in np.unique(codes):
        yield np.flatnonzero(codes == t)


def _step(values: Vector) -> float:
    """Smallest difference of two values of a column, beyond errors of rounding; 0 without one."""
    distinct = np.unique(values[~np.isnan(values)])
    if len(distinct) < 2:
        return 0.0
    differences = np.diff(distinct)
    real = differences > 1e-9 * np.abs(distinct).max()
    return float(differences[real].min()) if real.any() else 0.0
