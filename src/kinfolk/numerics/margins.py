"""Linear support vector machines for two classes, inductive and transductive.

With slacks z_i = max(0, 1 - y_i (w'X[i] + b)) and a cost c_i per row,

    J(w, b) = 1/2 |w|^2 + sum_i c_i z_i                                              (1)

The transductive machine also chooses y_i = +1 or -1 of the rows without a label, `positives` of
them +1, with costs that grow from `FIRST_COST` of C to C:

    1. y_i = +1 for the rows of largest w'x + b, w and b of the known rows alone.
    2. Train on all rows. While a row m of +1 and a row l of -1 have z_m + z_l > 2, switch both:
       (1) falls.                                                                    (2)
    3. Double the costs of the rows without a label, at most to C, and repeat 2.

Symbols     X (n, d), y (n,) of +1 and -1, w (d,), b a number.
Units       w in 1/units of X; C in 1/squared units of X times those of w, see `default_cost`.
Exact       known rows alone: scikit-learn's SVC, which is LIBSVM. All rows: its LinearSVC, which
            adds (b/s)^2/2 to (1), s the root mean square length of rows; those of a dense table
            are taken less their mean, so that b is small.
Limits      no rows without a label, or a single one: the machine of the known rows.
Source      Vapnik (1995); Joachims, ICML 1999, section 4, with the costs and the switches there.
Departures  all pairs of (2) that have no row in common are switched at once, the largest slacks
            first, where Joachims switches one: with w and b held each pair lowers (1).
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from kinfolk.arrays import Table, Vector
from kinfolk.errors import InputError
from kinfolk.numerics import distances, operators

FIRST_COST = 1e-5
"""First cost of a row without a label, as a share of C."""

SWITCHED = 1e-6
"""Pairs switch where their slacks exceed 2 by more than this, the error of a training."""

TOLERANCE = 1e-4
"""Error of the dual solution at which a training ends; scikit-learn's default."""

MAX_SWEEPS = 5000
"""Most sweeps of a training over its rows."""

MAX_SWITCHES = 1000
"""Most trainings at one level of costs."""


class Plane(NamedTuple):
    """Linear decision function f(x) = w'x + b with direction w (d,) and offset b."""

    w: Vector
    b: float

    def __call__(self, X: Table) -> Vector:
        """Decision values f (m,) of rows X (m, d)."""
        return np.asarray(operators.times(X, self.w[:, None])[:, 0] + self.b)


def default_cost(X: Table) -> float:
    """Default cost C = 1 / (mean squared length of the rows X).

    >>> default_cost(np.array([[3.0, 4.0], [0.0, 5.0]]))
    0.04
    """
    size = float(distances.squared_norms(X).mean())
    return 1.0 / size if size > 0 else 1.0


def inductive(X: Table, y: Vector, C: float) -> Plane:
    """Train a linear SVM on known rows X (n, d) with labels y (n,) of +1 and -1, at cost C.

    >>> plane = inductive(np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([-1, -1, 1, 1]), 9.0)
    >>> plane.w.round(3), round(plane.b, 3)
    (array([1.]), -2.0)
    """
    if (y == y[0]).all():
        return Plane(np.zeros(X.shape[1]), float(y[0]))
    # SVC also refuses 64-bit indices, but checked tables have 32-bit ones where these suffice.
    try:
        model = SVC(kernel="linear", C=C).fit(_taken(X), y)
    except ValueError as error:  # libsvm ended with coefficients that are not finite
        raise InputError(
            "a linear machine cannot be fitted to numbers of this size; divide the columns by "
            "their size, for example with sklearn.preprocessing.StandardScaler."
        ) from error
    return Plane(operators.dense(model.coef_).ravel(), float(model.intercept_[0]))


class Transduced(NamedTuple):
    """Decision function of a transductive SVM, its labels (u,), and the number of trainings.

    `converged` is True if the last training reached its tolerance and leaves no pair to switch.
    """

    plane: Plane
    y: Vector
    n_trainings: int
    converged: bool


