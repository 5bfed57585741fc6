"""MTCMRL as it is printed (Zhang, Zhang, Liu, Luo, 2018), with dense NumPy arrays.

What a competent reader of the formulas would write: the similarities as n x n matrices, equation
(5) by a solver of quadratic programmes or by Frank-Wolfe, (13) by a solver of Sylvester equations.
The square root in (19) and the sum over pairs t < s in (3) are those of Kinfolk; without them J
rises. Nothing of Kinfolk is used.
"""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_sylvester
from scipy.optimize import minimize


def unit_rows(X):
    """Rows of Euclidean length 1; rows of zeros stay."""
    lengths = np.sqrt(np.sum(X**2, axis=1, keepdims=True))
    return X / np.where(lengths > 0, lengths, 1)


def squared_gaps(W, V):
    """Squared distances between the columns of two models."""
    return np.sum((W[:, :, None] - V[:, None, :]) ** 2, axis=0)


def quadratic_program(f, beta):
    """Relations of two models by a general quadratic programme (equation (5))."""
    P = 2 * beta * np.eye(len(f))
    found = minimize(
        lambda g: 0.5 * g @ P @ g + f @ g,
        np.full(len(f), 1 / len(f)),
        jac=lambda g: P @ g + f,
        bounds=[(0, 1)] * len(f),
        constraints={"type": "eq", "fun": lambda g: g.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return found.x


def dual(X, K, Y, H, Z, lam, mu, alpha):
    """Regression weights of one task by the dual formula (13), (10)."""
    D = 2 * mu + 2 * alpha * H
    right = Y * D - 2 * alpha * X @ Z
    Gamma = solve_sylvester(K, np.diag(D / (2 * lam)), right)
    return (2 * alpha * Z + X.T @ Gamma) / D


def objective(X, M, Y, W, G, lam, mu, alpha, beta):
    """Objective of MTCMRL (equation (3)), each pair of tasks once."""
    J = 0.0
    for t in range(len(X)):
        J += 0.5 * np.sum((M[t] - Y[t] @ Y[t].T) ** 2)
        J += lam * np.sum((Y[t] - X[t] @ W[t]) ** 2) + mu * np.sum(W[t] ** 2)
        for s in range(t + 1, len(X)):
            J += alpha * np.sum(squared_gaps(W[t], W[s]) * G[t, s])
            J += alpha * beta * np.sum(G[t, s] ** 2)
    return J


def fit(X, tasks, k, first, *, lam, mu, alpha, beta, max_iter, tol=0.0, first_weights=0.0):
    """Algorithm 1 for rows X (n, d) of tasks 0, 1, ... (n,).

    Parameters
    ----------
    k : clusters of each task
    first : labels (n_t,) of each task, from k-means
    tol : stop when a sweep lowers J by at most this share of half of sum |M_t|^2

    Returns
    -------
    labels (n,), trace of J (sweeps + 1,)
    """
    X = X.toarray() if sp.issparse(X) else X
    T = len(k)
    rows = [np.flatnonzero(tasks == t) for t in range(T)]
    X = [X[r] for r in rows]
    M = [unit_rows(x) @ unit_rows(x).T for x in X]
    K = [x @ x.T for x in X]
    Y = [np.eye(c)[labels] + 0.2 for c, labels in zip(k, first, strict=True)]
    W = [np.full((X[0].shape[1], c), first_weights) for c in k]
    G = {(t, s): np.full((k[t], k[s]), 1 / k[t] / k[s]) for t in range(T) for s in range(T)}
    scale = 0.5 * sum(np.sum(m**2) for m in M)
    trace = [objective(X, M, Y, W, G, lam, mu, alpha, beta)]
    for _ in range(max_iter):
        for t in range(T):
            others = [s for s in range(T) if s != t]
            for s in others:
                A = squared_gaps(W[t], W[s])
                G[t, s] = quadratic_program(A.ravel(), beta).reshape(A.shape)
                G[s, t] = G[t, s].T
            H = sum((G[t, s].sum(axis=1) for s in others), np.zeros(k[t]))
            Z = sum((W[s] @ G[t, s].T for s in others), np.zeros_like(W[t]))
            W[t] = dual(X[t], K[t], Y[t], H, Z, lam, mu, alpha)
            Q = X[t] @ W[t]
            up = M[t] @ Y[t] + lam * (abs(Q) + Q) / 2
            down = Y[t] @ (Y[t].T @ Y[t]) + lam * Y[t] + lam * (abs(Q) - Q) / 2
            Y[t] = Y[t] * np.sqrt(up / down)
        trace.append(objective(X, M, Y, W, G, lam, mu, alpha, beta))
        if trace[-2] - trace[-1] <= tol * scale:
            break
    labels = np.empty(len(tasks), dtype=int)
    for r, y in zip(rows, Y, strict=True):
        labels[r] = y.argmax(axis=1)
    return labels, np.array(trace)
