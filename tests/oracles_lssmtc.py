"""Gu, Zhou (2009) as loops: slow, plain, and independent of everything in `kinfolk`.

Equation numbers are the paper's. Samples stand in rows, so its X is X' here, its M^(k) is V_t',
its M is F' and its P is Y.
"""

import numpy as np
import scipy.optimize


def product(A, B):
    return np.array(
        [
            [sum(A[i, a] * B[a, j] for a in range(len(B))) for j in range(len(B[0]))]
            for i in range(len(A))
        ]
    )


def centers(Y, X):
    """Optimal centers (Y'Y)^-1 Y'X for memberships, equations (6) and (8)."""
    return np.linalg.solve(product(Y.T, Y), product(Y.T, X))


def residual(X, Y, V):
    return sum((X[i, j] - Y[i] @ V[:, j]) ** 2 for i in range(len(X)) for j in range(len(X[0])))


def objective(X, tasks, Y, V, W, F, lam, counts_rest=False):
    """Objective of LSSMTC, equation (4); `counts_rest` also counts outside the subspace."""
    own = sum(residual(X[tasks == t], Y[tasks == t], V[t]) for t in range(len(V)))
    if counts_rest:
        return lam * own + (1 - lam) * residual(X, Y, product(F, W.T))
    return lam * own + (1 - lam) * residual(product(X, W), Y, F)


def step(Xt, Yt, Vt, W, F, lam):
    """Multiplicative update of memberships, equations (11) and (14)."""
    n, k = Yt.shape
    XW = product(Xt, W)
    A, B, new = np.zeros((n, k)), np.zeros((k, k)), np.zeros((n, k))
    for j in range(k):
        for i in range(n):
            A[i, j] = lam * (Xt[i] @ Vt[j]) + (1 - lam) * (XW[i] @ F[j])
        for c in range(k):
            B[c, j] = lam * (Vt[c] @ Vt[j]) + (1 - lam) * (F[c] @ F[j])
    for i in range(n):
        for j in range(k):
            above = (abs(A[i, j]) + A[i, j]) / 2
            below = (abs(A[i, j]) - A[i, j]) / 2
            for c in range(k):
                above += Yt[i, c] * (abs(B[c, j]) - B[c, j]) / 2
                below += Yt[i, c] * (abs(B[c, j]) + B[c, j]) / 2
            new[i, j] = Yt[i, j] * np.sqrt(above / below)
    return new


def mixed_rows(X, V):
    """Memberships y >= 0 with the least |x - y V|."""
    return np.array([scipy.optimize.nnls(V.T, x)[0] for x in X])


def single_rows(X, V):
    """Memberships with one positive entry and the least |x - y V|."""
    Y = np.zeros((len(X), len(V)))
    for i, x in enumerate(X):
        best = x @ x
        for j, v in enumerate(V):
            y = (x @ v) / (v @ v)
            rest = np.sum((x - y * v) ** 2)
            if y > 0 and rest < best:
                best = rest
                Y[i] = 0.0
                Y[i, j] = y
    return Y


def scatter(X, Y):
    """Within-cluster scatter matrix of equation (16)."""
    H = product(product(Y, np.linalg.inv(product(Y.T, Y))), Y.T)
    return product(product(X.T, np.eye(len(X)) - H), X)


def least_eigenvectors(X, Y, l):
    """Subspace W of the least within-cluster scatter, equation (16)."""
    return np.linalg.eigh(scatter(X, Y))[1][:, :l]


def released_step(X, Y, W, F):
    """Multiplicative step of W, as in the authors' released code."""
    C, D = product(X.T, X), product(product(X.T, Y), F)
    gains = product((abs(C) - C) / 2, W) + (abs(D) + D) / 2
    costs = product((abs(C) + C) / 2, W) + (abs(D) - D) / 2
    above = gains + product(W, product(W.T, costs))
    below = costs + product(W, product(W.T, gains))
    new = np.zeros_like(W)
    for i in range(len(W)):
        for j in range(len(W[0])):
            new[i, j] = W[i, j] * np.sqrt(above[i, j] / below[i, j]) if W[i, j] else 0.0
    return new


CODES = np.array([0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1])
"""The tasks of the rows of `table`."""


def table(d, counts=False):
    """Draw rows of three groups in two tasks, or counts without groups."""
    random = np.random.default_rng(d)
    if counts:
        return random.poisson(1.0, size=(len(CODES), d)).astype(float)
    return random.normal(size=(len(CODES), d)) + 1.5 * np.eye(3, d)[np.arange(len(CODES)) % 3]
