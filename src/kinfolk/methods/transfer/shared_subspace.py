"""LSSTTC: classifies unlabeled rows from related tasks' labels, in a shared subspace.

The objective and the steps (4)-(16) are those of LSSMTC, see `methods/multitask/shared_subspace`,
with the 0/1 memberships of known labels held fast (20):

1. Y of known rows is 0/1, and stays. Y of the other rows starts in the class whose known mean
   fits best. W and F are those of the known rows, by (16) and (6), and stay.
2. V_t follow from Y by (8).
3. Y of the rows without a label follows: the best rows, or step (14). Repeat 2 and 3.

The class of a row is its known label, else its largest membership.

Symbols     as of LSSMTC, k the number of classes.
Units       J in squared units of X; lambda has none.
Limits      with all labels known nothing moves.
Source      Gu, Zhou (2009), equation (20) and algorithm 2.
Departures  1. Algorithm 2 starts the other rows by k-means, which numbers its clusters at random;
            init="matched" names each row after the class whose known mean fits it best. "kmeans"
            and "random" can be chosen.
            2. Algorithm 2 prints a W in V_2, which (8) excludes. The own term of tasks with all
            labels known is kept in J, a constant.
            3. A row belongs to one class, by exact steps, as in LSSMTC.
            4. Algorithm 2 renews W and F from the Y of all rows, so that they follow the rows
            without a label, and classes may swap. centers="known" holds them; "all" is as printed.
Beyond      labels may be known in several tasks, and for a part of their rows. A new row of task t
            gets the best y for V_t, W and F.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Matrix, MatrixLike, Seed, Table
from kinfolk.estimators import checks, kept_rows
from kinfolk.estimators.factorization import (
    OFFSET,
    PUBLISHED,
    UPDATES,
    SharedSubspaceEstimator,
)
from kinfolk.estimators.known_labels import KnownLabelsEstimator
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.numerics import memberships, operators, seminonnegative, shared_factorization
from kinfolk.numerics.shared_factorization import Problem, Shared
from kinfolk.numerics.subspaces import Subspace

INITS = ("matched", *seminonnegative.PLAIN_INITS)
"""Names of `init`: "matched" is the class whose known mean fits a row best."""

CENTERS = ("known", "all")
"""Names of `centers`: the rows that W and F are fitted to."""


def fitting_classes(
    X: Table, known: NDArray[np.bool_], fixed: Matrix, mixed: bool, offset: float
) -> Matrix:
    """First memberships (n, k): 1 for the class whose known mean fits a row best, plus offset.

    `fixed` (m, k) has the 0/1 memberships of the m known rows.
    """
    O, C = seminonnegative.orthonormal_basis(fixed)
    V = C @ operators.crossed(X[known], O).T
    found = seminonnegative.best_rows(operators.times(X, V.T), V @ V.T, mixed)
    return memberships.indicator(found.labels, len(V), offset)


def known_centers(X: Table, subspace: Subspace, fixed: Matrix) -> Shared:
    """Subspace and centers fitted to known rows X (m, d) with 0/1 memberships (m, k)."""
    O, C = seminonnegative.orthonormal_basis(fixed)
    XO = operators.crossed(X, O)
    W = subspace(XO)
    return Shared(W, C @ (XO.T @ W))


@accept_old_names(parameters={"start": "init"}, unstated={**PUBLISHED, "centers": "all"})
@parameterized
class LSSTTC(KnownLabelsEstimator, SharedSubspaceEstimator):
    """Classifies unlabeled rows from the labels of related tasks, in a shared subspace.

    Parameters
    ----------
    own_weight : float in [0, 1], lambda, the weight of each task's own classes (published: 0.25,
        0.5, 0.75)
    centers : "known": W and F are fitted to the rows of known class; "all": to all rows, again in
        each sweep, as published
    subspace, n_components, mixed, update, n_init, max_iter, tol, random_state : as of `LSSMTC`
        (published n_components: 100 to 1000)
    init : "matched": the class whose mean of known rows fits best; "kmeans" or "random"

    Attributes
    ----------
    classes_ : (k,), the known labels, sorted
    transduction_ : (n,), the class of each row: the known label, else the largest membership, as
        `predict` gives it
    labels_ : (n,), the position of this class in `classes_`
    memberships_ : (n, k), Y, 0/1 where the label is known
    matched_clusters_ : (C,), the class of each cluster, so `matched_labels_` equal `labels_`
    cluster_centers_, shared_centers_, components_, subspace_share_ : as of `LSSMTC`
    and all of `KnownLabelsEstimator`

    Raises
    ------
    InputError : a parameter is out of range, or no label is known

    Warns
    -----
    SharingWarning : as of `KnownLabelsEstimator`; distances are those in the shared subspace

    Examples
    --------
    >>> X = np.kron(np.eye(2), np.ones((4, 3))) + 0.1 * np.eye(8, 6)
    >>> y = [7, -1, 7, -1, 9, -1, 9, -1]
    >>> LSSTTC(random_state=0).fit(X, y, tasks=list("abababab")).transduction_.tolist()
    [7, 7, 7, 7, 9, 9, 9, 9]
    """

    keeps = kept_rows.MEMBERSHIPS
    of_rows = ("memberships_",)

    own_weight: float = 0.25
    centers: str = "known"
    subspace: str = "explained"
    n_components: int | None = None
    init: str = "matched"
    mixed: bool = False
    update: str = "exact"
    n_init: int = 1
    max_iter: int = 300
    tol: float = 1e-4
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: Any = None, tasks: Any = None) -> Self:
        """Find the classes of the rows of X (n, d) whose label in y (n,) is -1.

        tasks (n,) names the task of each row; in a task any share of the labels may be known.
        """
        X, found, given = self._open_labelled(X, y, tasks)
        known = given.known
        k = given.k
        init = checks.choice("init", self.init, INITS)
        exact = checks.choice("update", self.update, UPDATES) == "exact"
        offset = 0.0 if exact else OFFSET
        mixed = self.mixed or not exact
        fixed = given.fixed

        def first(p: Problem, seed: int) -> Matrix:
            if init == "matched":
                Y = fitting_classes(X, known, fixed, mixed, offset)
            else:
                Y = shared_factorization.initial_memberships(X, found.rows(), k, seed, init, offset)
            Y[known] = fixed
            return Y

        def held(p: Problem) -> Shared:
            return known_centers(X[known], p.subspace, fixed)

        holds = checks.choice("centers", self.centers, CENTERS) == "known"
        run = self._minimize(X, found, k, first, ~known, held if holds else None)
        self.memberships_, labels = self._fitted_rows(X, found, run.state.Y)
        # (20); memberships of known labels are 0/1.
        self.memberships_[known] = fixed
        return self._record_classes(X, found, given, labels, run)

    def _class_axes(self, means: Matrix) -> Matrix:
        """Return the shared subspace W (d, l): rows and class means are compared there."""
        return self.components_
