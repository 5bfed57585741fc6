"""The formulas of Qian, Sun, Jiang, Wang, Deng (2015) as loops; samples stand in rows."""

import numpy as np


def squared(a, b):
    return sum((a[j] - b[j]) ** 2 for j in range(len(a)))


def source_memberships(X, source, gamma):
    """Softmax memberships at the source's centers, equation (3)."""
    U = np.zeros((len(X), len(source)))
    for i in range(len(X)):
        for k in range(len(source)):
            U[i, k] = np.exp(-squared(X[i], source[k]) / gamma)
        U[i] /= sum(U[i])
    return U


def mixed(U, U_source, eta):
    """Final memberships: mixture of own and source ones, equation (6)."""
    B = np.zeros_like(U)
    for i in range(U.shape[0]):
        for k in range(U.shape[1]):
            B[i, k] = eta * U[i, k] + (1 - eta) * U_source[i, k]
    return B


def objective(X, U, V, source, gamma, lam, eta):
    """Objective of KT-MEC, equation (6)."""
    B = mixed(U, source_memberships(X, source, gamma), eta)
    J = 0.0
    for i in range(len(X)):
        for k in range(len(V)):
            J += B[i, k] * squared(X[i], V[k])
            J += lam * B[i, k] * squared(V[k], source[k])
            if U[i, k] > 0:
                J += gamma * U[i, k] * np.log(U[i, k])
    return J


def centers(X, U, source, gamma, lam, eta, sign):
    """Update of centers, equation (8): sign -1 as printed, +1 as derived."""
    B = mixed(U, source_memberships(X, source, gamma), eta)
    V = np.zeros_like(source)
    for k in range(len(source)):
        above, below = np.zeros(X.shape[1]), 0.0
        for i in range(len(X)):
            above += B[i, k] * X[i] + sign * lam * B[i, k] * source[k]
            below += B[i, k] + sign * lam * B[i, k]
        V[k] = above / below
    return V


def memberships(X, V, source, gamma, lam, eta):
    """Update of memberships, equation (12)."""
    U = np.zeros((len(X), len(V)))
    for i in range(len(X)):
        for k in range(len(V)):
            E = squared(X[i], V[k]) + lam * squared(V[k], source[k])
            U[i, k] = np.exp(-eta * E / gamma)
        U[i] /= sum(U[i])
    return U
