"""Representations (transforms) of rows with several views, each view by its own kind of table.

A view may hold counts, another amounts or measurements in other units. Each has `Representations`
of its own, and all are scored by cosines. Joined rows are the scored rows of all views side by
side, each of length 1: the cosine of two joined rows is the mean of those in the views.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Table
from kinfolk.choosing.representations import Representations
from kinfolk.numerics import distances, operators


@dataclass(frozen=True)
class ViewRepresentations:
    """The transforms learned for each of V views.

    Attributes
    ----------
    columns : the positions (d_v,) of the columns of each view in X
    parts : the representations of each view
    """

    columns: list[NDArray[np.integer]]
    parts: list[Representations]

    @classmethod
    def of(
        cls,
        X: Table,
        codes: Labels,
        columns: Sequence[NDArray[np.integer]],
        columns_are_scaled: bool = False,
        there: NDArray[np.bool_] | None = None,
    ) -> Self:
        """Learn the transforms of each view from rows X (n, d) of tasks at positions (n,).

        Parameters
        ----------
        there : (n, V) False where a row lacks a view, which then learns nothing from it

        >>> X = np.array([[1.0, 0.5, -1.0], [0.0, 2.5, 1.0], [3.0, 1.5, 0.0]])
        >>> codes = np.zeros(3, dtype=int)
        >>> found = ViewRepresentations.of(X, codes, [np.array([0]), np.array([1, 2])])
        >>> [part.kind for part in found.parts], found.for_scoring(X, codes).shape
        (['counts', 'measurements'], (3, 4))
        """
        parts = []
        for v, own in enumerate(columns):
            rows = slice(None) if there is None else np.flatnonzero(there[:, v])
            parts.append(Representations.of(X[rows][:, own], codes[rows], columns_are_scaled))
        return cls(list(columns), parts)

    def view(self, v: int, X: Table) -> Table:
        """Select the columns of the view at position v from rows X (m, d)."""
        return X[:, self.columns[v]]

    def scored(self, v: int, X: Table, codes: Labels) -> Table:
        """Transform one view of rows X (m, d) for scoring clusterings."""
        return self.parts[v].for_scoring(self.view(v, X), codes)

    def for_kmeans(self, v: int, X: Table, codes: Labels) -> Table:
        """Transform one view of rows X (m, d) for k-means: log tf-idf, raw amounts or z-scores."""
        kind = self.parts[v].kind
        name = "z-scores" if kind == "measurements" else self.parts[v].for_kmeans[0]
        return self.parts[v].transform(name, self.view(v, X), codes)

    def for_numbers(self, X: Table, codes: Labels) -> Table:
        """Transform all views (m, D) for suggesting the number of clusters.

        They are as k-means sees them, less their means, and every view has a mean squared length of
        1: raw columns would give the view in the largest units the only say. Counts alone stay.

        >>> X = np.array([[1.5, 500.0], [-3.0, 900.0]])
        >>> codes = np.zeros(2, dtype=int)
        >>> ViewRepresentations.of(X, codes, [np.array([0]), np.array([1])]).for_numbers(X, codes)
        array([[ 1., -1.],
               [-1.,  1.]])
        """
        if all(part.kind == "counts" for part in self.parts):
            return X
        found = []
        for v in range(len(self.parts)):
            Z = operators.dense(self.for_kmeans(v, X, codes))
            Z = Z - Z.mean(axis=0)
            size = np.sqrt(np.square(Z).sum(axis=1).mean())
            found.append(Z / size if size > 0 else Z)
        return np.hstack(found)

    def for_scoring(self, X: Table, codes: Labels) -> Table:
        """Transform all views of rows X (m, d) for scoring, side by side (m, D)."""
        found: list[Any] = [
            distances.unit_rows(self.scored(v, X, codes)) for v in range(len(self.parts))
        ]
        sparse = any(map(sp.issparse, found))
        return sp.csr_array(sp.hstack(found)) if sparse else np.hstack(found)
