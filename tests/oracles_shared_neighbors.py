"""Formulas of MTCTKI and SAMTC and their numerics, as loops."""

import numpy as np


def unit(Z):
    """Rows of Z, each divided by its length."""
    return np.array([z / np.sqrt(z @ z) for z in Z])


def cosine(x, z):
    return x @ z / np.sqrt((x @ x) * (z @ z))


def neighbors(Z, i, there, l):
    """The l nearest rows to row i among `there`, without itself."""
    ranked = sorted((-cosine(Z[i], Z[j]), j) for j in there if j != i)
    return {j for minus, j in ranked[:l] if minus < 0}


def median_distance(Z, own):
    """Median distance over all pairs of different rows."""
    gaps = [np.linalg.norm(Z[i] - Z[j]) for i in own for j in own if i < j]
    return np.median(gaps)


def similarity(Z, own, groups, h=None):
    """Shared-neighbor similarity of the rows `own`, in groups (rows, l, q, takers)."""
    S = np.zeros((len(own), len(own)))
    found = [{i: neighbors(Z, i, there, l) for i in takers} for there, l, _, takers in groups]
    for a, i in enumerate(own):
        for b, j in enumerate(own):
            for near, (_, _, q, _) in zip(found, groups):
                if i != j and i in near and j in near:
                    S[a, b] += q * len(near[i] & near[j])
            if h is not None:
                S[a, b] *= np.exp(-np.sum((Z[i] - Z[j]) ** 2) / (2 * h**2))
    return S


def similarity_of_new(Z, z, own, groups, h=None):
    """Shared-neighbor similarity of a new row z to the rows `own`."""
    seen = np.vstack([Z, z])
    new = len(Z)
    closest = max(own, key=lambda i: cosine(z, Z[i]))
    w = np.zeros(len(own))
    for b, j in enumerate(own):
        for there, l, q, takers in groups:
            if closest in takers and j in takers:
                w[b] += q * len(neighbors(seen, new, there, l) & neighbors(Z, j, there, l))
        if h is not None:
            w[b] *= np.exp(-np.sum((z - Z[j]) ** 2) / (2 * h**2))
    return w


def embedding(S, k):
    """Spectral embedding: k leading eigenvectors, rows at unit length."""
    d = S.sum(axis=1)
    vectors = np.linalg.eigh(S / np.sqrt(np.outer(d, d)))[1][:, ::-1][:, :k]
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def extended(S, w, k):
    """Embedding of a new row from its similarities w."""
    d = S.sum(axis=1)
    values, vectors = np.linalg.eigh(S / np.sqrt(np.outer(d, d)))
    v = np.zeros(k)
    for c in range(k):
        column = -1 - c
        for i in range(len(d)):
            v[c] += w[i] * vectors[i, column] / np.sqrt(d[i]) / values[column]
    return v / np.linalg.norm(v), vectors[:, ::-1][:, :k]


def criterion(X, codes, a):
    """Scatter of all rows less the distances between tasks' means, as a matrix."""
    n, d = X.shape
    T = codes.max() + 1
    C = np.zeros((d, d))
    for x in X:
        C += (1 - a) * np.outer(x - X.mean(axis=0), x - X.mean(axis=0)) / n
    for t in range(T):
        for s in range(t + 1, T):
            gap = X[codes == t].mean(axis=0) - X[codes == s].mean(axis=0)
            C -= a * 2 / (T * (T - 1)) * np.outer(gap, gap)
    return C


def divergence_of_terms(P, Q):
    """Jensen-Shannon divergence of the word shares of two sets of rows."""
    p, q = P.sum(axis=0) / P.sum(), Q.sum(axis=0) / Q.sum()
    total = 0.0
    for pf, qf in zip(p, q):
        total += pf * np.log(2 * pf / (pf + qf)) / 2 if pf else 0.0
        total += qf * np.log(2 * qf / (pf + qf)) / 2 if qf else 0.0
    return total


def density(x, rows, h):
    return np.mean([np.exp(-np.sum((x - y) ** 2) / (2 * h * h)) for y in rows])


def divergence_of_densities(P, Q, h):
    """Jensen-Shannon divergence of kernel densities, leaving each row out."""
    total = 0.0
    for own, other in ((P, Q), (Q, P)):
        for i, x in enumerate(own):
            rest = [y for j, y in enumerate(own) if j != i] or [x]
            p, q = density(x, rest, h), density(x, other, h)
            total += np.log(2 * p / (p + q)) / len(own) / 2
    return total
