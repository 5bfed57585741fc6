"""The papers' formulas as loops: slow, plain, and independent of everything in `kinfolk`.

Equation numbers are those of the source named in each docstring. Samples stand in rows.
"""

from math import ceil

import numpy as np
import scipy.optimize


def denoising_layer(H, p, ridge):
    """Denoising layer (Zhang, Zhang, Liu 2019, equations (3)-(6)) and its output."""
    n, d = H.shape
    H1 = np.hstack([H, np.ones((n, 1))])
    q = np.append(np.full(d, 1 - p), 1.0)
    S = np.zeros((d + 1, d + 1))
    for i in range(d + 1):
        for j in range(d + 1):
            S[i, j] = sum(H1[a, i] * H1[a, j] for a in range(n))
    EP, EQ = np.zeros_like(S), np.zeros_like(S)
    for i in range(d + 1):
        for j in range(d + 1):
            EP[i, j] = S[i, j] * q[j]
            EQ[i, j] = S[i, j] * q[i] * q[j] if i != j else S[i, i] * q[i] + ridge
    W = EP @ np.linalg.inv(EQ)
    return np.tanh(H1 @ W[:d].T)


def common_features(X, p, n_layers, ridge):
    """Rows and outputs of all denoising layers, side by side."""
    H = [X]
    for _ in range(n_layers):
        H.append(denoising_layer(H[-1], p, ridge))
    return np.hstack(H)


def cosine(a, b):
    size = np.sqrt(a @ a) * np.sqrt(b @ b)
    return a @ b / size if size > 0 else 0.0


def gaussian(h):
    return lambda a, b: np.exp(-((a - b) @ (a - b)) / (2 * h**2))


def of_own_task(tasks, value):
    """Make a function of a row that knows the rows of its task."""
    found = {row.tobytes(): value(row, rows) for rows in tasks for row in rows}
    return lambda row: found[row.tobytes()]


def scale(row, rows, nearest=7):
    """Zelnik-Manor, Perona (2004): distance to the 7th nearest row, of those elsewhere."""
    lengths = sorted(np.linalg.norm(row - other) for other in rows)
    apart = [length for length in lengths if length > 0]
    return apart[min(nearest, len(apart)) - 1] if apart else 1.0


def local_gaussian(tasks):
    """Locally scaled Gaussian affinity for rows of these tasks."""
    s = of_own_task(tasks, scale)
    return lambda a, b: np.exp(-((a - b) @ (a - b)) / (s(a) * s(b)))


def local_neighbors(tasks, links):
    """Locally scaled Gaussian affinity of rows of which one is among the nearest of the other."""
    full = local_gaussian(tasks)
    r = of_own_task(tasks, lambda row, rows: scale(row, rows, links))

    def affinity(a, b):
        near = np.linalg.norm(a - b) <= (1 + 1e-9) * max(r(a), r(b))
        return full(a, b) if near else 0.0

    return affinity


def centered_cosine(tasks):
    """Cosine affinity of rows, each less the mean of its task."""
    mean = of_own_task(tasks, lambda row, rows: rows.mean(axis=0))
    return lambda a, b: cosine(a - mean(a), b - mean(b))


def associations(Z, s):
    """Affinity matrices V^ts for all pairs of tasks; s is a function of two rows."""
    return [[np.array([[s(a, b) for b in Zs] for a in Zt]) for Zs in Z] for Zt in Z]


def neighbor_counts(sizes, k, share):
    """Number of neighbors per task, at most n - 2 (MTCFIR, section 4.3)."""
    return [max(1, min(ceil(share * n / c), n - 2)) for n, c in zip(sizes, k)]


def thresholds(V, l):
    """Affinity threshold of a task: median of the (l+1)-th largest per column."""
    eps = []
    for t in range(len(V)):
        U = -np.sort(-V[t][t], axis=0)
        eps.append(float(np.median(U[l[t], :])))
    return eps


def task_weights(V, eps):
    """MTCFIR's task weights alpha, equation (20)."""
    T = len(V)
    alpha = np.zeros((T, T))
    for t in range(T):
        for s in range(T):
            alpha[t, s] = sum(v >= eps[t] for row in V[t][s] for v in row) / V[t][s].size
    return alpha


def association_distances(V, alpha, t):
    """Squared distances of rows as vectors of affinities, equation (9)."""
    n = len(V[t][t])
    A = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for s in range(len(V)):
                difference = V[t][s][i] - V[t][s][j]
                A[i, j] += alpha[t, s] * (difference @ difference)
    return A


def consistent_similarity(A, l):
    """MTCFIR's similarity from distances, equations (14), (16), (19), averaged."""
    n = len(A)
    M = np.zeros((n, n))
    for j in range(n):
        others = [i for i in np.argsort(A[:, j], kind="stable") if i != j]
        B = [0.0, *(A[i, j] for i in others)]
        beta = (l * B[l + 1] - sum(B[1 : l + 1])) / 2
        for i in others[:l]:
            if beta > 0:
                lam = 1 / l + sum(B[1 : l + 1]) / (2 * l * beta)
                M[i, j] = -A[i, j] / (2 * beta) + lam
            else:
                M[i, j] = 1 / l
    M = M / M.max(axis=0)
    return (M + M.T) / 2


def symmetric_step(M, Y):
    """Multiplicative step of symmetric factorization, equation (25)."""
    n, k = Y.shape
    new = np.zeros_like(Y)
    for i in range(n):
        for j in range(k):
            above = sum(M[i, a] * Y[a, j] for a in range(n))
            below = sum(sum(Y[i, c] * Y[a, c] for c in range(k)) * Y[a, j] for a in range(n))
            new[i, j] = Y[i, j] * np.sqrt(above / below)
    return new


def symmetric_objective(M, Y):
    """Squared error of symmetric factorization, equation (21)."""
    return float(sum((M[i, j] - Y[i] @ Y[j]) ** 2 for i in range(len(M)) for j in range(len(M))))


def mec_objective(X, U, V, gamma):
    """Free energy of maximum-entropy clustering (Qian et al. 2015, equation (1))."""
    total = 0.0
    for i in range(len(X)):
        for j in range(len(V)):
            total += U[i, j] * ((X[i] - V[j]) @ (X[i] - V[j]))
            if U[i, j] > 0:
                total += gamma * U[i, j] * np.log(U[i, j])
    return total


def mec_sweep(X, U, gamma):
    """Centers, then memberships, of maximum-entropy clustering, equations (2), (3)."""
    n, k = U.shape
    V = np.zeros((k, X.shape[1]))
    for j in range(k):
        for i in range(n):
            V[j] += U[i, j] * X[i]
        V[j] /= sum(U[i, j] for i in range(n))
    new = np.zeros_like(U)
    for i in range(n):
        for j in range(k):
            new[i, j] = np.exp(-((X[i] - V[j]) @ (X[i] - V[j])) / gamma)
        new[i] /= new[i].sum()
    return new, V


def nonnegative_rows(G, B):
    """Minimize y'Gy - 2 b'y over y >= 0 for each row, by enumeration, for regular G."""
    R = np.linalg.cholesky(G).T
    return np.array([scipy.optimize.nnls(R, np.linalg.solve(R.T, b))[0] for b in B])
