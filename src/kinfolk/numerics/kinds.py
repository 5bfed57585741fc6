"""Detects the kind of a table (counts, amounts, measurements) and a suitable affinity.

counts        whole numbers >= 0; in three of four columns 0 is the commonest, then 1: words, ticks;
              and sparse tables of mostly zeros: weighted words
amounts       no number below 0 and a tenth of all exactly 0, in columns of one unit: brightness,
              spectra
measurements  everything else: zero is an arbitrary place on the scale
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.stats import spearmanr

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances, operators

# Of tables of words and ticks .86 of the columns and more have 0 as their commonest value, then 1
# (.72 of the 30 commonest words, stop words among them); of 117 other tables of whole numbers, such
# as patients with their age and sex, .71 and less.
COUNTED_COLUMNS = 0.75

# Measured values are rarely exactly zero; amounts of something often are.
SHARE_OF_ZEROS = 0.1
# In a table of one unit most columns have zeros in at least this share of the rows; in other tables
# few columns have.
SOME_ROWS = 0.05
# Largest ratio of the 90 % and the 10 % quantile of the medians that columns have above 0: 7.6 in
# pictures and other tables of one unit, mostly far more in others. Columns that are almost never
# above 0 (`SOME_ROWS`), such as the corners of a picture, are left out.
TYPICAL_VALUES = 10.0

# In few columns, as purchases of six kinds or visits to eight places, clusters may differ in length
# as well, which cosines do not see; made tables of these have more accurate answers as measurements
# (`docs/labelfree-columns-measured.md`). Pictures have 64 columns and more.
FEWEST_AMOUNTS = 16

# Cosines of amounts compare columns as they are. One that holds most of all squares, as income in a
# currency beside ages does, would decide alone: pictures have .05 and less.
ONE_COLUMN = 0.6

# Weighted words are no counts any more, but most words are missing from most texts: 89 % and more
# of the 350 commonest, where handwritten digits have up to 81 % of blank paper.
MOSTLY_ZEROS = 0.85

# With fewer columns variances may fall by chance.
FEWEST_COMPONENTS = 10
# Rank correlation of variances with the order of columns: of components of a whole collection, in
# selections of some of its classes, .91 and more, of words .88; of 12 measured tables .75 and less.
FALLING = 0.8
# Root mean square of the correlations of columns: in such selections up to .24, and .08 to .2 of
# those with a hundred rows and more.
UNCORRELATED = 0.2
# Different values of a column; ratings and categories have fewer, measured numbers mostly more.
FEW_VALUES = 20
# Values of a column are rounded to this many decimal places before they are compared.
DIGITS = 9
TINY = -3
"""Power of ten below which the largest number of a column makes it one of tiny numbers."""
NOISE = 1e-14
"""Share of the largest number of a table up to which a column may be rounding, as of a center."""

# Of more columns some will do: the correlations of 20,000 would take 3 GB.
MOST_COLUMNS = 500

AUTO = "auto"
"""Name of the affinity that `affinity` chooses by the kind of the table."""

MEASUREMENTS = "measurements"
"""Name of the third kind; as the name of an affinity it means the kernel with local scales.

