"""Objectives and steps of methods of several views as loops; samples in rows.

A missing view is None in the list of a row's views: `views[v][i]` is an array or None.
"""

import numpy as np


def away(row, centre):
    """Squared distance; 0 where the row lacks the view."""
    return 0.0 if row is None else sum((a - b) ** 2 for a, b in zip(row, centre, strict=True))


def weighted_mean(rows, weights):
    """Mean of the rows that are there."""
    total, mass = 0.0, 0.0
    for row, weight in zip(rows, weights, strict=True):
        if row is not None:
            total = total + weight * row
            mass += weight
    return total / mass


def joined_kmeans(views, p, k, c):
    """Centres, new clusters and J of k-means on all views, from clusters p."""
    V = [[weighted_mean(X, [float(pi == j) for pi in p]) for j in range(k)] for X in views]
    new, J = [], 0.0
    for i in range(len(p)):
        cost = [sum(c[v] * away(views[v][i], V[v][j]) for v in range(len(views))) for j in range(k)]
        new.append(int(np.argmin(cost)))
        J += min(cost)
    return V, new, J


def cofkm_powers(U, m, eta):
    """Cleuziou et al. (2009): u~ of each view, row and cluster."""
    found = []
    for v in range(len(U)):
        P = (1 - eta) * U[v] ** m
        for w in range(len(U)):
            if w != v:
                P = P + eta / (len(U) - 1) * U[w] ** m
        found.append(P)
    return found


def cofkm_objective(views, U, A, m, eta):
    """The objective as it is printed, view by view."""
    J = 0.0
    for X, P, a in zip(views, cofkm_powers(U, m, eta), A, strict=True):
        for i in range(len(X)):
            for c in range(P.shape[1]):
                J += P[i, c] * away(X[i], a[c])
    return J


def cofkm_sweep(views, U, m, eta):
    """Centres from the memberships, then each row's memberships from all distances."""
    S, (n, k) = len(views), U[0].shape
    powers = cofkm_powers(U, m, eta)
    A = [[weighted_mean(X, P[:, c]) for c in range(k)] for X, P in zip(views, powers, strict=True)]
    new = [np.zeros((n, k)) for _ in views]
    for v in range(S):
        for i in range(n):
            E = np.zeros(k)
            for c in range(k):
                E[c] = (1 - eta) * away(views[v][i], A[v][c])
                for w in range(S):
                    if w != v:
                        E[c] += eta / (S - 1) * away(views[w][i], A[w][c])
            for c in range(k):
                new[v][i, c] = 1 / sum((E[c] / E[l]) ** (1 / (m - 1)) for l in range(k))
    return new, A
