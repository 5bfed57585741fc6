"""Clusters tasks so that ridge regressions with a shared prior predict the labels best.

The objective and its block updates that DMTFC-LS and DMTRC-LS have in common. Equation numbers and
symbols are those of `kinfolk.methods.multitask.discriminative`, where the methods are described.
"""

from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import centered_regressions, distances, matching, sized_assignment, starts
from kinfolk.numerics.centered_regressions import CenteredRows
from kinfolk.numerics.sized_assignment import Bounds

EVEN_SHARE = 0.5
"""Share of the trace of the prior that lies evenly on all directions at the first start.

With .1 directions that no model uses return so slowly that 300 sweeps do not end the descent.
"""

SEED_STARTS = 10
"""k-means starts per seed: in as many columns as clusters less one they cost next to nothing."""


STRETCHES = 10
"""Most doublings of a step of W."""

MIDDLE = 2.0**-6
"""The middle of the published grid of l1 and l2."""


class Problem(NamedTuple):
    """Constants of the objective: centered rows, number and size bounds of clusters, penalties.

    With `relations` the prior is Omega, else D. `size` is its number r of directions, and `smooth`
    is e of equation (1).
    """

    rows: list[CenteredRows]
    k: list[int]
    bounds: list[Bounds]
    own: float
    shared: float
    relations: bool
    size: int
    smooth: float = 0.0


class Prior(NamedTuple):
    """Prior covariance of features (D) or tasks (Omega), trace 1: w along V, `rest` elsewhere.

    `root` is the trace before it was made 1, so that R = root^2.
    """

    V: Matrix
    w: Vector
    rest: float
    root: float

    def inverse(self) -> Matrix:
        """The inverse of the prior covariance Omega (T, T) of the tasks."""
        inverse: Matrix = (self.V / self.w) @ self.V.T
        return inverse


class State(NamedTuple):
    """Labels (n_t,), regression weights W_t (d, k_t) of each task, and their shared prior."""

    labels: tuple[Labels, ...]
    W: tuple[Matrix, ...]
    prior: Prior


def problem(
    tables: list[Table],
    k: list[int],
    slack: float,
    own: float,
    shared: float | None,
    relations: bool,
) -> Problem:
    """Set up the objective for these tables; `relations` chooses a prior over tasks.

    If `shared` is None, it is `MIDDLE` over the number of directions of the prior, or of models if
    they are fewer.
    """
    unit = centered_regressions.spread(tables)
    sizes = [X.shape[0] for X in tables]
    # W lies in the span of the centered rows, which has at most this many dimensions.
    within = max(min(tables[0].shape[1], sum(sizes) - len(sizes)), 1)
    size = len(k) if relations else within
    if shared is None:
        # The prior has trace 1, and as many directions at most as there are models.
        shared = MIDDLE / min(size, sum(k))
    return Problem(
        rows=[CenteredRows(X, unit) for X in tables],
        k=k,
        bounds=[sized_assignment.window(n, k_t, slack) for n, k_t in zip(sizes, k, strict=True)],
        own=own,
        shared=shared,
        relations=relations,
        size=size,
    )


def contrasts(labels: Labels, k: int) -> Matrix:
    """Centered 0/1 indicator (n, k) of labels: 1 - 1/k in a row's cluster, else -1/k.

    >>> contrasts(np.array([0, 1]), 2)
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    Y: Matrix = np.eye(k)[labels]
    return Y - 1.0 / k


def objective(p: Problem, s: State) -> float:
    """Penalised squared errors of all tasks' regressions, with the prior that is best for W."""
    J = p.own * sum(np.sum(W**2) for W in s.W) + p.shared * s.prior.root**2
    for rows, k, labels, W in zip(p.rows, p.k, s.labels, s.W, strict=True):
        J += np.sum((contrasts(labels, k) - rows.times(W)) ** 2) / len(labels)
    return float(J)


def _spectrum(p: Problem, W: tuple[Matrix, ...]) -> tuple[Matrix, Vector]:
    """Eigenvectors and eigenvalues of sum_t W_t W_t', or of the inner products of tasks' W_t."""
    if p.relations:
        flat = np.stack([W_t.ravel() for W_t in W])
        values, V = np.linalg.eigh(flat @ flat.T)
        return V, np.maximum(values, 0.0)
    V, lengths, _ = np.linalg.svd(np.hstack(W), full_matrices=False)
    # Further directions are beyond the span of the rows.
    return V[:, : p.size], lengths[: p.size] ** 2


def prior(p: Problem, W: tuple[Matrix, ...]) -> Prior:
    """Best prior covariance for weights W: of the features, or of the tasks."""
    V, squares = _spectrum(p, W)
    lengths = np.sqrt(squares + p.smooth)
    even = np.sqrt(p.smooth)
    root = float(lengths.sum() + (p.size - len(lengths)) * even)
    return Prior(V, lengths / root, even / root, root)


