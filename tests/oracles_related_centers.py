"""Multi-task Bregman clustering as loops: slow, plain, and independent of everything in `kinfolk`.

Equation numbers are those of `numerics/related_centers.py`.
"""

import numpy as np
from scipy.optimize import linprog


def transport(C, a, b):
    """Least cost of a transport plan with marginals a and b, by a linear programme."""
    k, l = len(C), len(C[0])
    rows = []
    for i in range(k):
        rows.append([1.0 if r == i else 0.0 for r in range(k) for _ in range(l)])
    for j in range(l):
        rows.append([1.0 if c == j else 0.0 for _ in range(k) for c in range(l)])
    return linprog(np.ravel(C), A_eq=rows, b_eq=[*a, *b], method="highs").fun


def shares(h, k, marginals):
    """Marginal of one task's clusters: sizes, or uniform."""
    if marginals == "uniform":
        return [1.0 / k] * k
    return [sum(int(label == c) for label in h) / len(h) for c in range(k)]


def objective(tables, labels, centers, weight, marginals):
    """Objective of MBC with optimal plans, equation (1)."""
    T = len(tables)
    J = 0.0
    for X, h, M in zip(tables, labels, centers, strict=True):
        for x, c in zip(X, h, strict=True):
            J += sum((x - M[c]) ** 2) / len(X) / T
    for t in range(T):
        for s in range(T):
            if s != t:
                C = [[sum((m - o) ** 2) for o in centers[s]] for m in centers[t]]
                a = shares(labels[t], len(centers[t]), marginals)
                b = shares(labels[s], len(centers[s]), marginals)
                J += weight / (T * (T - 1)) * transport(C, a, b)
    return J


def objective_of_plan(tables, labels, centers, R, weight):
    """Objective of MBC for given plans R[t, s]."""
    T = len(tables)
    J = 0.0
    for X, h, M in zip(tables, labels, centers, strict=True):
        for x, c in zip(X, h, strict=True):
            J += sum((x - M[c]) ** 2) / len(X) / T
    for (t, s), plan in R.items():
        for k in range(len(plan)):
            for l in range(len(plan[0])):
                gap = sum((centers[t][k] - centers[s][l]) ** 2)
                J += weight / (T * (T - 1)) * plan[k][l] * gap
    return J


def partition_loss(X, h):
    """Mean squared distance of rows to cluster means, equation (5)."""
    loss = 0.0
    for x, c in zip(X, h, strict=True):
        mean = np.mean([X[i] for i in range(len(X)) if h[i] == c], axis=0)
        loss += sum((x - mean) ** 2) / len(X)
    return loss


def nearest(X, M):
    """Nearest center of each row."""
    return [min(range(len(M)), key=lambda c: sum((x - M[c]) ** 2)) for x in X]
