"""Permutes the clusters of several tasks so that equal numbers have close centers.

Clusters r of tasks t have centers m_tr. Permutations of the numbers of each task shall minimize

    score = sum over pairs of tasks t, s, and r  |m_tr - m_sr|                           (1)

exhaustive   all (k!)^(T-1) permutations, the first task fixed
greedy       tasks join one by one, each in the order that is best beside those that are there, and
             then change while (1) falls; the best order of a task, the others given, is an
             assignment problem

Source  Tian, Weng, Xia, Feng, arXiv 2209.15224: exhaustive search and greedy label swapping for two
        clusters. The assignment is ours: with more clusters it finds the best of k! orders at once.
"""

import itertools
import math

import numpy as np
from scipy.optimize import linear_sum_assignment

from kinfolk.arrays import Labels, Matrix

MANY = 5000
"""The most permutations for which "auto" tries them all."""


def score(centers: Matrix) -> float:
    """Sum of distances between equally numbered centers (T, k, d), over all pairs of tasks.

    >>> score(np.array([[[0.0], [9.0]], [[1.0], [7.0]]]))
    3.0
    """
    pairs = itertools.combinations(centers, 2)
    return float(sum(np.linalg.norm(a - b, axis=1).sum() for a, b in pairs))


def aligned(centers: Matrix, how: str = "auto") -> Labels:
    """Permutations (T, k) of each task's clusters that make equally numbered centers closest.

    how : "exhaustive", "greedy", or "auto": exhaustive where few permutations are to be tried

    Row t lists the clusters of task t in their new order: cluster found[t, r] gets number r.

    >>> aligned(np.array([[[0.0], [9.0]], [[8.0], [1.0]]])).tolist()
    [[0, 1], [1, 0]]
    """
    T, k, _ = centers.shape
    few = (T - 1) * math.lgamma(k + 1) <= math.log(MANY)
    if how == "exhaustive" or (how == "auto" and few):
        return _exhaustive(centers)
    return _greedy(centers)


def _exhaustive(centers: Matrix) -> Labels:
    T, k, _ = centers.shape
    orders = [np.array(order) for order in itertools.permutations(range(k))]
    tried = itertools.product([orders[0]], *[orders] * (T - 1))
    best = min(tried, key=lambda each: score(_ordered(centers, np.array(each))))
    return np.array(best)


def _greedy(centers: Matrix) -> Labels:
    T, k, _ = centers.shape
    found = np.tile(np.arange(k), (T, 1))
    # The order in which tasks come in is that of the sizes of their centers, not that of the user.
    order = np.argsort([np.linalg.norm(own) for own in centers], kind="stable")
    for i, t in enumerate(order[1:], start=1):
        before = order[:i]
        found[t] = _best_order(centers[t], _ordered(centers[before], found[before]))
    lowest = score(_ordered(centers, found))
    changed = True
    while changed:
        changed = False
        for t in order:
            others = np.arange(T) != t
            tried = found.copy()
            tried[t] = _best_order(centers[t], _ordered(centers[others], found[others]))
            reached = score(_ordered(centers, tried))
            if reached < lowest * (1 - 1e-12):  # not by rounding, so that it ends
                found = tried
                lowest = reached
                changed = True
    return found


def _best_order(own: Matrix, others: Matrix) -> Labels:
    """Permutation (k,) of centers (k, d) that brings them closest to other tasks' (S, k, d)."""
    if not len(others):
        return np.arange(len(own))
    far = np.linalg.norm(others[:, :, None] - own[None, None], axis=3)
    return linear_sum_assignment(far.sum(axis=0))[1]


def _ordered(centers: Matrix, orders: Labels) -> Matrix:
    return np.take_along_axis(centers, orders[:, :, None], axis=1)
