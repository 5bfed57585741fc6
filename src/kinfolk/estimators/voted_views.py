"""Base class of multi-view methods without a rule for new rows, where nearest rows vote."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from kinfolk.arrays import Labels, MatrixLike, Table, Vector
from kinfolk.errors import InputError
from kinfolk.estimators import kept_rows
from kinfolk.estimators.views import MultiViewClusterer
from kinfolk.numerics import equal_rows, memberships, view_centers

VOTERS = 10
"""Rows of the fit that vote on a new row: few enough to be of one cluster in most places."""

MOST_ROWS = 5000
"""Rows up to which a square matrix of them is formed: 200 MB at most."""


class VotedViews(MultiViewClusterer):
    """Base of multi-view clusterers whose new rows are labelled by nearest training rows.

    Rows are near by the sum of their squared distances in all views, each over its scatter. A row
    that equals one of the fit gets the label of that row.
    """

    keeps = kept_rows.ROWS

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) to the cluster of most of their 10 nearest rows of the fit."""
        X = _scaled(self._observed_rows(X).X, self._scales)
        l = min(VOTERS, self._rows.shape[0])
        near = NearestNeighbors(n_neighbors=l).fit(self._rows).kneighbors(X, return_distance=False)
        votes = memberships.indicator(self._row_labels, int(self._row_labels.max()) + 1)
        labels = votes[near].sum(axis=1).argmax(axis=1)
        known = equal_rows.positions(equal_rows.hashes(X), equal_rows.hashes(self._rows))
        return np.where(known >= 0, self._row_labels[known], labels)

    def _remember(self, X: Table, tables: list[Table], labels: Labels) -> None:
        """Set `labels_`, equal for equal rows, and store the rows that vote."""
        there = np.ones((X.shape[0], len(tables)))
        sizes = view_centers.scatters(tables, there)
        self._scales: Vector = np.ones(X.shape[1])
        for size, columns in zip(sizes, self._columns, strict=True):
            self._scales[columns] = 1.0 / np.sqrt(size) if size > 0 else 1.0
        self._rows = _scaled(X, self._scales)
        hashes = equal_rows.hashes(self._rows)
        self._row_labels: Labels = labels[equal_rows.positions(hashes, hashes)].astype(int)
        self.labels_ = self._row_labels.copy()

    def _few_rows(self, n: int) -> None:
        """InputError if there are too many rows for an (n, n) matrix."""
        if n > MOST_ROWS:
            raise InputError(
                f"X has {n} rows; {type(self).__name__} forms square matrices of all rows and "
                f"takes at most {MOST_ROWS}. Fit a sample of the rows and let `predict` place the "
                "others, or take CoFKM, PLCMF or CoMVCF."
            )


def _scaled(X: Table, scales: Vector) -> Table:
    """Multiply each column of X (n, d) by its scale, in double precision."""
    if sp.issparse(X):
        whole: Any = X
        return sp.csr_array(whole.astype(np.float64) @ sp.diags_array(scales))
    return X * scales
