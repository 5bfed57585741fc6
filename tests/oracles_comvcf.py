"""Hu, Shen, Huang, Huang (2023) as loops; samples in rows, Y (n, r) for the paper's V'.

The steps for G and Y are the paper's (14) and (15), or, for any sign, the minimisers of the
separable bound of `kinfolk.numerics.concepts`, entry by entry. `there` (n, V) has 0 where a row
lacks a view: equation (9o) of `kinfolk.numerics.visible_latent`.
"""

import numpy as np


def inner(X):
    """Gram matrix K = XX'."""
    return np.array([[sum(a * b for a, b in zip(x, y)) for y in X] for x in X])


def halves(X):
    """Non-negative matrices P and N with K = P - N, from the signs of X."""
    up, down = np.where(X > 0, X, 0.0), np.where(X < 0, -X, 0.0)
    n = len(X)
    P, N = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            P[i, j] = sum(up[i] * up[j]) + sum(down[i] * down[j])
            N[i, j] = sum(up[i] * down[j]) + sum(down[i] * up[j])
    return P, N


def nearest_graph(X, l, h):
    """Symmetric heat-kernel graph of the l nearest other rows."""
    n = len(X)
    S = np.zeros((n, n))
    for i in range(n):
        order = sorted((j for j in range(n) if j != i), key=lambda j: sum((X[i] - X[j]) ** 2))
        for j in order[:l]:
            S[i, j] = S[j, i] = np.exp(-sum((X[i] - X[j]) ** 2) / (2 * h**2))
    return S


def means(rows, p, k, there=None):
    """Cluster means, equation (10), over the rows that are there."""
    own = [i for i in range(len(p)) if there is None or there[i]]
    inside = [[i for i in own if p[i] == c] for c in range(k)]
    return np.array([sum(rows[i] for i in members) / len(members) for members in inside])


def squares(Y, X, G, there=None):
    """Squared reconstruction error |X - Y G'X|_F^2 of the rows that are there."""
    total = 0.0
    for i in range(len(X)):
        if there is not None and not there[i]:
            continue
        rebuilt = np.zeros(X.shape[1])
        for j in range(Y.shape[1]):
            for a in range(len(X)):
                rebuilt += Y[i, j] * G[a, j] * X[a]
        total += sum((X[i] - rebuilt) ** 2)
    return total


def roughness(S, Y):
    """Graph smoothness tr(Y'LY), each pair once."""
    n = len(S)
    return sum(S[i, j] * sum((Y[i] - Y[j]) ** 2) for i in range(n) for j in range(i))


def objective(views, S, Y, G, p, Z, z, w, alpha, beta, gamma, eta, there=None):
    """Objective of Co-MVCF, equation (9), or (9o) where rows lack views."""
    o = np.ones((len(Y), len(views))) if there is None else there
    J = gamma * roughness(S, Y)
    for v, X in enumerate(views):
        J += alpha * w[v] * squares(Y, X, G[v], o[:, v])
        J += eta * o[:, v].mean() * (w[v] * np.log(w[v]) if w[v] > 0 else 0)
        loss = [o[i, v] * sum((X[i] - z[v][p[i]]) ** 2) for i in range(len(p))]
        J += (1 - beta) * w[v] * sum(loss)
    return J + beta * sum(sum((Y[i] - Z[p[i]]) ** 2) for i in range(len(p)))


def root(old, a, b, c):
    """Minimiser of a x^2 / old - 2 b x - 2 c old log x over x > 0, at least old / 10 if b < 0."""
    x = old * (b + np.sqrt(b * b + 4 * a * c)) / (2 * a)
    return max(x, old / 10) if b < 0 else x


def concept_step(X, Y, G, printed, there=None):
    """Update of concepts, equation (14), or its form for data of any sign."""
    own = [i for i in range(len(X)) if there is None or there[i]]
    K, (P, N) = inner(X), halves(X)
    Q, new = sum(np.outer(Y[i], Y[i]) for i in own), G.copy()
    for i in own:
        for j in range(G.shape[1]):
            b = sum(K[i, a] * Y[a, j] for a in range(len(G)))
            if printed:
                new[i, j] = G[i, j] * b / ((K[i] @ G) @ Q[:, j])
            else:
                new[i, j] = root(G[i, j], (P[i] @ G) @ Q[:, j], b, (N[i] @ G) @ Q[:, j])
    return new


def membership_step(views, S, Y, G, p, Z, w, alpha, beta, gamma, printed, there=None):
    """Update of the latent space, equation (15), or its form for any sign."""
    new, D = np.zeros_like(Y), S.sum(axis=1)
    KG = [inner(X) @ g for X, g in zip(views, G)]
    for i in range(len(Y)):
        own = [v for v in range(len(views)) if there is None or there[i, v]]
        A = sum(alpha * w[v] * G[v].T @ KG[v] for v in own)  # a matrix for each pattern of views
        for j in range(Y.shape[1]):
            b = beta * Z[p[i], j] + alpha * sum(w[v] * KG[v][i, j] for v in own)
            b += gamma * sum(S[i, a] * Y[a, j] for a in range(len(Y)))
            stiff = (beta + gamma * D[i]) * Y[i, j]
            if printed:
                new[i, j] = Y[i, j] * b / (Y[i] @ A[:, j] + stiff)
            else:
                up = sum(Y[i, c] * max(A[c, j], 0) for c in range(len(A)))
                down = sum(Y[i, c] * max(-A[c, j], 0) for c in range(len(A)))
                new[i, j] = root(Y[i, j], up + stiff, b, down)
    return new


def sweep(views, S, Y, G, p, w, k, alpha, beta, gamma, eta, printed, there=None):
    """One sweep of Co-MVCF: Y, G, p, Z, z, w by equations (10), (11), (14), (15), (16)."""
    o = np.ones((len(Y), len(views))) if there is None else there
    Z, z = means(Y, p, k), [means(X, p, k, o[:, v]) for v, X in enumerate(views)]
    cost = np.zeros((len(Y), k))
    for i in range(len(Y)):
        for c in range(k):
            cost[i, c] = beta * sum((Y[i] - Z[c]) ** 2)
            for v, X in enumerate(views):
                cost[i, c] += o[i, v] * (1 - beta) * w[v] * sum((X[i] - z[v][c]) ** 2)
    p = cost.argmin(axis=1)
    G = [concept_step(X, Y, g, printed, o[:, v]) for v, (X, g) in enumerate(zip(views, G))]
    Y = membership_step(views, S, Y, G, p, Z, w, alpha, beta, gamma, printed, o)
    loss, q = np.zeros(len(views)), o.mean(axis=0)
    for v, X in enumerate(views):
        E = sum(o[i, v] * sum((X[i] - z[v][p[i]]) ** 2) for i in range(len(p)))
        loss[v] = ((1 - beta) * E + alpha * squares(Y, X, G[v], o[:, v])) / q[v]
    w = np.exp(-(loss - loss.min()) / eta)
    return Y, G, p, Z, z, w / (q @ w)
