"""EM for one mixture of the rows of several tasks, which is shifted in each task.

A row x of task t, with values b of its categories, has the density of `mixed_mixtures`, which may
have heavy tails, at x less a shift of the task:

    f_j(x - u_t, b) = w_j N(x - u_t; m_j, S_j) prod_q s_jq^b_q                             (1)
    L = sum_t sum_(i in t) log sum_j f_j(x_i - u_t, b_i)                                   (2)

A sweep finds memberships R, then weights, centers, covariances and shares for the rows less their
shifts, then the shifts u_t, each by (7) of `mixed_mixtures`. Each step raises L plus the logarithm
of the prior there. The forms of covariance are those there, and one is chosen by

    BIC = 2 L - (free parameters + (T - 1) d) log n,    the larger the better,             (3)

since all shifts may move together, against the centers.

Symbols     X (n, d), B (n, p), codes (n,) the task of each row, R (n, k), u (T, d).
Units       numbers have variance 1, as in `mixed_mixtures`.
Limits      weights, covariances and shares are those of all tasks.
Source      ours; the mixture is that of `mixed_mixtures`, the shift the fixed effect of a group in
            McLachlan, Peel: Finite mixture models. Wiley, 2000.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.numerics import memberships, mixed_mixtures
from kinfolk.numerics.mixed_mixtures import (
    FIRST_SWEEPS,
    FORMS,
    HEAVY_FORMS,
    MOST_SWEEPS,
    Form,
    Mixture,
)


class Shifted(NamedTuple):
    """A mixture of rows less the shifts (T, d) of their tasks, and how it fits.

    `memberships` (n, k) are of all rows, `form` is that of the covariances and tails; `bic` is (3).
    """

    mixture: Mixture
    memberships: Matrix
    bic: float
    shifts: Matrix
    form: Form


def best(
    X: Matrix,
    B: Matrix,
    codes: Labels,
    starts: Sequence[Labels],
    k: int,
    heavy_tails: bool = True,
) -> Shifted:
    """Fit mixtures of k clusters of each form; return that of the largest BIC.

    Each form starts from the labels (n,) of `starts` that are likeliest after a few sweeps. With
    `heavy_tails` False, numbers are normal in all.

    >>> X = np.array([[0.0], [0.2], [5.0], [5.2], [8.0], [3.2], [3.0], [8.2]])
    >>> codes, start = np.repeat([0, 1], 4), np.tile([0, 0, 1, 1], 2)
    >>> found = best(X, np.empty((8, 0)), codes, [start], 2)
    >>> found.memberships.argmax(axis=1), np.diff(found.shifts, axis=0).round(1).tolist()
    (array([0, 0, 1, 1, 1, 0, 0, 1]), [[3.0]])
    """
    first = [memberships.indicator(labels, k) for labels in starts]
    found = [of_form(X, B, codes, first, form) for form in FORMS]
    usual = found[0]
    rows = X - usual.shifts[codes]
    if heavy_tails and mixed_mixtures.has_heavy_tails(rows, usual.mixture, usual.memberships):
        found += [of_form(X, B, codes, first, form) for form in HEAVY_FORMS]
    return max(found, key=lambda one: one.bic)


def of_form(X: Matrix, B: Matrix, codes: Labels, starts: Sequence[Matrix], form: Form) -> Shifted:
    """Fit a mixture of one form, from the likeliest of memberships (n, k) after a few sweeps."""
    tried = [swept(X, B, codes, R, form, FIRST_SWEEPS) for R in starts]
    # Rounded, so that the first of equal starts is taken on every machine.
    likeliest = max(tried, key=lambda one: round(one.bic, 9))
    return swept(X, B, codes, likeliest.memberships, form)


def swept(
    X: Matrix,
    B: Matrix,
    codes: Labels,
    R: Matrix,
    form: Form,
    sweeps: int = MOST_SWEEPS,
) -> Shifted:
    """Make EM sweeps from memberships R (n, k) until the likelihood no longer rises.

    The first shifts are the means of the tasks, less that of all rows.
    """
    tasks = [np.flatnonzero(codes == t) for t in range(int(codes.max()) + 1)]
    shifts: Matrix = np.zeros((len(tasks), X.shape[1]))
    for t, rows in enumerate(tasks):
        if len(rows):
            shifts[t] = X[rows].mean(axis=0) - X.mean(axis=0)

    def make_sweeps(
        R: Matrix, u: Matrix
    ) -> Iterator[tuple[Vector, tuple[Mixture, Matrix, Matrix]]]:
        U = None
        for _ in range(sweeps):
            mixture = mixed_mixtures.renewed(X - u[codes], B, R, form, U)
            u = _shifts(X, mixed_mixtures.counted(R, U), mixture, tasks)
            R, U, totals = mixed_mixtures.expected(X - u[codes], B, mixture)
            yield totals, (mixture, R, u)

    L, (mixture, R, shifts) = mixed_mixtures.until_level(make_sweeps(R, shifts))  # (2)
    n_shifts = sum(len(rows) > 0 for rows in tasks) - 1
    free = mixed_mixtures.free_parameters(B, R.shape[1], X.shape[1], form)
    bic = 2 * L - (free + n_shifts * X.shape[1]) * np.log(len(X))  # (3)
    return Shifted(mixture, R, bic, shifts, form)


def _shifts(X: Matrix, R: Matrix, mixture: Mixture, tasks: Sequence[Labels]) -> Matrix:
    """Shifts (T, d) of the tasks, whose rows are at the positions in `tasks`; 0 without rows."""
    found = [
        mixed_mixtures.shift(X[rows], R[rows], mixture) if len(rows) else np.zeros(X.shape[1])
        for rows in tasks
    ]
    return np.array(found)


def one_normal_cluster(X: Matrix, B: Matrix, codes: Labels) -> float:
    """Largest BIC (3) of a single normal cluster with a shift of each task.

    >>> X = np.array([[0.0], [2.0], [9.0], [11.0]])
    >>> round(one_normal_cluster(X, np.empty((4, 0)), np.array([0, 0, 1, 1])), 1)
    -15.5
    """
    return float(best(X, B, codes, [np.zeros(len(X), dtype=int)], 1, False).bic)
