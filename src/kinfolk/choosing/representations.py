"""The spaces in which rows are clustered, and the neutral one in which clusterings are judged.

What a table holds decides what its zeros mean, and so which spaces make sense:

    counts        sparse, or whole numbers >= 0 of which 1 is the commonest above 0: words, ticks
    amounts       no number below 0 and a tenth of all exactly 0: brightness, spectra
    measurements  everything else: zero is an arbitrary place on the scale

    raw       the rows as they are
    unit      rows of Euclidean length 1
    tf-idf    counts times ln((1 + n) / (1 + df)) + 1, with rows of length 1
    log weights  ln(1 + count) times ln((1 + n) / (1 + df)) + 1
    log tf-idf   the same, with rows of length 1
    z-scores  each column of each task with mean 0 and variance 1, where there is spread
    lifted    rows less their mean, with a further column c of ten times their usual length
    lifted z-scores  z-scores, with a further column c = 10 sqrt(d)

The tenth use of a word in a text says less than the first: hence the logarithm, which leaves shares
well below 1 nearly as they are. Judges see counts without it: `docs/labelfree.md` says why.

The angle at an arbitrary zero says nothing. With the further column 1 - cos(x, y) is about
|x - y|^2 / (2 c^2), the squared Euclidean distance. Judges measure by cosines: for counts they see
tf-idf, for amounts the rows as they are, for measurements lifted z-scores.

Own runs share nothing with other tasks but the weights ln(...) of the columns of counts, which
are those of all rows.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.numerics import distances
from kinfolk.preparation import scaling, words

ZEROS = 0.1
"""From this share of exact zeros on zero means "nothing": measured values rarely hit it."""

LIFT = 10.0
"""c in units of the root mean square length of the rows, at which cosines err by about 1 %."""


@dataclass(frozen=True)
class Spaces:
    """What is learnt from a table to see its rows, and new ones, in each space.

    Attributes
    ----------
    kind : "counts", "amounts" or "measurements"
    idf : (d,) weights of the columns of counts, else empty
    means, spreads : (T, d) of each task's columns, for z-scores; empty for counts
    """

    kind: str
    idf: NDArray[np.float64]
    means: NDArray[np.float64]
    spreads: NDArray[np.float64]

    @classmethod
    def of(cls, X: Table, codes: Labels) -> Self:
        """Learn from the rows X (n, d) of the tasks at positions (n,).

        >>> Spaces.of(np.array([[3.1, 0.5], [1.0, 2.0]]), np.array([0, 0])).names
        ('raw', 'z-scores', 'unit')
        """
        kind, none = _kind(X), np.empty((0, 0))
        if kind == "counts":
            return cls(kind, words.inverse_document_frequency(sp.csr_array(X)), none, none)
        moments = [scaling.moments(X[codes == t]) for t in range(int(codes.max()) + 1)]
        means, spreads = map(np.array, zip(*moments, strict=True))
        return cls(kind, np.empty(0), means, spreads)

    @property
    def names(self) -> tuple[str, ...]:
        """Those for k-means, first the ones that suit cosines."""
        return {
            "counts": ("log tf-idf", "raw", "unit"),
            "amounts": ("raw", "unit", "z-scores"),
            "measurements": ("raw", "z-scores", "unit"),
        }[self.kind]

    @property
    def cosine(self) -> tuple[str, ...]:
        """Those for methods that work with cosines or similarities."""
        return self.names[:1] if self.kind == "amounts" else self.names[:2]

    @property
    def near(self) -> tuple[str, ...]:
        """Those in which cosines tell which rows are near."""
        return ("lifted", "lifted z-scores") if self.kind == "measurements" else self.cosine

    @property
    def long(self) -> tuple[str, ...]:
        """Those for methods of cosines to whom the length of a row says how much it counts."""
        return tuple("log weights" if name == "log tf-idf" else name for name in self.cosine)

    def table(self, name: str, X: Table, codes: Labels) -> Table:
        """The rows X (m, d) of the tasks at positions (m,) in the space of that name."""
        if name == "unit":
            return distances.unit_rows(X)
        if name == "tf-idf":
            return distances.unit_rows(words.weighted(sp.csr_array(X), self.idf))
        if name == "log weights":
            return words.weighted(_damped(sp.csr_array(X)), self.idf)
        if name == "log tf-idf":
            return distances.unit_rows(self.table("log weights", X, codes))
        if name == "z-scores":
            return scaling.standard(X, self.means[codes], self.spreads[codes])
        if name == "lifted z-scores":
            return _lifted(self.table("z-scores", X, codes), np.sqrt(X.shape[1]))
        if name == "lifted":
            centre = self.means.mean(axis=0)
            squares = np.square(self.spreads) + np.square(self.means - centre)
            return _lifted(X - centre, np.sqrt(squares.sum(axis=1).mean()))
        return X

    def neutral(self, X: Table, codes: Labels) -> Table:
        """The rows X (m, d) as judges see them."""
        names = {"counts": "tf-idf", "amounts": "raw", "measurements": "lifted z-scores"}
        return self.table(names[self.kind], X, codes)


def _damped(counts: sp.csr_array) -> sp.csr_array:
    """sign(x) ln(1 + |x|) of all entries: a sparse table may hold some below 0."""
    parts = np.copysign(np.log1p(abs(counts.data)), counts.data), counts.indices, counts.indptr
    return sp.csr_array(parts, shape=counts.shape)


def _lifted(Z: Matrix, length: float) -> Matrix:
    """Rows (n, d) of about this length with a further column."""
    return np.column_stack([Z, np.full(len(Z), LIFT * length)])


def _kind(X: Table) -> str:
    if sp.issparse(X):
        return "counts"
    if X.min() < 0:
        return "measurements"
    values, times = np.unique(X[X > 0], return_counts=True)
    if len(values) and values[times.argmax()] == 1 and np.array_equal(values, np.floor(values)):
        return "counts"
    return "amounts" if np.count_nonzero(X) <= (1 - ZEROS) * X.size else "measurements"
