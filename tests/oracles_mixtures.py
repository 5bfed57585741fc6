"""Gaussian mixtures as loops: slow, plain, and independent of everything in `kinfolk`.

Equation numbers are those of `numerics/gaussian_mixtures.py`.
"""

import numpy as np
from scipy.special import gamma


def density(x, m, S):
    """Density of a multivariate normal distribution."""
    u = x - m
    return np.exp(-0.5 * u @ np.linalg.inv(S) @ u) / np.sqrt(np.linalg.det(2 * np.pi * S))


def heavy_density(x, m, S, v):
    """Density of a multivariate Student's t distribution with v degrees of freedom."""
    u = x - m
    d = len(x)
    height = gamma((v + d) / 2) / (gamma(v / 2) * np.sqrt(np.linalg.det(v * np.pi * S)))
    return height * (1 + u @ np.linalg.inv(S) @ u / v) ** (-(v + d) / 2)


def number_density(x, mixture, j):
    """Density of the numbers x (d,) of one row in cluster j of a `mixed_mixtures.Mixture`."""
    m, S = mixture.centers[j], mixture.covariances[j]
    return density(x, m, S) if mixture.tails is None else heavy_density(x, m, S, mixture.tails)


def loss(tables, weights, centers, S, rows, L):
    """Penalised negative log-likelihood with one covariance, equation (1)."""
    J = rows / 2 * (np.log(np.linalg.det(S)) + np.trace(np.linalg.inv(S) @ L))
    for X, w, M in zip(tables, weights, centers, strict=True):
        for x in X:
            J -= np.log(sum(w[j] * density(x, M[j], S) for j in range(len(w))))
    return J


def memberships(X, w, M, S):
    """Posterior probabilities of clusters, equation (2)."""
    R = np.array([[w[j] * density(x, M[j], S) for j in range(len(w))] for x in X])
    return R / R.sum(axis=1, keepdims=True)


def maximized(tables, R, rows, L):
    """M step: weights, means and common covariance, equations (3) and (4)."""
    S = rows * L
    weights = []
    centers = []
    for X, R_t in zip(tables, R, strict=True):
        k = R_t.shape[1]
        w = np.array([sum(R_t[i, j] for i in range(len(X))) / len(X) for j in range(k)])
        M = np.array(
            [
                sum(R_t[i, j] * X[i] for i in range(len(X))) / sum(R_t[i, j] for i in range(len(X)))
                for j in range(k)
            ]
        )
        for i in range(len(X)):
            for j in range(k):
                S = S + R_t[i, j] * np.outer(X[i] - M[j], X[i] - M[j])
        weights.append(w)
        centers.append(M)
    return weights, centers, S / (rows + sum(len(X) for X in tables))


def score(centers):
    """Sum of distances of equally numbered centers over pairs of tasks."""
    T, k, _ = centers.shape
    return sum(
        np.sqrt(sum((centers[t, r] - centers[s, r]) ** 2))
        for t in range(T)
        for s in range(t)
        for r in range(k)
    )


def drawn(losses, s, estimates, center):
    """Sum of losses plus distances to the common center (`numerics/common_centers.py`)."""
    return sum(
        losses[t](estimates[t]) + s[t] * np.sqrt(sum((estimates[t] - center) ** 2))
        for t in range(len(losses))
    )


def posterior(x, w, M, coef):
    """Cluster probabilities of one row by linear discriminants (MTL-GMM)."""
    found = [w[r] * np.exp(coef[r] @ (x - (M[0] + M[r]) / 2)) for r in range(len(w))]
    return np.array(found) / sum(found)
