"""KT-MEC as printed, with dense arrays.

What a competent reader of Qian, Sun, Jiang, Wang, Deng (2015) would write: whole matrices,
products in place of loops. Nothing of Kinfolk is used.
"""

import numpy as np
from scipy.special import softmax


def squared_distances(X, V):
    """Squared distances (n, k) of rows to centers."""
    return np.sum(X**2, axis=1)[:, None] - 2 * X @ V.T + np.sum(V**2, axis=1)[None, :]


def objective(U, B, E, gamma):
    """Objective of KT-MEC (equation (6))."""
    return np.sum(B * E) + gamma * np.sum(U * np.log(np.where(U > 0, U, 1)))


def fit(X, V, source, *, gamma, lam, eta, max_iter, sign=1.0):
    """Equations (8), with the printed sign for sign = -1, and (12), from centers V.

    Returns labels (n,) of B, the objective (6) at the start and after each sweep, and V.
    """
    fixed = softmax(-squared_distances(X, source) / gamma, axis=1)
    trace = []
    for sweep in range(max_iter + 1):
        E = squared_distances(X, V) + lam * np.sum((V - source) ** 2, axis=1)
        U = softmax(-eta * E / gamma, axis=1)
        B = eta * U + (1 - eta) * fixed
        trace.append(objective(U, B, E, gamma))
        if sweep < max_iter:
            mass = B.sum(axis=0)[:, None]
            V = (B.T @ X + sign * lam * mass * source) / (mass * (1 + sign * lam))
    return B.argmax(axis=1), np.array(trace), V
