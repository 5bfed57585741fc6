"""Tests whether a task has clusters of a shape that the other tasks tell without it.

The metric of `shared_metric` is made from the rows of all tasks, so those of a task may have shaped
clusters that only it shows. So the covariance S is learned once more from the other tasks, starting
from their clusters. With it alone, weights and centers of the task's clusters are found anew from
several starts, the likeliest of which counts: where the shape is common to the tasks these are the
same clusters again. Chance clusters, and those of one task's shape, are not found again.

Source  ours; the equations are in `numerics/gaussian_mixtures`, and what decided the rule is in
        `docs/labelfree-columns-measured.md`.
"""

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.estimators import descent
from kinfolk.numerics import gaussian_mixtures, matching, starts

# Of clusters that were found again by less, of economies, cells and pottery, half were worse than
# own answers, by up to .30; of the others a fifth.
SAME = 0.7
STARTS = 5
MAX_ITER = 300
TOL = 1e-6


def found_again(Z: Matrix, codes: Labels, labels: Labels, seed: int) -> NDArray[np.bool_]:
    """For each task, True if the shape of the other tasks gives its clusters; see `agreement`."""
    return agreement(Z, codes, labels, seed) >= SAME


def agreement(Z: Matrix, codes: Labels, labels: Labels, seed: int) -> Vector:
    """Adjusted Rand index (T,) of each task's clusters with those of the shape of the other tasks.

    Parameters
    ----------
    Z : (n, d) rows of all tasks
    codes : (n,) position of each row's task
    labels : (n,) clusters of a mixture with one covariance for all tasks
    seed : of the starts

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> length = 4 * random.normal(size=80)  # in each task two long clusters side by side
    >>> labels, codes = np.arange(80) % 2, np.repeat([0, 1], 40)
    >>> Z = np.column_stack([length, length + random.normal(size=80) / 2 + 4 * labels])
    >>> agreement(Z, codes, labels, 0).round(2)
    array([1., 1.])
    """
    names = np.unique(codes)
    found = []
    for t in names:
        own = codes == t
        rest = [codes == other for other in names if other != t]
        # A column that is constant in the others would have hardly any variance in their shape.
        X = Z[:, np.any([np.ptp(Z[rows], axis=0) > 0 for rows in rest], axis=0)]
        if not X.shape[1]:
            found.append(0.0)
            continue
        S = _covariance([X[rows] for rows in rest], [labels[rows] for rows in rest])
        _, before = np.unique(labels[own], return_inverse=True)
        found.append(matching.adjusted_rand(before, _clusters(X[own], S, before, seed)))
    return np.array(found)


def _covariance(tables: list[Matrix], labels: list[Labels]) -> Matrix:
    """Fit mixtures of one covariance to tasks, starting from clusters (n_t,); return it (d, d)."""
    first = [np.unique(one, return_inverse=True)[1] for one in labels]
    k = [int(one.max()) + 1 for one in first]
    p = gaussian_mixtures.in_span(gaussian_mixtures.problem(tables, k, None))
    run = descent.alternate(
        gaussian_mixtures.start(p, first, k),
        sweep=lambda s: gaussian_mixtures.sweep(p, s),
        objective=lambda s: s.loss,
        max_iter=MAX_ITER,
        tol=TOL,
        scale=p.scale,
    )
    return gaussian_mixtures.unstandardized(p, run.state.mixture).covariance


def _clusters(X: Matrix, S: Matrix, labels: Labels, seed: int) -> Labels:
    """Cluster rows X (m, d) by the likeliest mixture of covariance S, as many clusters as before.

    Starts are those of k-means where clusters of covariance S are round; `labels` (m,) are none,
    since they would be found again.
    """
    k = int(labels.max()) + 1
    W = gaussian_mixtures.whitened(X, S)
    random = np.random.RandomState(seed)
    firsts = [starts.kmeans(W, k, one) for one in starts.seeds(random, STARTS)]
    runs = [gaussian_mixtures.with_unit_covariance(W, first, k) for first in firsts]
    # Of equal ones the first is taken on every machine.
    best = max(runs, key=lambda run: round(run[1], 9))
    return best[0].argmax(axis=1)
