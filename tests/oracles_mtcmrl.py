"""Zhang, Zhang, Liu, Luo (2018), as loops, with samples in rows and J over pairs t < s."""

import numpy as np


def squared_gaps(W, V):
    """Squared distances between columns of two tasks' models."""
    A = np.zeros((W.shape[1], V.shape[1]))
    for i in range(W.shape[1]):
        for j in range(V.shape[1]):
            A[i, j] = sum((W[f, i] - V[f, j]) ** 2 for f in range(len(W)))
    return A


def objective(X, M, Y, W, G, lam, mu, alpha, beta):
    """Objective of MTCMRL, equation (3); G maps (t, s), t < s, to a matrix."""
    total = 0.0
    for t in range(len(X)):
        n, k = Y[t].shape
        for i in range(n):
            for j in range(n):
                total += (M[t][i, j] - sum(Y[t][i, c] * Y[t][j, c] for c in range(k))) ** 2 / 2
            for c in range(k):
                total += lam * (Y[t][i, c] - X[t][i] @ W[t][:, c]) ** 2
        total += mu * sum(w**2 for w in W[t].ravel())
    for (t, s), relation in G.items():
        A = squared_gaps(W[t], W[s])
        for i in range(A.shape[0]):
            for j in range(A.shape[1]):
                total += alpha * (A[i, j] * relation[i, j] + beta * relation[i, j] ** 2)
    return total


def nearest_of_simplex(f, beta):
    """Minimize beta |g|^2 + f'g over the simplex, by trying every support."""
    best, least = None, np.inf
    for subset in range(1, 2 ** len(f)):
        support = [i for i in range(len(f)) if subset >> i & 1]
        theta = (sum(-f[i] / (2 * beta) for i in support) - 1) / len(support)
        g = np.zeros(len(f))
        for i in support:
            g[i] = -f[i] / (2 * beta) - theta
        value = beta * g @ g + f @ g
        if g.min() >= 0 and value < least:
            best, least = g, value
    return best


def relation(W, V, beta):
    """Optimal relations of two tasks' models, equation (5)."""
    A = squared_gaps(W, V)
    return nearest_of_simplex(A.ravel(), beta).reshape(A.shape)


def regression(X, Y, others, lam, mu, alpha):
    """Regression weights, equation (7), column by column."""
    d = X.shape[1]
    W = np.zeros((d, Y.shape[1]))
    for i in range(Y.shape[1]):
        h = sum(G[i, j] for _, G in others for j in range(G.shape[1]))
        left = lam * X.T @ X + (mu + alpha * h) * np.eye(d)
        right = lam * X.T @ Y[:, i]
        for V, G in others:
            for j in range(G.shape[1]):
                right = right + alpha * G[i, j] * V[:, j]
        W[:, i] = np.linalg.solve(left, right)
    return W


def membership_step(M, Y, Q, lam, power):
    """Update of memberships, equation (19), with a power."""
    n, k = Y.shape
    new = np.zeros_like(Y)
    for i in range(n):
        for j in range(k):
            up, down = lam * max(Q[i, j], 0.0), lam * Y[i, j] + lam * max(-Q[i, j], 0.0)
            for a in range(n):
                up += max(M[i, a], 0.0) * Y[a, j]
                down += max(-M[i, a], 0.0) * Y[a, j]
                down += sum(Y[i, c] * Y[a, c] for c in range(k)) * Y[a, j]
            new[i, j] = Y[i, j] * (up / down) ** power
    return new


def sweep(X, M, Y, W, G, lam, mu, alpha, beta):
    """One pass of algorithm 1 over the tasks."""
    Y, W, G = list(Y), list(W), dict(G)
    for t in range(len(X)):
        others = [s for s in range(len(X)) if s != t]
        for s in others:
            found = relation(W[t], W[s], beta)
            G[min(t, s), max(t, s)] = found if t < s else found.T
        pairs = [(W[s], G[t, s] if t < s else G[s, t].T) for s in others]
        W[t] = regression(X[t], Y[t], pairs, lam, mu, alpha)
        Y[t] = membership_step(M[t], Y[t], X[t] @ W[t], lam, 0.5)
    return Y, W, G


def itakura_saito(x, y):
    """Itakura-Saito divergence of two positive rows."""
    return sum(a / b - np.log(a / b) - 1 for a, b in zip(x, y))
