"""Nie, Wang, Jordan, Huang (AAAI 2016) as loops: slow, plain, independent of `kinfolk`.

Equation numbers are the paper's; the steps and constants are those of the authors' program.
"""

import numpy as np

ZERO = 1e-10


def first_graph(X, m):
    """Adaptive neighbor weights, equation (17), row by row."""
    n = len(X)
    A = np.zeros((n, n))
    for i in range(n):
        e = sorted((sum((X[i] - X[j]) ** 2), j) for j in range(n) if j != i)
        below = sum(length for length, _ in e[:m])
        for length, j in e[:m]:
            A[i, j] = (e[m][0] - length) / (m * e[m][0] - below)
    return A


def simplex(v):
    """Nearest point of the simplex, by bisection for the threshold theta."""
    low, high = min(v) - 1.0, max(v)
    for _ in range(200):
        theta = (low + high) / 2
        if sum(max(x - theta, 0.0) for x in v) > 1.0:
            low = theta
        else:
            high = theta
    return [max(x - theta, 0.0) for x in v]


def laplacian(S):
    A = (S + S.T) / 2
    return np.diag(A.sum(axis=1)) - A


def project(A, F, lam):
    """Graph step of CLR, equation (12), row by row."""
    S = np.zeros_like(A)
    for i in range(len(A)):
        places = [j for j in range(len(A)) if A[i, j] > 0]
        ad = [A[i, j] - lam / 2 * sum((F[i] - F[j]) ** 2) for j in places]
        S[i, places] = simplex(ad)
    return S


def objective(S, A, F, lam):
    """Objective of CLR's steps, equation (9)."""
    return np.sum((S - A) ** 2) + 2 * lam * np.trace(F.T @ laplacian(S) @ F)


def clr(A, k, sweeps=30):
    """CLR's algorithm; returns the graph, or None if k components are not reached."""
    _, vectors = np.linalg.eigh(laplacian(A))
    F = vectors[:, :k]
    lam = 0.1
    for _ in range(sweeps):
        S = project(A, F, lam)
        before = F
        values, vectors = np.linalg.eigh(laplacian(S))
        F = vectors[:, :k]
        if sum(values[:k]) > ZERO:
            lam *= 2
        elif sum(values[: k + 1]) < ZERO:
            lam /= 2
            F = before
        else:
            return S
    return None
