"""Multitask spectral clustering by dense matrices and loops."""

import numpy as np

import oracles_tsc


def similarity(X, l):
    """Row similarity of one task: l nearest rows, or cosines for l = 0."""
    if l:
        return oracles_tsc.halved(oracles_tsc.neighbor_graph(X, l))
    n = len(X)
    cosines = np.eye(n)
    for i in range(n):
        for j in range(n):
            cosines[i, j] = X[i] @ X[j] / np.sqrt((X[i] @ X[i]) * (X[j] @ X[j]))
    return oracles_tsc.halved((1 + cosines) / 2 if X.min() < 0 else cosines)


def centering(n):
    return np.eye(n) - np.ones((n, n)) / n


def objective(tables, S, F, W, b, alpha, beta, p, e):
    """Objective of MTSC, equation (1)."""
    J = 0.0
    for X, own_S, own_F, own_W, own_b in zip(tables, S, F, W, b, strict=True):
        J += np.trace(own_F.T @ (np.eye(len(X)) - own_S) @ own_F)
        for i in range(len(X)):
            J += alpha * np.sum((X[i] @ own_W + own_b - own_F[i]) ** 2)
    for i in range(tables[0].shape[1]):
        J += beta * (sum(np.sum(own[i] ** 2) for own in W) + e) ** (p / 2)
    return J


def ridge(X, F, D, c):
    """Regression weights and intercept by the primal formula, equation (4)."""
    H = centering(len(X))
    W = np.linalg.solve(X.T @ H @ X + c * np.diag(D), X.T @ H @ F)
    return W, (F - X @ W).mean(axis=0)


def row_weights(W, p, e):
    """Reweighting factors of the columns, equation (2)."""
    sizes = [sum(np.sum(own[i] ** 2) for own in W) for i in range(len(W[0]))]
    return np.array([p / 2 * (size + e) ** (p / 2 - 1) for size in sizes])


def embedding(X, S, D, alpha, beta, k):
    """Embedding of a task: k smallest eigenvectors of L + alpha (H - K)."""
    n = len(X)
    H = centering(n)
    K = H @ X @ np.linalg.solve(X.T @ H @ X + beta / alpha * np.diag(D), X.T @ H)
    return np.linalg.eigh(np.eye(n) - S + alpha * (H - K))[1][:, :k]