def models(p: Problem, s: State) -> tuple[Matrix, ...]:
    """Regression weights W_t for the labels and prior of a state, by ridge regressions."""
    Y = [contrasts(labels, k) for labels, k in zip(s.labels, p.k, strict=True)]
    if not p.relations:
        V, w, rest, _ = s.prior
        q = w / (p.own * w + p.shared)
        q_0 = rest / (p.own * rest + p.shared)
        return tuple(rows.along(Y_t, V, q, q_0) for rows, Y_t in zip(p.rows, Y, strict=True))
    P = s.prior.inverse()
    W = list(s.W)
    for t, (rows, Y_t) in enumerate(zip(p.rows, Y, strict=True)):
        c = p.own + p.shared * P[t, t]
        W[t] = rows.towards(Y_t, -p.shared / c * _others(P, W, t), c)
    return tuple(W)


def _others(P: Matrix, W: list[Matrix], t: int) -> Matrix:
    """Weighted sum of the other tasks' weights, sum_{s != t} P_ts W_s (d, k)."""
    return np.add.reduce([P[t, s] * W[s] for s in range(len(W)) if s != t] or [0.0 * W[t]])


def best_labels(p: Problem, W: list[Matrix]) -> list[Labels]:
    """Labels of each task that its regression predicts best, within the size bounds."""
    return [
        sized_assignment.assign(rows.times(W_t), bounds)
        for rows, W_t, bounds in zip(p.rows, W, p.bounds, strict=True)
    ]


def renumber(labels: list[Labels], W: list[Matrix], P: Matrix) -> None:
    """Permute cluster numbers of each task in place so that related tasks' weights are alike."""
    # In turn by the lengths of their models: the order in which tasks came does not matter.
    for t in np.argsort([np.linalg.norm(W_t) for W_t in W], kind="stable"):
        W_t = W[t]
        numbers = matching.assignment(-W_t.T @ _others(P, W, t))
        W[t] = np.empty_like(W_t)
        W[t][:, numbers] = W_t
        labels[t] = numbers[labels[t]]


def sweep(p: Problem, s: State) -> State:
    """Update the regressions, the labels, their numbering, and the prior."""
    W = list(stretched(p, s, models(p, s)))
    labels = best_labels(p, W)
    if p.relations:
        renumber(labels, W, s.prior.inverse())
    return State(tuple(labels), tuple(W), prior(p, tuple(W)))


def stretched(p: Problem, s: State, W: tuple[Matrix, ...]) -> tuple[Matrix, ...]:
    """Extrapolate the change of W, doubling the step while the objective falls.

    The prior of few directions turns by little in one step, and in the same way in the next ones.
    """
    best = W
    value = objective(p, State(s.labels, W, prior(p, W)))
    for i in range(1, STRETCHES + 1):
        further = tuple(old + 2.0**i * (new - old) for old, new in zip(s.W, W, strict=True))
        found = objective(p, State(s.labels, further, prior(p, further)))
        if not found < value:
            break
        best, value = further, found
    return best


def begin(p: Problem, seed: int) -> tuple[tuple[Labels, ...], tuple[Matrix, ...]]:
    """First labels by k-means of each task's principal components, and their regressions."""
    labels = []
    for rows, k, bounds in zip(p.rows, p.k, p.bounds, strict=True):
        Z = rows.leading(max(k - 1, 1))
        centers = starts.centers(Z, k, seed, SEED_STARTS)
        labels.append(sized_assignment.assign(-distances.squared(Z, centers), bounds))
    # Each task by itself, as if the prior lay evenly on as many directions as there are models.
    c = p.own + p.shared * (len(p.k) if p.relations else sum(p.k))
    W = [
        rows.towards(contrasts(own, k), np.zeros((rows.shape[1], k)), c)
        for rows, own, k in zip(p.rows, labels, p.k, strict=True)
    ]
    if p.relations:
        # As if all models attracted each other equally: the most alike get the same number.
        renumber(labels, W, -np.ones((len(W), len(W))))
    return tuple(labels), tuple(W)


def start(p: Problem, seed: int) -> State:
    """Return the first state for a random seed."""
    labels, W = begin(p, seed)
    return State(labels, W, prior(p, W))


def smoothed(p: Problem, seed: int) -> Problem:
    """Problem with smoothing e such that `EVEN_SHARE` of the first prior's trace is isotropic."""
    _, squares = _spectrum(p, begin(p, seed)[1])
    root = float(np.sqrt(squares).sum())
    # Without any slope the prior is even, whatever e is.
    return p._replace(smooth=(EVEN_SHARE * root / p.size) ** 2 if root > 0 else 1.0)


def prices(p: Problem, s: State) -> list[Vector]:
    """Offset (k_t,) per cluster and task such that labels are the largest of X W_t + offsets."""
    return [
        sized_assignment.prices(F, sized_assignment.assign(F, bounds), bounds)
        for F, bounds in zip(
            (rows.times(W) for rows, W in zip(p.rows, s.W, strict=True)), p.bounds, strict=True
        )
    ]
