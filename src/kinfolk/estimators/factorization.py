"""Descents that several methods end in, from the starts of their papers."""

from collections.abc import Sequence

import numpy as np

from kinfolk.arrays import Labels, Matrix
from kinfolk.estimators.descent import Run, alternate, restarts
from kinfolk.numerics import memberships, nonnegative
from kinfolk.numerics.operators import Symmetric

OFFSET = 0.2
"""Added to a 0/1 start, so that no entry of a factor is stuck at zero."""


def symmetric(
    M: Symmetric, first: Sequence[Labels], k: int, *, max_iter: int, tol: float
) -> Run[nonnegative.Factor]:
    """Minimise |M - Y Y'|_F^2 over Y (n, k) >= 0 from several hard clusterings; keep the lowest.

    `tol` is a share of |M|_F^2.
    """
    squared_norm = M.squared_norm()

    def descend(labels: Labels) -> Run[nonnegative.Factor]:
        return alternate(
            nonnegative.factor(M, memberships.indicator(labels, k, OFFSET)),
            sweep=lambda s: nonnegative.symmetric_sweep(M, s),
            objective=lambda s: nonnegative.symmetric_objective(squared_norm, s),
            max_iter=max_iter,
            tol=tol * squared_norm,
        )

    return restarts(descend, first, "symmetric factorisation")


def labels_of(Y: Matrix) -> Labels:
    """The column of each row's largest membership; rows without any get cluster 0."""
    return memberships.hard(Y, np.zeros(len(Y), dtype=int))


def placed(Y: Matrix, B: Matrix) -> Labels:
    """Clusters (m,) of new rows with products B = m'Y (m, k) of their similarities m with Y.

    Each gets the y >= 0 that minimises |m - Y y|^2; where that is 0, the largest product counts.
    """
    return memberships.hard(nonnegative.least_squares(Y.T @ Y, B), B.argmax(axis=1))
