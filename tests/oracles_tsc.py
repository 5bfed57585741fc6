"""Transfer spectral clustering by loops and dense matrices, as its authors' code has it."""

import numpy as np


def halved(A):
    """Divide entries by the roots of their row and column sums; sums of 0 divide nothing."""
    A = A.copy()
    rows, columns = A.sum(axis=1), A.sum(axis=0)
    for i in range(len(A)):
        for j in range(A.shape[1]):
            A[i, j] /= (np.sqrt(rows[i]) or 1.0) * (np.sqrt(columns[j]) or 1.0)
    return A


def neighbor_graph(X, l):
    """0/1 graph that links rows if one is among the other's l nearest."""
    n = len(X)
    W = np.zeros((n, n))
    for i in range(n):
        order = sorted((j for j in range(n) if j != i), key=lambda j: np.sum((X[i] - X[j]) ** 2))
        for j in order[:l]:
            W[i, j] = W[j, i] = 1.0
    return W


def graphs(X, l):
    """Row graph W and row-column graph A of one task's rows."""
    return halved(neighbor_graph(X, l)), halved(X - X.min())


def objective(parts, F, G, r):
    """Maximised criterion of TSC, equation (1)."""
    total = 0.0
    for (W, A), own in zip(parts, F, strict=True):
        total += np.trace(own.T @ W @ own) + r * np.trace(own.T @ A @ G)
    return total


def polar(B):
    U, _, V = np.linalg.svd(B, full_matrices=False)
    return U @ V


def start(parts, k):
    """Leading eigenvectors of each W, with signs aligned to those of all A."""
    _, _, V = np.linalg.svd(halved(np.vstack([A for _, A in parts])))
    G = V[:k].T
    F = []
    for W, A in parts:
        own = np.linalg.eigh(W)[1][:, ::-1][:, :k].copy()
        for i in range(k):
            if own[:, i] @ A @ G[:, i] < 0:
                own[:, i] *= -1
        F.append(own)
    return F, G


def released(parts, k, r, step, sweeps):
    """F, G and trace of the criterion by the authors' released gradient steps."""
    F, G = start(parts, k)
    trace = [objective(parts, F, G, r)]
    for _ in range(sweeps):
        for t, (W, A) in enumerate(parts):
            up = 2 * W @ F[t] + r * A @ G
            F[t] = polar(F[t] + step * up / np.linalg.norm(up))
        G = polar(sum(A.T @ own for (_, A), own in zip(parts, F, strict=True)))
        trace.append(objective(parts, F, G, r))
    return F, G, trace