def transductive(X: Table, y: Vector, U: Table, C: float, positives: int, seed: int) -> Transduced:
    """Train a transductive SVM on rows X (n, d) with y (n,) of -1 and +1, and unlabeled U (u, d).

    `positives` of the unlabeled rows are taken for +1.

    >>> X = np.array([[0.0, 0.0], [4.0, 0.0]])
    >>> U = np.array([[0.0, 9.0], [0.2, 9.0], [4.2, 9.0], [4.0, 9.0]])
    >>> transductive(X, np.array([-1.0, 1.0]), U, 1.0, 2, 0).y
    array([-1., -1.,  1.,  1.])
    """
    u = U.shape[0]
    plane = inductive(X, y, C)
    values = plane(U)
    if u < 2:  # a single row cannot be divided by shares: its side is that of the known rows
        return Transduced(plane, np.where(values > 0, 1.0, -1.0), 1, True)
    guess = np.full(u, -1.0)
    guess[np.argsort(-values, kind="stable")[:positives]] = 1.0
    trainer = Trainer(_stacked(X, U), C, seed)
    cost = np.array([1.0, positives / (u - positives) if 0 < positives < u else 1.0])
    cost *= FIRST_COST * C
    n_trainings = 1
    while True:
        # Each switch lowers the objective, but for errors of trainings: guesses could then follow
        # each other in a circle.
        trained_guesses: set[bytes] = set()
        for _ in range(MAX_SWITCHES):
            trained_guesses.add(_packed(guess))
            costs = np.where(guess > 0, cost[1], cost[0])
            plane = trainer(np.concatenate([y, guess]), np.append(np.full(len(y), C), costs))
            n_trainings += 1
            m, l = violating_pairs(guess, np.maximum(0.0, 1.0 - guess * plane(U)))
            trained = guess.copy()
            if not len(m):
                break
            guess[m] = -1.0
            guess[l] = 1.0
            if _packed(guess) in trained_guesses:
                break
        if (cost >= C).all():
            return Transduced(plane, trained, n_trainings, trainer.converged and not len(m))
        cost = np.minimum(2.0 * cost, C)


def _packed(y: Vector) -> bytes:
    """Return labels (u,) of -1 and +1 in a bit each, to be looked up in a set."""
    return np.packbits(y > 0).tobytes()


def violating_pairs(y: Vector, z: Vector) -> tuple[np.ndarray, np.ndarray]:
    """Positions of +1 rows and of -1 rows that should swap labels in pairs, by slacks z (u,).

    >>> violating_pairs(np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.5, 1.2, 0.9, 1.9]))
    (array([0, 1]), array([3, 2]))
    >>> violating_pairs(np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.5, 0.2, 0.6, 0.0]))
    (array([0]), array([2]))
    """
    sides = [np.flatnonzero(y > 0), np.flatnonzero(y < 0)]
    up, down = (side[np.argsort(-z[side], kind="stable")] for side in sides)
    pairs = min(len(up), len(down))
    m = up[:pairs]
    l = down[:pairs]
    violates = (z[m] + z[l] > 2.0 + SWITCHED) & (z[m] > 0) & (z[l] > 0)
    return m[violates], l[violates]


class Trainer:
    """Trains linear SVMs on the same rows X (n, d), for changing labels and costs."""

    def __init__(self, X: Table, C: float, seed: int) -> None:
        self._mean = np.zeros(X.shape[1]) if sp.issparse(X) else operators.mean(X)
        self._X = X if sp.issparse(X) else operators.dense(X) - self._mean
        self._C = C
        self.converged = True
        size = float(np.sqrt(distances.squared_norms(self._X).mean())) or 1.0
        self._model = LinearSVC(
            loss="hinge",
            C=C,
            intercept_scaling=size,
            tol=TOLERANCE,
            max_iter=MAX_SWEEPS,
            random_state=seed,
        )

    def __call__(self, y: Vector, costs: Vector) -> Plane:
        """Train the linear SVM for labels y (n,) and costs (n,)."""
        if (y == y[0]).all():
            return Plane(np.zeros(self._X.shape[1]), float(y[0]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = self._model.fit(_taken(self._X), y, sample_weight=costs / self._C)
        self.converged = bool(model.n_iter_ < MAX_SWEEPS)
        w = np.asarray(model.coef_[0], dtype=np.float64)
        return Plane(w, float(model.intercept_[0] - self._mean @ w))


def objective(plane: Plane, X: Table, y: Vector, costs: Vector) -> float:
    """SVM objective |w|^2 / 2 + sum_i cost_i slack_i for rows X (n, d) with labels y (n,)."""
    slacks = np.maximum(0.0, 1.0 - y * plane(X))
    return float(plane.w @ plane.w / 2.0 + costs @ slacks)


def _stacked(X: Table, U: Table) -> Table:
    if sp.issparse(X):
        parts: list[Any] = [X, U]
        return sp.csr_array(sp.vstack(parts))
    return np.vstack([operators.dense(X), operators.dense(U)])


def _taken(X: Table) -> Table | sp.csr_matrix:
    """Convert X to double precision, and CSR arrays to CSR matrices for older scikit-learn."""
    X = X.astype(np.float64, copy=False)
    return sp.csr_matrix(X) if sp.issparse(X) else X


def counts(shares: Vector, u: int) -> np.ndarray:
    """Round shares (k,) of u rows to whole numbers, each from 1 to u - 1.

    >>> counts(np.array([0.001, 0.999]), 100)
    array([ 1, 99])
    """
    least = min(1, u)
    return np.clip(np.rint(shares * u), least, max(u - 1, least)).astype(int)
