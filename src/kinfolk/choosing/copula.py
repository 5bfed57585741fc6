"""Null tables of measurements: the same columns, similar rank correlations, no clusters.

A normal copula draws each row from one normal distribution and maps each of its coordinates to the
values of a column, by rank:

    Z_j = N^-1((rank of x_j - 1/2) / n)
    Y   = standard normal (n, n) times (Z - means of its columns)
    the i-th smallest of Y_j becomes the i-th smallest of x_j

Columns keep their values, so also long tails, few different values, and answers yes and no. Those
of a column with several peaks become normal, since peaks are clusters that one column shows. A
category has one column for each of its values, of which each row has just one: it takes that with
the largest Y_j / deviation of Y_j + N^-1(share of rows that have the value).

Cut to few values, such as yes and no, normal variables correlate less than they did. So where some
column has few values, Y has the correlations before the cut, as far as those of the columns tell
(`_root`). Otherwise answers that depend on one ability, as in an exam, would pass for clusters.

Units   none; scales and zeros of columns do not matter.
Limits  beside more than 12 other columns, where one shows little, peaks are kept. Correlations of
        columns of few values are right to second order; those of categories come out smaller.
Source  Nelsen: An introduction to copulas. Springer, 2006, section 2.3, for copulas; Olsson,
        Drasgow, Dorans: The polyserial correlation coefficient. Psychometrika 47, 1982, for columns
        of few values; Thurstone: A law of comparative judgment. Psychological Review 34, 1927, for
        categories.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

from kinfolk.arrays import Matrix
from kinfolk.numerics import peaks

FULL_SHARE = 0.9
"""Share of a normal variable's variance that values explain which are taken for all different."""

MOST_WITH_PEAKS = 13
"""Most columns of a table that is searched for peaks, at three milliseconds per column."""


def drawing(X: Matrix) -> Callable[[np.random.RandomState], Matrix]:
    """Function that draws tables (n, d) with X's column values and similar rank correlations.

    >>> draw = drawing(np.array([[1.0, 10.0], [2.0, 20.0], [9.0, 90.0]]))
    >>> np.sort(draw(np.random.RandomState(0)), axis=0)
    array([[ 1., 10.],
           [ 2., 20.],
           [ 9., 90.]])
    """
    n = len(X)
    own_columns = categories(X)
    root = _root(X, own_columns)
    values = np.sort(X, axis=0)
    least, most = values[0], values[-1]
    if X.shape[1] <= MOST_WITH_PEAKS:
        normal = norm.ppf((np.arange(n) + 0.5) / n)
        for j, x in enumerate(X.T):
            if peaks.has_several(x):
                values[:, j] = x.mean() + x.std() * normal
    groups = [(own, norm.ppf((X[:, own] == most[own]).mean(axis=0))) for own in own_columns]

    def draw(random: np.random.RandomState) -> Matrix:
        Y = random.standard_normal((n, len(root))) @ root
        table = np.empty_like(X)
        np.put_along_axis(table, Y.argsort(axis=0, kind="stable"), values, axis=0)
        for own, usual in groups:
            taken = (Y[:, own] / Y[:, own].std(axis=0) + usual).argmax(axis=1)
            table[:, own] = np.where(taken[:, None] == np.arange(len(own)), most[own], least[own])
        return table

    return draw


def _root(X: Matrix, groups: list[NDArray[np.integer]]) -> Matrix:
    """Matrix A (m, d) such that standard normal rows times A have the correlations of the copula.

    The score of a value is the mean of a normal variable where it would be this value, and explains
    a share v of its variance: 1 of numbers that all differ, .64 of yes and no. Two variables have
    the covariance of the scores of their columns, divided by the shares of both, up to terms of
    second order. Columns of one category, the `groups`, are left out of this, as its values are
    drawn in another way.
    """
    n, d = X.shape
    S = _scores(X)
    shares = S.var(axis=0)
    full = float(_scores(np.arange(float(n))[:, None]).var())  # of n values that all differ
    if (shares > FULL_SHARE * full).all():
        Z = norm.ppf((rankdata(X, axis=0) - 0.5) / n)
        return np.asarray(Z - Z.mean(axis=0))
    size = np.where(shares > 0, shares, 1.0) / np.sqrt(full)
    for own in groups:
        size[own] = np.sqrt(shares[own])
    D = S - S.mean(axis=0)
    C = np.clip(D.T @ D / n / np.outer(size, size), -1.0, 1.0)
    C[np.diag_indices(d)] = 1.0
    w, V = np.linalg.eigh(C)
    A = np.sqrt(np.maximum(w, 0.0))[:, None] * V.T  # of a covariance near to C
    return np.asarray(A / np.sqrt(np.square(A).sum(axis=0)))


def _scores(X: Matrix) -> Matrix:
    """Mean (n, d) of a standard normal variable in the interval of ranks of each value of X.

    >>> _scores(np.array([[0.0], [1.0], [1.0], [0.0]])).ravel().round(2).tolist()
    [-0.8, 0.8, 0.8, -0.8]
    """
    n = len(X)
    above = rankdata(X, "max", axis=0) / n
    below = (rankdata(X, "min", axis=0) - 1) / n
    return np.asarray((norm.pdf(norm.ppf(below)) - norm.pdf(norm.ppf(above))) / (above - below))


def categories(X: Matrix) -> list[NDArray[np.integer]]:
    """Groups of adjacent 0/1-like columns of X (n, d) that one-hot encode one category each.

    Values of the category that no row has, columns of zeros between them, are no part of a group.

    >>> rows = np.array([[1.0, 0, 0, 0.3], [0, 1, 0, 0.1], [0, 0, 1, 0.7], [1, 0, 0, 0.2]])
    >>> categories(rows)
    [array([0, 1, 2])]
    """
    least = X.min(axis=0)
    most = X.max(axis=0)
    has = most == X
    two_values = (has | (least == X)).all(axis=0) & (least < most)
    constant = least == most
    found: list[NDArray[np.integer]] = []
    begin = 0
    while begin < X.shape[1]:
        end = begin
        own: list[int] = []
        covered = np.zeros(len(X), dtype=bool)
        while end < X.shape[1] and (
            constant[end] or (two_values[end] and not (covered & has[:, end]).any())
        ):
            if not constant[end]:
                covered |= has[:, end]
                own.append(end)
            end += 1
        # Two columns would be yes and no of one answer, which preparation holds in a single one.
        complete = covered.all() and len(own) > 2
        if complete:
            found.append(np.array(own))
        begin = end if complete else begin + 1
    return found
