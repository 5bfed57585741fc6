"""Times three solvers of MTCMRL's relations (equation (5)).

The three of figure 3 of Zhang, Zhang, Liu, Luo (2018), each from uniform relations of k by k
clusters whose regressions are as far apart as normal vectors of 50 columns.
"""

import time

import numpy as np

from kinfolk.numerics import distances, model_relations

HEADING = ["relations (5), s for one G", *model_relations.SOLVERS, "largest excess of (5)"]
EVENNESS = 0.5
"""beta, the paper's."""


def table(sizes):
    """Seconds of each solver for each k, and how far above the lowest value of (5) any ended."""
    return [HEADING, *(_row(k) for k in sizes)]


def _row(k):
    random = np.random.default_rng(0)
    V, W = (random.normal(size=(50, k)) / 7 for _ in range(2))
    A = distances.squared(V.T, W.T).ravel()
    seconds, values = [], []
    for solve in model_relations.SOLVERS.values():
        spent, g = _fastest(solve, A)
        seconds.append(f"{spent:.1e}")
        values.append(EVENNESS * np.sum(g**2) + A @ g)
    excess = (max(values) - min(values)) / min(values)
    return [f"k {k} in both tasks", *seconds, f"{excess:.0e}"]


def _fastest(solve, A, repeats=5):
    """Seconds of the fastest of a few runs, and its result."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        g = solve(A, EVENNESS, np.full(len(A), 1 / len(A)))
        seconds.append(time.perf_counter() - start)
    return min(seconds), g