It is given for tables of prepared columns, whose kind the numbers alone do not show: a category has
as many 0/1 columns as values.
"""


def kind(X: Table) -> str:
    """Classify the table X (n, d) as "counts", "amounts" or "measurements".

    >>> kind(np.array([[3.1, 0.5], [1.0, 2.0]])), kind(np.array([[0, 1], [1, 0], [0, 2]]))
    ('measurements', 'counts')
    """
    X = dense_unless_words(X)
    if sp.issparse(X):
        return "counts"
    if X.min(initial=0.0) < 0:
        return "measurements"
    if _counted(X):
        return "counts"
    has_zeros = np.count_nonzero(X) <= (1 - SHARE_OF_ZEROS) * X.size
    return "amounts" if has_zeros and _in_one_unit(X) else "measurements"


def compared(X: Table) -> str:
    """Classify X (n, d) as `kind` does, but take amounts in few columns for measurements.

    This is how rows are compared where no method says how.

    >>> X = np.array([[0.0, 5.0, 9.0], [7.0, 0.0, 6.0], [4.0, 3.0, 0.0]])
    >>> kind(X), compared(X), compared(np.tile(X, 6))
    ('amounts', 'measurements', 'amounts')
    """
    found = kind(X)
    return MEASUREMENTS if found == "amounts" and X.shape[1] < FEWEST_AMOUNTS else found


def _in_one_unit(X: Matrix) -> bool:
    """True if columns of X (n, d), none of them below 0, may be amounts in one unit.

    Ages beside incomes and answers yes or no are not, whether some of them are 0 or none.

    >>> _in_one_unit(np.array([[0.0, 5.0, 9.0], [7.0, 0.0, 6.0], [4.0, 3.0, 0.0]]))
    True
    >>> _in_one_unit(np.array([[0.0, 61.0, 9.1], [1.0, 34.0, 6.2], [0.0, 48.0, 7.5]]))
    False
    """
    if _one_column_decides(X):
        return False
    if _mostly_zeros(X):
        return True
    zeros = (X == 0).mean(axis=0)
    if 2 * np.count_nonzero(zeros >= SOME_ROWS) < len(zeros) or mostly_yes_no(X):
        return False
    medians = [np.median(x[x > 0]) for x in X.T[1 - zeros >= SOME_ROWS]]
    low, high = np.quantile(medians, [0.1, 0.9]) if medians else (0.0, 0.0)
    return bool(high <= TYPICAL_VALUES * low)


def _one_column_decides(X: Matrix) -> bool:
    """True if one of several columns of X (n, d) holds over three fifths of all squares.

    >>> _one_column_decides(np.array([[0.0, 2.5], [1.5, 0.0]])), _one_column_decides(np.eye(1))
    (True, False)
    """
    # Divided by the largest entry, so that no square overflows.
    squares = np.square(X / max(X.max(initial=0.0), np.finfo(float).tiny)).sum(axis=0)
    return len(squares) > 1 and bool(squares.max() > ONE_COLUMN * squares.sum())


def like_words(X: Table) -> bool:
    """True if X (n, d) looks like counts of words, or has at least 85 % zeros.

    By its numbers alone: a table gives the same answer whether it is held dense or sparse.

    >>> like_words(np.array([[5.1, 3.5], [4.9, 3.0]])), like_words(np.eye(20))
    (False, True)
    """
    if _mostly_zeros(X):
        return True
    return bool(operators.entries(X).min(initial=0.0) >= 0 and _counted(operators.dense(X)))


def _mostly_zeros(X: Table) -> bool:
    n, d = X.shape
    return bool(np.count_nonzero(operators.entries(X)) <= (1 - MOSTLY_ZEROS) * n * d)


def dense_unless_words(X: Table) -> Table:
    """Return X (n, d), dense if it is a sparse table unlike word counts.

    Over 15 % of such a table is no zero, so it takes four times the memory at most; the methods for
    dense tables then give the answer that the same numbers in an array get.

    >>> dense_unless_words(sp.csr_array([[5.1, 3.5]])), sp.issparse(dense_unless_words(sp.eye(20)))
    (array([[5.1, 3.5]]), True)
    """
    return operators.dense(X) if sp.issparse(X) and not like_words(X) else X


def like_components(X: Table) -> bool:
    """True if the columns of X (n, d) look like principal components, as in embeddings.

    Those are uncorrelated, and their variances fall from column to column. All have the unit of the
    columns they were made of: at one scale, the last ones, mostly noise, would count as the first.
    A center, an order of rows or a unit for all columns do not matter.

    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 12)) / np.arange(1, 13)
    >>> like_components(X), like_components(X[:, ::-1]), like_components(X @ np.tri(12))
    (True, False, False)
    """
    n, d = X.shape
    if sp.issparse(X) or d < FEWEST_COMPONENTS or n < 2:
        return False
    some = np.linspace(0, d - 1, min(d, MOST_COLUMNS)).astype(int)
    centered = X[:, some] - distances.center(X[:, some])
    variances = np.square(centered).mean(axis=0)
    if not (variances > 0).all():
        return False
    if -spearmanr(variances, np.arange(len(some))).statistic < FALLING:
        return False
    C = (centered.T @ centered) / n / np.sqrt(np.outer(variances, variances))
    squares = (np.square(C).sum() - len(some)) / (len(some) * (len(some) - 1))
    return bool(squares < UNCORRELATED**2)


def affinity(name: str, X: Table, measured: str = "local-gaussian") -> str:
    """Resolve the name of an affinity: "auto" by the table X (n, d), "measurements" to `measured`.

    Cosines for tables like those of words: there the angle between two rows says what they share.
    Elsewhere the cosines of all pairs may be near 1: a kernel with local scales, since groups
    differ in their spread. Such scales follow gaps between rows, which answers yes and no have
    everywhere: where half of the columns are such, "gaussian". "measurements" is the kernel with
    local scales whatever the numbers are. `measured` is the name of that kernel.

    >>> X = np.array([[5.1, 3.5], [4.9, 3.0], [4.7, 3.2]])
    >>> affinity("auto", X), affinity("auto", np.eye(20))
    ('local-gaussian', 'cosine')
    >>> affinity("measurements", np.eye(20))
    'local-gaussian'
    """
    if name == MEASUREMENTS:
        return measured
    if name != AUTO:
        return name
    if like_words(X):
        return "cosine"
    return "gaussian" if mostly_yes_no(X) else measured


def mostly_yes_no(X: Table) -> bool:
    """True if at least half of the varying columns of X (n, d) are binary.

    >>> mostly_yes_no(np.array([[5.1, 0.0], [4.9, 1.0], [4.7, 1.0]]))
    True
    """
    low = operators.dense(X.min(axis=0)).ravel()
    high = operators.dense(X.max(axis=0)).ravel()
    varying = np.flatnonzero(low < high)
    if X.shape[0] <= 2:  # two rows have no more values
        return False
    # Where rows are held one after the other, each column takes a pass over all of them.
    by_column: Any = sp.csc_array(X) if sp.issparse(X) else X
    columns = (operators.dense(by_column[:, [j]]).ravel() for j in varying)
    answers = [
        np.isin(x, ends).all()
        for x, ends in zip(columns, np.column_stack([low, high])[varying], strict=True)
    ]
    return bool(answers) and bool(2 * sum(answers) >= len(answers))


def different_values(X: Matrix) -> NDArray[np.int64]:
    """Number (d,) of different values in each column of X (n, d), to `DIGITS` decimal places.

    >>> different_values(np.array([[1.0, 1e-11], [1.0, 2e-11], [2.0, 3e-11]]))
    array([2, 3])
    """
    rounded = (X * enlarging(X)).round(DIGITS)
    return np.array([len(np.unique(column)) for column in rounded.T], dtype=np.int64)


def enlarging(X: Matrix) -> Vector:
    """Factors (d,) for columns of tiny numbers, whose values are to be told apart; 1 for others.

    Without them the decimal places of `DIGITS` would depend on units: 2e-11 mol is 20 pmol.

    >>> enlarging(np.array([[500.0, 2e-11, 1e-17], [1.0, 3e-11, 0.0]])).tolist()
    [1.0, 100000000.0, 1.0]
    """
    largest = np.abs(X).max(axis=0, initial=0.0)
    is_number = largest > NOISE * largest.max(initial=0.0)
    power = np.floor(np.log10(np.where(is_number, largest, 1.0)))
    return np.asarray(10.0 ** np.clip(TINY - power, 0.0, 300.0))


def _counted(X: Matrix) -> bool:
    """True if the entries of X (n, d), none of them below 0, look like counts.

    All are whole numbers, and 0 is the commonest in most of the columns that vary, 1 the next: the
    fewest texts have a word, and most of these have it once.

    >>> _counted(np.array([[0, 1], [1, 0], [0, 2]])), _counted(np.array([[1, 5], [1, 4], [2, 1]]))
    (True, False)
    """
    varying = np.flatnonzero((X[:1] != X).any(axis=0))
    # Block by block: the first one with a fraction ends it, and no second table is held.
    parts = (X[rows][:, varying] for rows in operators.blocks(*X.shape))
    if not len(varying) or not all(np.array_equal(part, np.floor(part)) for part in parts):
        return False
    like_counts = sum(_falls_from_zero(X[:, j]) for j in varying)
    return bool(like_counts >= COUNTED_COLUMNS * len(varying))


def _falls_from_zero(x: Vector) -> bool:
    """True if 0 is the commonest of the whole numbers x (n,) and 1, which occurs, the second."""
    zeros = np.count_nonzero(x == 0)
    ones = np.count_nonzero(x == 1)
    if not zeros >= ones > 0:
        return False
    times = np.unique(x[x > 1], return_counts=True)[1]
    return bool(ones >= times.max(initial=0))
