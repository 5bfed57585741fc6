"""DMTFC-LS and DMTRC-LS as full matrices and loops, from the formulas of the method's header."""

import itertools

import numpy as np


def root(A):
    """Symmetric square root of a positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(A)
    return vectors @ np.diag(np.sqrt(np.maximum(values, 0))) @ vectors.T


def basis(tables):
    """Orthonormal basis (d, r) of the span of all rows."""
    _, sizes, V = np.linalg.svd(np.vstack(tables), full_matrices=False)
    return V[sizes > 1e-10 * sizes[0]].T


def contrast(labels, k):
    """Indicator matrix of labels less 1/k."""
    Y = np.full((len(labels), k), -1.0 / k)
    for i, h in enumerate(labels):
        Y[i, h] += 1.0
    return Y


def matrix(tables, W, e, relations):
    """Second moments of all models over features, or over tasks, plus e I."""
    if relations:
        T = len(W)
        G = np.array([[np.sum(W[t] * W[s]) for s in range(T)] for t in range(T)])
        return G + e * np.eye(T)
    B = basis(tables)
    return B.T @ sum(W_t @ W_t.T for W_t in W) @ B + e * np.eye(B.shape[1])


def best_prior(tables, W, e, relations):
    """Optimal prior over features (2), or over tasks (3)."""
    A = root(matrix(tables, W, e, relations))
    return A / np.trace(A)


def objective(tables, labels, W, prior, l1, l2, e, relations):
    """Objective (1) for a given prior."""
    J = l2 * np.trace(np.linalg.inv(prior) @ matrix(tables, W, e, relations))
    for X, h, W_t in zip(tables, labels, W, strict=True):
        Y = contrast(h, W_t.shape[1])
        J += np.sum((Y - X @ W_t) ** 2) / len(h) + l1 * np.sum(W_t**2)
    return J


def model(tables, labels, W, prior, t, l1, l2, relations):
    """Regression weights of task t by the normal equations, (4) or (5)."""
    X = tables[t]
    k = W[t].shape[1]
    Y = contrast(labels[t], k)
    if relations:
        P = np.linalg.inv(prior)
        pull = sum(P[t, s] * W[s] for s in range(len(W)) if s != t)
        c = l1 + l2 * P[t, t]
        return np.linalg.solve(
            X.T @ X / len(X) + c * np.eye(X.shape[1]), X.T @ Y / len(X) - l2 * pull
        )
    B = basis(tables)
    Z = X @ B
    penalty = l1 * np.eye(B.shape[1]) + l2 * np.linalg.inv(prior)
    return B @ np.linalg.solve(Z.T @ Z / len(X) + penalty, Z.T @ Y / len(X))


def highest_score(F, low, high):
    """Largest total score over all labellings with sizes within bounds."""
    n, k = F.shape
    return max(
        sum(F[i, h[i]] for i in range(n))
        for h in itertools.product(range(k), repeat=n)
        if all(low[c] <= h.count(c) <= high[c] for c in range(k))
    )
