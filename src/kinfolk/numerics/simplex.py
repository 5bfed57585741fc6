"""Projection onto the probability simplex, and solvers of a quadratic programme over it.

    minimize beta |g|^2 + <f, g> over the simplex                                  (P)

has the solution p = project(-f / (2 beta)), the Euclidean projection. Its certificate is one
number theta such that p = max(v - theta, 0) and sum of p = 1.

Exact   sorting finds theta in O(m log m); no solver is needed.
Source  Held, Wolfe, Crowder (1974) for theta. `quadratic_program` and `frank_wolfe` solve (P) by
        the two ways of Zhang, Zhang, Liu, Luo (2018), section 4.8, to compare them.
"""

import numpy as np
from scipy.optimize import nnls

from kinfolk.arrays import Matrix, Vector

GAP = 1e-4
"""Frank-Wolfe stops when g is within this share of beta of the lowest value of (P)."""


def project(V: Matrix, axis: int | None = None) -> Matrix:
    """Project V, or each vector along an axis, onto the probability simplex.

    Parameters
    ----------
    V : array of any shape; entries may be -inf, which become 0, as long as one of each is finite
    axis : None takes the whole array as one vector

    Examples
    --------
    >>> project(np.array([0.5, 0.9, -np.inf]))
    array([0.3, 0.7, 0. ])
    """
    if axis == -1:  # for small V half of the time goes into moving axes
        return _project_rows(V)
    if axis is not None:
        return np.moveaxis(_project_rows(np.moveaxis(V, axis, -1)), -1, axis)
    return _project_rows(V.ravel()).reshape(V.shape)


def _project_rows(V: Matrix) -> Matrix:
    # Differences to the largest entry are exact where it matters, whatever the scale of V.
    rows = V - V.max(axis=-1, keepdims=True)
    falling = np.sort(rows, axis=-1)[..., ::-1]
    thetas = (falling.cumsum(axis=-1) - 1.0) / np.arange(1, V.shape[-1] + 1)
    # theta is the largest of them: each further entry above it would raise it.
    theta = thetas.max(axis=-1, keepdims=True)
    return np.maximum(rows - theta, 0.0)


def projection(f: Vector, beta: float, g: Vector) -> Vector:
    """Solve the quadratic programme over the simplex by projection; the start g is ignored.

    >>> projection(np.array([0.0, 1.0]), 1.0, np.array([0.5, 0.5]))
    array([0.75, 0.25])
    """
    return project(f / (-2.0 * beta))


def quadratic_program(f: Vector, beta: float, g: Vector) -> Vector:
    """Solve (P) by non-negative least squares, in O(m^3); the start g is ignored.

    As the least-distance programme of Lawson and Hanson (1974), chapter 23, in x = g - v. It loses
    digits where costs differ by many times beta: at a hundred times g is good to about 1e-8.

    >>> quadratic_program(np.array([0.0, 1.0]), 1.0, np.array([0.5, 0.5]))
    array([0.75, 0.25])
    """
    v = (f.min() - f) / (2.0 * beta)
    m = len(v)
    E = np.zeros((m + 1, m + 2))
    E[:m, :m] = np.eye(m)
    # The equation sum of g = 1 stands as two inequalities.
    E[:m, m] = 1.0
    E[:m, m + 1] = -1.0
    E[m] = np.concatenate([-v, [1.0 - v.sum(), v.sum() - 1.0]])
    target = np.append(np.zeros(m), 1.0)
    r = E @ nnls(E, target, maxiter=10 * (m + 2))[0] - target
    return np.maximum(v - r[:m] / r[m], 0.0)


def frank_wolfe(f: Vector, beta: float, g: Vector, max_iter: int = 10_000) -> Vector:
    """Solve the programme over the simplex by Frank-Wolfe steps from g (m,), to within `GAP`.

    Each step goes towards the best corner, as far as (P) falls.

    >>> frank_wolfe(np.array([0.0, 1.0]), 1.0, np.array([0.5, 0.5]))
    array([0.75, 0.25])
    """
    g = g.copy()
    for _ in range(max_iter):
        slope = f + 2.0 * beta * g
        corner = int(slope.argmin())
        gap = float(g @ slope - slope[corner])
        if gap <= GAP * beta:
            break
        length = float(g @ g - 2.0 * g[corner] + 1.0)  # squared, from g to the corner
        step = min(1.0, gap / (2.0 * beta * length))
        g *= 1.0 - step
        g[corner] += step
    return g
