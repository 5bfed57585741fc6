"""The papers' algorithms as printed, with dense NumPy arrays.

What a competent reader of the formulas would write: whole matrices, products in place of loops,
full sorts. Nothing of Kinfolk is used; the starts are the same k-means runs.
"""

from math import ceil

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans

TIE = 1e-12


def layer(H, p, ridge):
    """Fit one denoising layer and return its output (algorithm 1)."""
    n, d = H.shape
    H1 = np.hstack([H, np.ones((n, 1))])
    q = np.append(np.full(d, 1 - p), 1.0)
    S = H1.T @ H1
    EP = S * q
    EQ = S * np.outer(q, q)
    np.fill_diagonal(EQ, S.diagonal() * q)
    EQ += ridge * np.eye(d + 1)
    W = np.linalg.solve(EQ.T, EP[:d].T).T
    return np.tanh(H1 @ W.T)


def common_features(X, p, n_layers, ridge):
    """Rows and all layers' outputs (algorithm 2)."""
    H = [X]
    for _ in range(n_layers):
        H.append(layer(H[-1], p, ridge))
    return np.hstack(H)


def task_weights(V, t, l):
    """Task weights alpha of task t (equation (20)), given V^ts for all s."""
    U = np.sort(V[t], axis=1)[:, ::-1]
    eps = np.median(U[:, l])
    return np.array([np.mean(Vs >= eps) for Vs in V])


def association_distances(V, alpha):
    """Squared distances of rows as affinity vectors (equation (9))."""
    A = np.zeros((len(V[0]), len(V[0])))
    for a, Vs in zip(alpha, V, strict=True):
        sizes = np.sum(Vs**2, axis=1)
        A += a * np.maximum(sizes[:, None] + sizes[None, :] - 2 * Vs @ Vs.T, 0)
    np.fill_diagonal(A, 0)
    return A


def consistent_similarity(A, l):
    """Similarity of a task's rows from distances (algorithm 3)."""
    n = len(A)
    np.fill_diagonal(A, -1)
    order = np.argsort(A, axis=1)[:, 1 : l + 2]
    B = np.take_along_axis(A, order, axis=1)
    edge = B[:, [l]]
    below = l * edge - B[:, :l].sum(axis=1, keepdims=True)
    tied = below <= TIE * l * A.max()
    weights = np.where(tied, 1 / l, (edge - B[:, :l]) / np.where(tied, 1, below))
    M = np.zeros((n, n))
    M[np.arange(n)[:, None], order[:, :l]] = weights
    M /= M.max(axis=1, keepdims=True)
    return (M + M.T) / 2


def symmetric_factorization(M, labels, k, max_iter, tol):
    """Multiplicative symmetric NMF (25) from labels; factor and objective."""
    Y = np.eye(k)[labels] + 0.2
    norm = np.sum(M**2)
    MY = M @ Y
    J = norm - 2 * np.sum(Y * MY) + np.sum((Y.T @ Y) ** 2)
    for _ in range(max_iter):
        Y = Y * np.sqrt(MY / (Y @ (Y.T @ Y)))
        MY = M @ Y
        last, J = J, norm - 2 * np.sum(Y * MY) + np.sum((Y.T @ Y) ** 2)
        if last - J <= tol * norm:
            break
    return Y, J


def draw_seeds(seed, n):
    """The seeds that Kinfolk draws for its starts."""
    return np.random.RandomState(seed).randint(np.iinfo(np.int32).max, size=n)


def start(Z, k, seed):
    """K-means labels of the rows."""
    return KMeans(k, n_init=1, random_state=seed).fit(Z).labels_


def best_labels(M, Z, k, seeds, max_iter, tol):
    """Labels of the lowest objective over k-means starts on the rows Z."""
    runs = [symmetric_factorization(M, start(Z, k, seed), k, max_iter, tol) for seed in seeds]
    return min(runs, key=lambda run: run[1])[0].argmax(axis=1)


def unit_rows(Z):
    """Rows of Euclidean length 1; rows of zeros stay."""
    lengths = np.sqrt(np.sum(Z**2, axis=1, keepdims=True))
    return Z / np.where(lengths > 0, lengths, 1)


def mtcfir(X, tasks, k, *, n_init, seed, noise, n_layers, neighbors, ridge, max_iter, tol):
    """Algorithm 4: labels (n,) and relatedness (T, T)."""
    X = X.toarray() if sp.issparse(X) else X
    seeds = draw_seeds(seed, n_init)
    Z = common_features(X, noise, n_layers, ridge)
    T = int(tasks.max()) + 1
    rows = [np.flatnonzero(tasks == t) for t in range(T)]
    cosines = [unit_rows(Z[r]) for r in rows]
    labels, relatedness = np.empty(len(X), dtype=int), np.empty((T, T))
    for t in range(T):
        n = len(rows[t])
        l = max(1, min(ceil(neighbors * n / k), n - 2))
        V = [cosines[t] @ other.T for other in cosines]
        alpha = task_weights(V, t, l)
        M = consistent_similarity(association_distances(V, alpha), l)
        labels[rows[t]] = best_labels(M, Z[rows[t]], k, seeds, max_iter, tol)
        relatedness[t] = alpha / alpha[t]
    return labels, relatedness


def symnmf(X, k, *, n_init, seed, max_iter, tol):
    """Equation (25) on the dense n x n cosines of sparse rows: labels (n,)."""
    seeds = draw_seeds(seed, n_init)
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    Z = sp.csr_array(sp.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ X)
    return best_labels((Z @ Z.T).toarray(), Z, k, seeds, max_iter, tol)
