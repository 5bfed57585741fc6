"""Co-MVCF (Hu, Shen, Huang, Huang, 2023) as printed, with dense arrays.

Every kernel and the affinity are whole matrices. `rule="printed"` is (14) and (15) as they stand;
"split" is their form for data of any sign, with the same whole matrices.
"""

import numpy as np
from sklearn.cluster import KMeans


def affinity(X, l, h):
    """Symmetric heat-kernel graph (n, n) of the l nearest other rows."""
    sizes = np.sum(X**2, axis=1)
    D = np.maximum(sizes[:, None] + sizes - 2 * X @ X.T, 0)
    np.fill_diagonal(D, np.inf)
    near = np.argsort(D, axis=1)[:, :l]
    A = np.take_along_axis(D, near, axis=1)
    if h is None:
        h = np.median(np.sqrt(A)) or 1.0
    S = np.zeros_like(D)
    np.put_along_axis(S, near, np.exp(-A / (2 * h**2)), axis=1)
    return np.maximum(S, S.T)


def halves(X):
    """Non-negative P and N (n, n) with XX' = P - N."""
    up, down = np.maximum(X, 0), np.maximum(-X, 0)
    return up @ up.T + down @ down.T, up @ down.T + down @ up.T


def root(old, a, b, c):
    """Minimiser of a x^2 / old - 2 b x - 2 c old log x over x > 0."""
    x = old * (b + np.sqrt(b**2 + 4 * a * c)) / (2 * a)
    return np.where(b < 0, np.maximum(x, old / 10), x)


def objective(w, visible, latent, eta):
    """Objective (9) from the views' terms, latent terms and weight entropy."""
    return w @ visible + latent + eta * np.sum(w * np.log(np.maximum(w, 1e-300)))


def fit(views, k, *, alpha, beta, gamma, eta, l, h, seed, sweeps, rule="printed", n_concepts=None):
    """Labels (n,) and the trace of J over a fixed number of sweeps, from a k-means start."""
    X = np.hstack(views)
    n, r = len(X), n_concepts or k
    S = affinity(X, l, h) if gamma > 0 else np.zeros((n, n))
    degrees = S.sum(axis=1)
    L = np.diag(degrees) - S
    K = [view @ view.T for view in views]
    split = [halves(view) for view in views] if rule == "split" else None
    p = KMeans(k, n_init=1, random_state=seed).fit(X).labels_
    groups = p if r == k else KMeans(r, n_init=1, random_state=seed).fit(X).labels_
    Y = np.eye(r)[groups] + 0.2
    G = [Y / Y.sum(axis=0) for _ in views]
    w = np.full(len(views), 1 / len(views))

    def loss(p, z):
        return np.array([np.sum((view - c[p]) ** 2) for view, c in zip(views, z, strict=True)])

    def residuals():
        return np.array([np.sum((v - Y @ (g.T @ v)) ** 2) for v, g in zip(views, G, strict=True)])

    def now(p, Z, z):
        latent = gamma * np.sum(Y * (L @ Y)) + beta * np.sum((Y - Z[p]) ** 2)
        return objective(w, alpha * residuals() + (1 - beta) * loss(p, z), latent, eta)

    def centers(rows, p):
        P = np.eye(k)[p]
        return (P / P.sum(axis=0)).T @ rows

    trace = [now(p, centers(Y, p), [centers(view, p) for view in views])]
    for _ in range(sweeps):
        Z, z = centers(Y, p), [centers(view, p) for view in views]  # (10)
        cost = beta * np.sum((Y[:, None] - Z) ** 2, axis=2)  # (11)
        for weight, view, c in zip(w, views, z, strict=True):
            D = np.sum(view**2, axis=1)[:, None] + np.sum(c**2, axis=1) - 2 * view @ c.T
            cost += (1 - beta) * weight * D
        p = cost.argmin(axis=1)
        Q = Y.T @ Y
        for v in range(len(views)):  # (14)
            b = K[v] @ Y
            if rule == "printed":
                G[v] = G[v] * b / (K[v] @ G[v] @ Q)
            else:
                G[v] = root(G[v], split[v][0] @ G[v] @ Q, b, split[v][1] @ G[v] @ Q)
        b, A = beta * Z[p], np.zeros((r, r))  # (15)
        for v in range(len(views)):
            b += alpha * w[v] * (K[v] @ G[v])
            A += alpha * w[v] * (G[v].T @ K[v] @ G[v])
        b += gamma * (S @ Y)
        stiff = beta * Y + gamma * degrees[:, None] * Y
        if rule == "printed":
            Y = Y * b / (Y @ A + stiff)
        else:
            Y = root(Y, Y @ np.maximum(A, 0) + stiff, b, Y @ np.maximum(-A, 0))
        cost = (1 - beta) * loss(p, z) + alpha * residuals()  # (16)
        w = np.exp(-(cost - cost.min()) / eta)
        w = w / w.sum()
        trace.append(now(p, Z, z))
    return p, np.array(trace)
