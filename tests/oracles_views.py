"""Objectives and steps of methods of several views as loops; samples in rows.

A missing view is None in the list of a row's views: `views[v][i]` is an array or None.
"""

import numpy as np


def away(row, center):
    """Squared distance of a row to a center; 0 if the row lacks the view."""
    return 0.0 if row is None else sum((a - b) ** 2 for a, b in zip(row, center, strict=True))


def weighted_mean(rows, weights):
    """Weighted mean of the rows that have the view."""
    total, mass = 0.0, 0.0
    for row, weight in zip(rows, weights, strict=True):
        if row is not None:
            total = total + weight * row
            mass += weight
    return total / mass


def joined_kmeans(views, p, k, c):
    """One sweep of k-means on all views: centers, new clusters and objective."""
    V = [[weighted_mean(X, [float(pi == j) for pi in p]) for j in range(k)] for X in views]
    new, J = [], 0.0
    for i in range(len(p)):
        cost = [sum(c[v] * away(views[v][i], V[v][j]) for v in range(len(views))) for j in range(k)]
        new.append(int(np.argmin(cost)))
        J += min(cost)
    return V, new, J


def cofkm_powers(U, m, eta):
    """Mixed memberships of CoFKM for each view, row and cluster (Cleuziou et al. 2009)."""
    found = []
    for v in range(len(U)):
        P = (1 - eta) * U[v] ** m
        for w in range(len(U)):
            if w != v:
                P = P + eta / (len(U) - 1) * U[w] ** m
        found.append(P)
    return found


def cofkm_objective(views, U, A, m, eta):
    """Objective of CoFKM as printed, view by view."""
    J = 0.0
    for X, P, a in zip(views, cofkm_powers(U, m, eta), A, strict=True):
        for i in range(len(X)):
            for c in range(P.shape[1]):
                J += P[i, c] * away(X[i], a[c])
    return J


def cofkm_sweep(views, U, m, eta):
    """One sweep of CoFKM: centers, then memberships."""
    S, (n, k) = len(views), U[0].shape
    powers = cofkm_powers(U, m, eta)
    A = [[weighted_mean(X, P[:, c]) for c in range(k)] for X, P in zip(views, powers, strict=True)]
    new = [np.zeros((n, k)) for _ in views]
    for v in range(S):
        for i in range(n):
            E = np.zeros(k)
            for c in range(k):
                E[c] = (1 - eta) * away(views[v][i], A[v][c])
                for w in range(S):
                    if w != v:
                        E[c] += eta / (S - 1) * away(views[w][i], A[w][c])
            for c in range(k):
                new[v][i, c] = 1 / sum((E[c] / E[l]) ** (1 / (m - 1)) for l in range(k))
    return new, A


def multinmf_objective(tables, there, Y, H, C, lam):
    """Objective of MultiNMF (Liu et al. 2013); missing views add nothing."""
    J = 0.0
    for v, X in enumerate(tables):
        Q = H[v].sum(axis=1)
        for i in range(len(X)):
            if there[i, v]:
                J += sum((X[i] - Y[v][i] @ H[v]) ** 2) + lam * sum((Y[v][i] * Q - C[i]) ** 2)
    return J


def multinmf_sweep(tables, there, Y, H, C, lam, inner):
    """One multiplicative sweep of MultiNMF, entry by entry."""
    Y, H, k = [y.copy() for y in Y], [h.copy() for h in H], C.shape[1]
    for v, X in enumerate(tables):
        rows = [i for i in range(len(X)) if there[i, v]]
        for _ in range(inner):
            new = np.zeros_like(H[v])
            for a in range(k):
                s = sum(H[v][a])
                for j in range(X.shape[1]):
                    up = sum(Y[v][i, a] * (X[i, j] + lam * C[i, a]) for i in rows)
                    down = sum(Y[v][i, a] * (Y[v][i] @ H[v][:, j] + lam * s * Y[v][i, a])
                               for i in rows)  # fmt: skip
                    new[a, j] = H[v][a, j] * up / down
            sums = new.sum(axis=1)
            H[v], Y[v] = new / sums[:, None], Y[v] * sums
            old = Y[v].copy()
            for i in rows:
                for a in range(k):
                    up = X[i] @ H[v][a] + lam * C[i, a]
                    down = (old[i] @ H[v]) @ H[v][a] + lam * old[i, a]
                    Y[v][i, a] = old[i, a] * up / down
    mean = [sum(Y[v][i] for v in range(len(Y)) if there[i, v]) / sum(there[i])
            for i in range(len(C))]  # fmt: skip
    return Y, H, np.array(mean)


