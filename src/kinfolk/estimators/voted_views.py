"""Base class of multi-view methods without a rule for new rows, where nearest rows vote."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from kinfolk.arrays import Labels, Matrix, MatrixLike, Table, Vector
from kinfolk.errors import InputError
from kinfolk.estimators import kept_rows
from kinfolk.estimators.descent import Run
from kinfolk.estimators.observed import ObservedRows
from kinfolk.estimators.views import MultiViewClusterer
from kinfolk.numerics import distances, equal_rows, memberships, operators, view_centers

VOTERS = 10
"""Rows of the fit that vote on a new row: few enough to be of one cluster in most places."""

MOST_ROWS = 5000
"""Rows up to which a square matrix of them is formed: 200 MB at most."""


class VotedViews(MultiViewClusterer):
    """Base of multi-view clusterers whose new rows are labeled by nearest training rows.

    Rows are near by the sum of their squared distances in all views, each over its scatter. Where
    rows lack views, the nearest rows in each view vote that have it. A row that equals one of the
    fit gets the label of that row.
    """

    keeps = kept_rows.ROWS

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) to the cluster of most of their 10 nearest rows of the fit."""
        rows = self._observed_rows(X)
        X = operators.in_form_of(self._rows, _scaled(rows.X, self._scales))
        # Models of older versions have no marks, and every view of every row.
        known_there = vars(self).get("_rows_there", np.ones((self._rows.shape[0], 1)))
        if rows.complete and known_there.all():
            votes = self._votes(X, self._rows, self._row_labels)
        else:
            votes = self._votes_by_view(X, rows.there, known_there)
        labels = votes.argmax(axis=1)
        known = equal_rows.positions(
            equal_rows.hashes(_marked(X, rows.there)),
            equal_rows.hashes(_marked(self._rows, known_there)),
        )
        return np.where(known >= 0, self._row_labels[known], labels)

    def _votes(self, X: Table, fitted: Table, labels: Labels) -> Matrix:
        """Votes (m, k) for each cluster, by the labels of nearest training rows to X (m, d)."""
        l = min(VOTERS, fitted.shape[0])
        X, fitted = distances.nearby(X, fitted)  # far from zero distances would lose digits
        near = NearestNeighbors(n_neighbors=l).fit(fitted).kneighbors(X, return_distance=False)
        U = memberships.indicator(labels, int(self._row_labels.max()) + 1)
        return np.asarray(U[near].sum(axis=1))

    def _votes_by_view(self, X: Table, there: Matrix, known_there: Matrix) -> Matrix:
        """Votes (m, k) for each cluster, summed over the views that each row has."""
        votes = np.zeros((X.shape[0], int(self._row_labels.max()) + 1))
        views = zip(self._columns, there.T, known_there.T, strict=True)
        for columns, asked, known in views:
            new = np.flatnonzero(asked)
            own = np.flatnonzero(known)
            if len(new):
                fitted = self._rows[own][:, columns]
                votes[new] += self._votes(X[new][:, columns], fitted, self._row_labels[own])
        return votes

    def _record_labels(
        self,
        rows: ObservedRows,
        labels: Labels,
        run: Run | None = None,
        weights: Vector | None = None,
    ) -> Self:
        """Set labels, equal for equal rows, weights of views (None: equal), and a descent's trace.

        The rows are stored, to vote on new ones.
        """
        V = len(rows.tables)
        self.view_weights_ = np.full(V, 1.0 / V) if weights is None else weights
        X = rows.X
        sizes = view_centers.scatters(rows.tables, rows.there)
        self._scales: Vector = np.zeros(X.shape[1])
        for size, columns in zip(sizes, self._columns, strict=True):
            scale = 1.0 / np.sqrt(size) if size > 0 else 1.0
            # A column of several views has a part in the distance of each.
            self._scales[columns] = np.hypot(self._scales[columns], scale)
        self._rows = _scaled(X, self._scales)
        self._rows_there = rows.there
        hashes = equal_rows.hashes(_marked(self._rows, rows.there))
        self._row_labels: Labels = labels[equal_rows.positions(hashes, hashes)].astype(int)
        self.labels_ = self._row_labels.copy()
        return self._record(run)

    def _few_rows(self, n: int) -> None:
        """Raise InputError if there are too many rows for an (n, n) matrix."""
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


def _marked(X: Table, there: Matrix) -> Table:
    """Append to X (n, d) an indicator column per view: 1 where a row lacks it."""
    lacking = 1.0 - there
    return operators.hstack([X, sp.csr_array(lacking) if sp.issparse(X) else lacking])
