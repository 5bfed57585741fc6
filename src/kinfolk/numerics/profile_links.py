"""Similarity of clusters of different tasks: cosines of centered means, and chance levels.

    profile[c]  = mean of cluster c - mean of its task
    link[c,e]   = cosine of the profiles of c and e
    D           = trace(S) / p'Sp, at most d: the number of directions in which the rows of a task
                  vary around the means of their clusters, with covariance S, as seen from a
                  profile p of length 1 of another task
    P(cos >= x) = (1 - I(x^2; 1/2, (D - 1)/2)) / 2 for a random direction in D dimensions, x >= 0
    shared      = beta m, beta = (min(k, l) - 1) / sqrt(k (k - 1) l (l - 1)): the link of two
                  clusters, each of one task only, where two tasks of k and l clusters have all
                  others in common with links of m

I is the regularized incomplete beta function: cos^2 is Beta(1/2, (D - 1)/2) distributed.

Units   profiles have those of the rows; the rest has none.
Limits  D = 1: every direction has cosine 1 or -1, each with probability 1/2.
"""

import numpy as np
from scipy.special import betainc, betaincinv

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.numerics import distances, memberships, operators

# The beta distribution of cos^2 needs a positive parameter where D = 1.
LEAST_FREEDOM = 1e-9


def profiles(X: Table, means: Matrix, codes: Labels, owner: Labels, sizes: Labels) -> Matrix:
    """Profiles (C, d) of clusters: means less the mean of their task; 0 for empty clusters.

    Parameters
    ----------
    X, codes : (n, d), and the position of each row's task (n,)
    means, owner, sizes : of the clusters: (C, d), the positions of their tasks (C,), rows (C,)

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [3.0, 4.0]])
    >>> profiles(X, X, np.zeros(2, dtype=int), np.zeros(2, dtype=int), np.ones(2, dtype=int))
    array([[-1., -2.],
           [ 1.,  2.]])
    """
    task_means = memberships.centers(X, memberships.indicator(codes, int(codes.max()) + 1))
    found = means - task_means[owner]
    found[sizes == 0] = 0.0
    # A difference of equal means is rounding, whose direction would be taken for a profile.
    small = 1e-12 * np.sqrt(distances.squared_norms(task_means)[owner])
    found[np.linalg.norm(found, axis=1) <= small] = 0.0
    return found


def links(a: Matrix, b: Matrix) -> Matrix:
    """Cosine similarities (C, E) of cluster profiles a (C, d) and b (E, d).

    >>> links(np.array([[3.0, 4.0]]), np.array([[1.0, 0.0], [0.0, -2.0]]))
    array([[ 0.6, -0.8]])
    """
    return np.clip(distances.unit_rows(a) @ distances.unit_rows(b).T, -1.0, 1.0)


def directions(
    X: Table, means: Matrix, positions: Labels, codes: Labels, profiles: Matrix
) -> Matrix:
    """Effective number (C, T) of dimensions along which rows of each task vary within clusters.

    Parameters
    ----------
    means, positions : (K, d) of the clusters of these rows, and the cluster of each (n,)
    codes : (n,) their tasks
    profiles : (C, d) of clusters; variation along each is compared with that in all columns

    Returns
    -------
    (C, T), from 1 to d; d where the rows do not vary at all

    Examples
    --------
    >>> X = np.vstack([np.eye(3), -np.eye(3)])
    >>> one = np.zeros(6, dtype=int)
    >>> directions(X, np.zeros((1, 3)), one, one, np.array([[1.0, 0.0, 0.0]])).round(2)
    array([[3.]])
    """
    d = X.shape[1]
    P = distances.unit_rows(profiles)
    Y = memberships.indicator(codes, int(codes.max()) + 1)
    along = (operators.times(X, P.T) - (means @ P.T)[positions]) ** 2
    length = distances.squared_norms(X) @ Y
    trace = length - distances.squared_norms(means)[positions] @ Y
    # A difference of large sums: less than this is rounding.
    trace[trace <= 1e-12 * length] = 0.0
    seen = along.T @ Y
    D = np.divide(trace, seen, out=np.full_like(seen, d), where=(seen > 0) & (trace > 0))
    return np.clip(D, 1.0, d)


def chance_cosines(D: Matrix, share: Matrix) -> Matrix:
    """Cosines that random directions in D dimensions exceed with probability `share` <= 1/2.

    >>> chance_cosines(np.array([2.0, 3.0]), np.array([0.25, 0.05])).round(3)
    array([0.707, 0.9  ])
    """
    # Half of the distribution of cos^2 belongs to cosines below 0.
    return np.sqrt(betaincinv(0.5, np.maximum(D - 1.0, LEAST_FREEDOM) / 2.0, 1.0 - 2.0 * share))


def chance_probabilities(cosines: Matrix, D: Matrix) -> Matrix:
    """Probability that a random direction in D dimensions reaches these cosines.

    >>> chance_probabilities(np.array([0.9, -0.5]), np.array([3.0, 3.0])).round(3)
    array([0.05, 0.75])
    """
    half = (1.0 - betainc(0.5, np.maximum(D - 1.0, LEAST_FREEDOM) / 2.0, cosines**2)) / 2.0
    return np.where(cosines >= 0, half, 1.0 - half)


def shared_links(links: Matrix, rows: Labels, columns: Labels) -> Matrix:
    """Expected cosines (C, E) of two unmatched clusters if all others of their tasks match.

    Parameters
    ----------
    links : (C, E) links between clusters
    rows, columns : (C,) and (E,) positions of their tasks, in ascending order

    Examples
    --------
    >>> shared_links(np.eye(3), np.zeros(3, dtype=int), np.zeros(3, dtype=int))[0].round(2)
    array([0.33, 0.33, 0.33])
    """
    k = np.bincount(rows)[:, None]
    l = np.bincount(columns)
    spread = np.sqrt(k * (k - 1.0) * l * (l - 1.0))
    less = np.minimum(k, l) - 1.0
    beta = np.divide(less, spread, out=np.zeros_like(spread), where=spread > 0)
    first = np.unique(rows, return_index=True)[1], np.unique(columns, return_index=True)[1]
    most = np.maximum.reduceat(np.maximum.reduceat(links, first[0], axis=0), first[1], axis=1)
    common: Matrix = (beta * np.clip(most, 0.0, 1.0))[np.ix_(rows, columns)]
    return common