def plcmf_objective(tables, pseudo, r, beta, delta, lam, Y, A, B, C, g, w):
    """Objective of PLCMF (Wang et al. 2022)."""
    J = sum(beta * sum((Y[i] - C[g[i]]) ** 2) + lam * sum(Y[i] ** 2) for i in range(len(Y)))
    J += lam * sum(sum(row**2) for row in C)
    for v, X in enumerate(tables):
        J += lam * (np.sum(A[v] ** 2) + np.sum(B[v] ** 2))
        for i in range(len(X)):
            loss = sum((X[i] - Y[i] @ A[v]) ** 2)
            loss += delta * sum((pseudo[v][i] - Y[i] @ B[v]) ** 2)
            J += w[v] ** r * loss
    return J


def covh_distances(H, tables, centers, w, beta):
    """Weighted squared distances of each row to each cluster (MV-Co-VH)."""
    k = len(centers[0])
    D = np.zeros((len(H), k))
    for i in range(len(H)):
        for c in range(k):
            D[i, c] = beta * sum((H[i] - centers[0][c]) ** 2)
            for v, X in enumerate(tables):
                D[i, c] += (1 - beta) * w[v] * sum((X[i] - centers[v + 1][c]) ** 2)
    return D


def covh_objective(H, tables, U, centers, w, m, beta, eta):
    """Objective of MV-Co-VH: fuzzy clustering with entropy of view weights."""
    D = covh_distances(H, tables, centers, w, beta)
    return sum(U[i, c] ** m * D[i, c] for i in range(len(U)) for c in range(U.shape[1])) + (
        eta * sum(a * np.log(a) for a in w)
    )


def covh_sweep(H, tables, U, w, m, beta, eta):
    """One sweep of MV-Co-VH: centers, memberships, view weights."""
    n, k = U.shape
    centers = [np.array([weighted_mean(X, U[:, c] ** m) for c in range(k)]) for X in [H, *tables]]
    D = covh_distances(H, tables, centers, w, beta)
    new = np.zeros((n, k))
    for i in range(n):
        for c in range(k):
            new[i, c] = 1 / sum((D[i, c] / D[i, l]) ** (1 / (m - 1)) for l in range(k))
    E = np.zeros(len(tables))
    for v, X in enumerate(tables):
        for i in range(n):
            E[v] += sum(new[i, c] ** m * sum((X[i] - centers[v + 1][c]) ** 2) for c in range(k))
    w = np.exp(-(1 - beta) * (E - E.min()) / eta)
    return new, centers, w / w.sum()


def mvcf_objective(tables, Y, G, A, a, power, gamma):
    """Objective of MVCF (Zhan et al. 2018) as released, with unit concepts in the graph term."""
    J = gamma * sum(a**2)
    for v, X in enumerate(tables):
        C = G[v].T @ X
        rows = Y[v] * np.sqrt(np.sum(C**2, axis=1))
        J += a[v] * np.sum((X - Y[v] @ C) ** 2)
        for i in range(len(X)):
            for j in range(len(X)):
                J += a[v] * A[i, j] ** power * sum((rows[i] - rows[j]) ** 2)
    return J


def comsc_objective(kernels, U, b, g, Z, lam, mu):
    """Objective of CoMSC (Liu et al. 2022) as released."""
    J = lam * sum(sum(row**2) for row in Z)
    for p, K in enumerate(kernels):
        for j in range(len(Z)):
            J += b[p] * sum((U[p][:, j] - U[p] @ Z[:, j]) ** 2)
        J -= mu * g[p] * sum(u @ K @ u for u in U[p])
    return J


def comvsc_objective(tables, R, Fv, F, Q, Y, lam, power):
    """Objective of COMVSC (Zhang et al. 2022)."""
    n, k = F.shape
    J = 0.0
    for v, X in enumerate(tables):
        W = (R[v] + R[v].T) / 2
        L = np.diag(W.sum(axis=1)) - W
        J += np.trace(Fv[v].T @ L @ Fv[v]) + lam * np.sum(R[v] ** 2)
        for i in range(n):
            J += sum((X[i] - R[v][i] @ X) ** 2) + sum((Fv[v][i] - F[i]) ** 2)
    for i in range(n):
        for c in range(k):
            J += Y[i, c] ** power * sum((np.eye(k)[c] - F[i] @ Q) ** 2)
    return J


def local_graph(X, l, near=7):
    """Locally scaled graph of the l nearest rows, averaged with its transpose."""
    n = len(X)
    D = [[np.sqrt(sum((a - b) ** 2 for a, b in zip(x, y, strict=True))) for y in X] for x in X]
    ranked = [sorted((D[i][j], j) for j in range(n) if j != i) for i in range(n)]
    s = [row[min(near, n - 1) - 1][0] for row in ranked]
    W = np.zeros((n, n))
    for i in range(n):
        for length, j in ranked[i][:l]:
            W[i, j] = np.exp(-(length**2) / (s[i] * s[j]))
    return (W + W.T) / 2


