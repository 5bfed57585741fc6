"""LSSMTC as it is printed, and as its authors released it, with dense NumPy arrays.

Gu, Zhou (2009), algorithm 1: whole d x d matrices, inverses where they are printed. Nothing of
Kinfolk is used; the starts are given.
"""

import numpy as np


def parts(A):
    """Positive and negative parts of a matrix."""
    return (np.abs(A) + A) / 2, (np.abs(A) - A) / 2


def eigenvectors(X, Y, W, F):
    """Subspace of least within-cluster scatter (equation (16)), by d x d matrices."""
    n, l = len(X), W.shape[1]
    scatter = X.T @ (np.eye(n) - Y @ np.linalg.inv(Y.T @ Y) @ Y.T) @ X
    return np.linalg.eigh(scatter)[1][:, :l]


def multiplicative(X, Y, W, F):
    """Multiplicative subspace step of the released code, by d x d matrices."""
    (Cp, Cn), (Dp, Dn) = parts(X.T @ X), parts(X.T @ Y @ F)
    above = Cn @ W + W @ (W.T @ (Cp @ W)) + Dp + W @ (W.T @ Dn)
    below = Cp @ W + W @ (W.T @ (Cn @ W)) + Dn + W @ (W.T @ Dp)
    return W * np.sqrt(above / np.where(W > 0, below, 1.0))


def explained(X, Y, W, F):
    """Subspace of largest between-cluster scatter, by d x d matrices."""
    return np.linalg.eigh(X.T @ Y @ np.linalg.inv(Y.T @ Y) @ Y.T @ X)[1][:, ::-1][:, : W.shape[1]]


UPDATES = {"published": eigenvectors, "released": multiplicative, "explained": explained}


def fit(X, tasks, first, l, lam, subspace="published", max_iter=20, W=None):
    """Labels (n,) and the objective (4) at the start and after each sweep, from Y = `first`.

    `tasks` (n,) are 0, 1, ...; the objective has all centers renewed. W starts as the first l
    columns of the identity ("released"), else as its update from `first`.
    """
    T, Y = int(tasks.max()) + 1, first.copy()
    update = UPDATES[subspace]
    W = np.eye(X.shape[1], l) if W is None else W
    if subspace != "released":
        W = update(X, Y, W, None)
    trace = [objective(X, tasks, Y, W, lam, subspace)]
    for _ in range(max_iter):
        F = np.linalg.inv(Y.T @ Y) @ Y.T @ X @ W
        for t in range(T):
            rows = tasks == t
            Xt, Yt = X[rows], Y[rows]
            V = np.linalg.inv(Yt.T @ Yt) @ Yt.T @ Xt
            Ap, An = parts(lam * Xt @ V.T + (1 - lam) * Xt @ W @ F.T)
            Bp, Bn = parts(lam * V @ V.T + (1 - lam) * F @ F.T)
            up, down = Ap + Yt @ Bn, An + Yt @ Bp  # both 0 for a row of zeros
            Y[rows] = Yt * np.sqrt(np.divide(up, down, out=np.zeros_like(up), where=down > 0))
        W = update(X, Y, W, F)
        trace.append(objective(X, tasks, Y, W, lam, subspace))
    return Y.argmax(axis=1), np.array(trace)


def objective(X, tasks, Y, W, lam, subspace):
    """Objective (4) with optimal centers."""
    own = 0.0
    for t in range(int(tasks.max()) + 1):
        Xt, Yt = X[tasks == t], Y[tasks == t]
        own += np.sum((Xt - Yt @ (np.linalg.inv(Yt.T @ Yt) @ Yt.T @ Xt)) ** 2)
    shared = X @ W - Y @ (np.linalg.inv(Y.T @ Y) @ Y.T @ X @ W)
    rest = np.sum(X**2) - np.sum((X @ W) ** 2) if subspace == "explained" else 0.0
    return lam * own + (1 - lam) * (np.sum(shared**2) + rest)
