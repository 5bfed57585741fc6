"""Methods of known labels as loops: slow, plain, and independent of everything in `kinfolk`.

Zhu, Ghahramani, Lafferty (2003); Zhou et al. (2004); Joachims (1999); equation numbers are those
of each paper.
"""

import itertools

import numpy as np
from scipy.optimize import minimize


def mean_distance(X):
    pairs = list(itertools.combinations(range(len(X)), 2))
    return sum(np.sqrt(sum((X[i] - X[j]) ** 2)) for i, j in pairs) / len(pairs)


def weights(X, l, s):
    """Gaussian weights of rows that are among each other's l nearest, else 0."""
    n = len(X)
    D = np.array([[sum((X[i] - X[j]) ** 2) for j in range(n)] for i in range(n)])
    W = np.zeros((n, n))
    for i in range(n):
        others = sorted((j for j in range(n) if j != i), key=lambda j: D[i, j])
        for j in others[:l]:
            W[i, j] = W[j, i] = np.exp(-D[i, j] / s)
    return W


def energy(W, F):
    """Smoothness energy of harmonic functions, equation (2) of Zhu et al."""
    n = len(W)
    return sum(W[i, j] * sum((F[i] - F[j]) ** 2) for i in range(n) for j in range(n)) / 2


def harmonic(W, known, fixed):
    """Harmonic function with known rows fixed, equation (5) of Zhu et al."""
    L = np.diag(W.sum(axis=1)) - W
    F = np.zeros((len(W), fixed.shape[1]))
    F[known] = fixed
    F[~known] = np.linalg.solve(L[np.ix_(~known, ~known)], -L[np.ix_(~known, known)] @ fixed)
    return F


def consistency(W, F, Y, mu):
    """Objective of local and global consistency, equation (4) of Zhou et al."""
    d = W.sum(axis=1)
    n = len(W)
    smooth = sum(
        W[i, j] * sum((F[i] / np.sqrt(d[i]) - F[j] / np.sqrt(d[j])) ** 2)
        for i in range(n)
        for j in range(i)
    )
    return smooth / 2 + mu / 2 * sum(sum((F[i] - Y[i]) ** 2) for i in range(n))


def spread(W, Y, a, sweeps=2000):
    """Iterated label spreading (Zhou et al., section 2)."""
    d = W.sum(axis=1)
    S = W / np.sqrt(np.outer(d, d))
    F = Y.copy()
    for _ in range(sweeps):
        F = a * S @ F + (1 - a) * Y
    return F


def svm_objective(w, b, X, y, costs):
    return w @ w / 2 + sum(
        c * max(0.0, 1 - yi * (w @ x + b)) for x, yi, c in zip(X, y, costs, strict=True)
    )


def svm(X, y, costs, bias_weight=0.0):
    """Linear SVM's hyperplane, by its primal quadratic programme."""
    n, d = X.shape

    def value(v):
        return v[:d] @ v[:d] / 2 + bias_weight * v[d] ** 2 / 2 + costs @ v[d + 1 :]

    def slope(v):
        return np.concatenate([v[:d], [bias_weight * v[d]], costs])

    rows = [
        {
            "type": "ineq",
            "fun": lambda v: y * (X @ v[:d] + v[d]) - 1 + v[d + 1 :],
            "jac": lambda v: np.hstack([y[:, None] * X, y[:, None], np.eye(n)]),
        },
        {"type": "ineq", "fun": lambda v: v[d + 1 :], "jac": lambda v: np.eye(n, d + 1 + n, d + 1)},
    ]
    start = np.concatenate([np.zeros(d + 1), np.ones(n)])
    end = minimize(
        value,
        start,
        jac=slope,
        constraints=rows,
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    return end.x[:d], end.x[d]