def normalized_graph(W):
    """Normalized graph D^-1/2 W D^-1/2; rows without links stay 0."""
    d = W.sum(axis=1)
    S = np.zeros_like(W)
    for i in range(len(W)):
        for j in range(len(W)):
            if W[i, j]:
                S[i, j] = W[i, j] / np.sqrt(d[i] * d[j])
    return S


def coregularized_objective(graphs, U, C, lam):
    """Objective of co-regularized spectral clustering (Kumar et al. 2011)."""
    own = sum(np.trace(u.T @ S @ u) for S, u in zip(graphs, U, strict=True))
    pairs = [(u, C) for u in U] if C is not None else [
        (U[v], U[w]) for v in range(len(U)) for w in range(v)
    ]  # fmt: skip
    return -own - lam * sum(np.trace(a @ a.T @ b @ b.T) for a, b in pairs)


def top_projection(M, k):
    """Projection matrix on the k leading eigenvectors."""
    _, vectors = np.linalg.eigh(M)
    return vectors[:, -k:] @ vectors[:, -k:].T


def coregularized_sweep(graphs, P, center, lam, k):
    """One sweep of co-regularized spectral clustering, on projections U_v U_v'."""
    P = list(P)
    for v, S in enumerate(graphs):
        others = [center] if center is not None else [P[w] for w in range(len(P)) if w != v]
        P[v] = top_projection(S + lam * sum(others), k)
    return P, None if center is None else top_projection(sum(P), k)


def nemo_similarities(views, l):
    """Rappoport and Shamir (2019): mean relative similarity of rows; None where a view is missing.

    Of the density the source has the factor 1 / sqrt(2 pi), which is kept here.
    """
    n = len(views[0])
    total, count = np.zeros((n, n)), np.zeros((n, n))
    for X in views:
        there = [i for i in range(n) if X[i] is not None]
        square = {(i, j): away(X[i], X[j]) for i in there for j in there}
        near = {i: sorted((j for j in there if j != i), key=lambda j: square[i, j])[:l]
                for i in there}  # fmt: skip
        mean = {i: sum(square[i, j] for j in near[i]) / len(near[i]) for i in there}

        def density(i, j, square=square, mean=mean):
            s2 = (mean[i] + mean[j] + square[i, j]) / 3
            return np.exp(-square[i, j] / (2 * s2)) / (np.sqrt(2 * np.pi) * np.sqrt(s2))

        for i in there:
            for j in there:
                if i == j:
                    continue
                count[i, j] += 1
                if j in near[i]:
                    total[i, j] += density(i, j) / sum(density(i, r) for r in near[i])
                if i in near[j]:
                    total[i, j] += density(i, j) / sum(density(r, j) for r in near[j])
    return total / np.maximum(count, 1)


def snf_similarities(X, l, mu):
    """Wang et al. (2014): P and S of one view, with the widths of the authors' package."""
    n = len(X)
    r = [[np.sqrt(away(x, y)) for y in X] for x in X]
    near = [sorted((j for j in range(n) if j != i), key=lambda j: r[i][j])[:l] for i in range(n)]
    m = [sum(r[i][j] for j in near[i]) / len(near[i]) for i in range(n)]
    W, P, S = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            e = (m[i] + m[j] + r[i][j]) / 3
            W[i, j] = np.exp(-(r[i][j] ** 2) / (2 * (mu * e) ** 2))
    for i in range(n):
        for j in range(n):
            others = sum(W[i, a] for a in range(n) if a != i)
            P[i, j] = 0.5 if i == j else W[i, j] / (2 * others)
            S[i, j] = W[i, j] / sum(W[i, a] for a in near[i]) if j in near[i] else 0.0
    return P, S


def snf_exchange(P, S):
    """One exchange of all views at once, scaled to row sums of 1/2 beside a diagonal of 1/2."""
    found = []
    for v in range(len(P)):
        others = sum(P[w] for w in range(len(P)) if w != v) / (len(P) - 1)
        M = S[v] @ others @ S[v].T
        for i in range(len(M)):
            M[i, i] = 0.0
            M[i] /= 2 * sum(M[i])
            M[i, i] = 0.5
        found.append(M)
    return found


def cotrained_round(W, P, k):
    """Kumar and Daume (2011): projections U_v U_v' of all views after one round."""
    found = []
    for v, own in enumerate(W):
        others = [P[w] for w in range(len(P)) if w != v]
        M = sum(others) / len(others) @ own
        S = (M + M.T) / 2
        lowest = min(min(row) for row in S)
        if lowest < 0:
            S = S - lowest
        found.append(top_projection(normalized_graph(S), k))
    return found
