"""Transforms of a table (unit rows, tf-idf, z-scores, ...) for methods and for scoring clusterings.

The kind of a table (`numerics.kinds`) decides which representations make sense:

    raw           the rows as they are
    unit          rows of Euclidean length 1
    tf-idf        counts times ln((1 + n) / (1 + df)) + 1, with rows of length 1
    log weights   ln(1 + count) times ln((1 + n) / (1 + df)) + 1
    log tf-idf    the same, with rows of length 1
    z-scores      each column of each task with mean 0 and variance 1, where it varies
                  (columns that are scaled already: mean 0 alone)
    with offset   rows less their mean, with a further column c of ten times their usual length
    z-scores with offset  z-scores, with a further column c = 10 sqrt(d)

Skewed columns of measurements are logarithms in all of them (`preparation.logarithms`), unless the
columns are scaled already.

The tenth use of a word in a text says less than the first: hence the logarithm, which leaves shares
well below 1 nearly as they are. Counts are scored without it (`docs/labelfree-steps.md`).

The angle at an arbitrary zero means nothing. With the further column 1 - cos(x, y) is about
|x - y|^2 / (2 c^2), the squared Euclidean distance. Scores use cosines: of tf-idf for counts, of
the raw rows for amounts, of z-scores with offset for measurements.

Tasks share nothing here but the weights ln(...) of the columns of counts, which come from all rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.errors import InputError
from kinfolk.numerics import distances, kinds, operators
from kinfolk.preparation import logarithms, scaling, words

# The constant column in units of the root mean square length of the rows: cosines then order rows
# as squared distances do, to about 1 %.
OFFSET_LENGTH = 10.0


@dataclass(frozen=True)
class Representations:
    """Transforms learned from a table that represent its rows, and new rows, in several forms.

    Attributes
    ----------
    kind : "counts", "amounts" or "measurements"
    idf : (d,) inverse document frequency weights of counts, else empty
    means, spreads : (T, d) means and standard deviations per task, for z-scores; empty for counts.
        Of columns that are scaled already, or principal components, a spread is 1, or 0 where the
        column does not vary
    logs : (2, d) of `logarithms.terms`; empty if the columns stay as they are
    """

    kind: str
    idf: NDArray[np.float64]
    means: NDArray[np.float64]
    spreads: NDArray[np.float64]
    logs: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))

    @classmethod
    def of(cls, X: Table, codes: Labels, columns_are_scaled: bool = False) -> Self:
        """Learn the transforms from rows X (n, d), whose tasks are at positions (n,).

        If the columns are scaled already, X is a table of measurements and keeps their scale, as
        do measurements that look like principal components (`kinds.like_components`);
        InputError if it is sparse, because centered columns would fill every zero.

        >>> found = Representations.of(np.array([[3.1, 0.5], [1.0, 2.0]]), np.array([0, 0]))
        >>> found.kind, found.for_kmeans
        ('measurements', ('raw', 'z-scores', 'unit'))
        """
        if columns_are_scaled and sp.issparse(X):
            raise InputError(
                "columns_are_scaled is True and X is sparse, which it would not be less its mean: "
                "give a dense table, or leave columns_are_scaled out."
            )
        # The zeros of 0/1 columns, one for each value of a category, are no sign of counts.
        kind = "measurements" if columns_are_scaled else kinds.compared(X)
        none = np.empty((0, 0))
        if kind == "counts":
            return cls(kind, words.inverse_document_frequency(sp.csr_array(X)), none, none)
        X = operators.dense(X)
        keeps_scale = columns_are_scaled or (kind == "measurements" and kinds.like_components(X))
        logs: NDArray[np.float64] = none
        if kind == "measurements" and not keeps_scale:
            logs = logarithms.terms(X, codes)
            X = logarithms.taken(X, logs)
        moments = [scaling.moments(X[codes == t]) for t in range(int(codes.max()) + 1)]
        means, spreads = map(np.array, zip(*moments, strict=True))
        if keeps_scale:
            spreads = np.where(spreads > 0, 1.0, 0.0)
        return cls(kind, np.empty(0), means, spreads, logs=logs)

    @property
    def keeps_scale(self) -> bool:
        """True if columns of measurements are at most centered, not divided by their spread."""
        return self.kind == "measurements" and bool(np.isin(self.spreads, (0.0, 1.0)).all())

    def are_amounts_or_components(self, X: Table) -> bool:
        """True if rows X (n, d) are amounts (as brightness) or principal components.

        Not tables of mostly zeros, as weighted words are.

        >>> X = np.tile([[0.0, 2.5, 2.1], [1.9, 0.0, 2.2]], 6)
        >>> Representations.of(X, np.array([0, 0])).are_amounts_or_components(X)
        True
        """
        if self.kind == "amounts":
            return not kinds.like_words(X)
        return self.kind == "measurements" and kinds.like_components(X)

    @property
    def for_kmeans(self) -> tuple[str, ...]:
        """Names of the representations for k-means; the first ones also suit cosines."""
        return {
            "counts": ("log tf-idf", "raw", "unit"),
            "amounts": ("raw", "unit", "z-scores"),
            "measurements": ("raw", "z-scores", "unit"),
        }[self.kind]

    @property
    def for_cosines(self) -> tuple[str, ...]:
        """Names of the representations for methods that use cosines or similarities."""
        return self.for_kmeans[:1] if self.kind == "amounts" else self.for_kmeans[:2]

    @property
    def for_neighbors(self) -> tuple[str, ...]:
        """Names of the representations in which the nearest rows by cosine are meaningful."""
        if self.kind == "measurements":
            return ("with offset", "z-scores with offset")
        return self.for_cosines

    @property
    def weighted_by_length(self) -> tuple[str, ...]:
        """Names of the representations for cosine methods that weight rows by their length."""
        return tuple("log weights" if name == "log tf-idf" else name for name in self.for_cosines)

    def transform(self, name: str, X: Table, codes: Labels) -> Table:
        """Transform rows X (m, d) of the tasks at positions (m,) to a named representation.

        >>> X = np.array([[3.0, 4.0], [-1.0, 0.0]])
        >>> Representations.of(X, np.array([0, 0])).transform("unit", X, np.array([0, 0]))
        array([[ 0.6,  0.8],
               [-1. ,  0. ]])
        """
        if self.logs.size:
            X = logarithms.taken(operators.dense(X), self.logs)
        elif self.kind != "counts":
            X = operators.dense(X)
        if name == "unit":
            return distances.unit_rows(X)
        if name == "tf-idf":
            return distances.unit_rows(words.weighted(sp.csr_array(X), self.idf))
        if name == "log weights":
            return words.weighted(_log_counts(sp.csr_array(X)), self.idf)
        if name == "log tf-idf":
            return distances.unit_rows(self.transform("log weights", X, codes))
        if name == "z-scores":
            return scaling.standard(X, self.means[codes], self.spreads[codes])
        if name == "z-scores with offset":
            Z = scaling.standard(X, self.means[codes], self.spreads[codes])
            return with_offset(Z, np.sqrt(X.shape[1]))
        if name == "with offset":
            center = self.means.mean(axis=0)
            squares = np.square(self.spreads) + np.square(self.means - center)
            return with_offset(X - center, np.sqrt(squares.sum(axis=1).mean()))
        return X

    def for_scoring(self, X: Table, codes: Labels) -> Table:
        """Transform rows X (m, d) to the representation used to score clusterings."""
        names = {"counts": "tf-idf", "amounts": "raw", "measurements": "z-scores with offset"}
        return self.transform(names[self.kind], X, codes)


def _log_counts(counts: sp.csr_array) -> sp.csr_array:
    """sign(x) ln(1 + |x|) of all stored entries of a sparse table; entries may be negative."""
    values = np.copysign(np.log1p(abs(counts.data)), counts.data)
    return sp.csr_array((values, counts.indices, counts.indptr), shape=counts.shape)


def with_offset(Z: Matrix, length: float) -> Matrix:
    """Append a constant column to rows Z (n, d), of ten times their usual length.

    >>> with_offset(np.array([[3.0, 4.0]]), 5.0)
    array([[ 3.,  4., 50.]])
    """
    return np.column_stack([Z, np.full(len(Z), OFFSET_LENGTH * length)])


def current(stored: Representations | Mapping[str, Any]) -> Representations:
    """Return representations stored by any version, also as the dict of older model files."""
    return stored if isinstance(stored, Representations) else Representations(**stored)


def current_name(name: str) -> str:
    """Convert a representation's name in older versions to its present name.

    >>> current_name("lifted z-scores")
    'z-scores with offset'
    """
    former = {"lifted": "with offset", "lifted z-scores": "z-scores with offset"}
    return former.get(name, name)
