"""Gaussian fields and harmonic functions (GFHF): propagates labels, known ones fixed.

On the graph of the nearest rows of all tasks, with Gaussian weights

    w_ij = exp(-|X[i] - X[j]|^2 / sigma^2),                                               (1)

the values F with the least energy

    E(F) = 1/2 sum_ij w_ij |F[i] - F[j]|^2,   F[i] = 0/1 class of each known row           (2)

are harmonic: the value of a row without a label is the weighted mean of its neighbors,

    F_U = (D_UU - W_UU)^-1 W_UK F_K = (I - P_UU)^-1 P_UK F_K,   P = D^-1 W.                (5)

The class of a row is its largest value, or, by class mass normalization, the largest

    q_c F[i,c] / sum_j F[j,c],   q the shares of the known classes, j in U.                (9)

Symbols     X (n, d) the rows of all tasks, U without and K with a label, F (n, k).
Units       sigma is in units of X: `width` is sigma^2 over the squared mean distance of two rows.
Exact       (5) is solved to rounding, see `numerics.label_graphs`; W is sparse but for
            n_neighbors="all".
Limits      with one neighbor of known label each, the nearest neighbor. Without links to a known
            row (5) has no solution: such rows get the shares of the known classes.
Source      Zhu, Ghahramani, Lafferty, ICML 2003, with the equations' numbers there. Widths and
            neighbors: Gu, Zhou (2009), section V-D.
Beyond      a new row gets the weighted mean of the values of its nearest rows, as (5) has it for
            rows of the fit.
"""

from typing import Any, Self

import numpy as np

from kinfolk.arrays import Matrix, MatrixLike, Table
from kinfolk.estimators import checks
from kinfolk.estimators.label_graph import GaussianGraphEstimator
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import label_graphs

MASSES = ("free", "known")
"""Names of `class_masses`: the largest value, or class mass normalization (9)."""


@parameterized
class GFHF(GaussianGraphEstimator):
    """Classifies unlabeled rows by harmonic functions on a nearest-neighbor graph.

    Parameters
    ----------
    n_neighbors : int >= 1, links of a row to its nearest rows of all tasks, or "all" (published:
        5, 10, 50, 80, all)
    width : float > 0, sigma^2 as a share of the squared mean distance of two rows (published: 1/8
        to 8)
    class_masses : "free": the largest value; "known": class mass normalization (9)

    Attributes
    ----------
    classes_ : (k,), the known labels, sorted
    transduction_ : (n,), the class of each row: the known label, else the one found
    labels_ : (n,), the position of this class in `classes_`
    memberships_ : (n, k), F, 0/1 where the label is known; rows sum to 1
    unreached_ : number of rows that no path links to a row of known label
    bandwidth_ : sigma, in units of X
    and all of `KnownLabelsEstimator`

    Raises
    ------
    InputError : a parameter is out of range, or no label is known

    Warns
    -----
    SharingWarning : some rows are linked to no row of known label

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [9.0], [10.0], [11.0]])
    >>> y = ["low", -1, -1, -1, "high", -1, -1]
    >>> model = GFHF(n_neighbors=2).fit(X, np.array(y, dtype=object), tasks=list("abbbabb"))
    >>> model.transduction_.tolist()
    ['low', 'low', 'low', 'low', 'high', 'high', 'high']
    """

    _factor = 1.0

    n_neighbors: Any = 10
    width: float = 1.0
    class_masses: str = "free"

    def fit(self, X: MatrixLike, y: Any = None, tasks: Any = None) -> Self:
        """Find the classes of the rows of X (n, d) whose label in y (n,) is -1.

        tasks (n,) names the task of each row; in a task any share of the labels may be known.
        """
        X, found, given = self._open_labelled(X, y, tasks)
        masses = checks.choice("class_masses", self.class_masses, MASSES)
        self._set_bandwidth(X)
        if given.known.all():  # nothing to find; one row alone has no graph
            self._values = given.fixed
        else:
            graph = self._links(X)  # (1)
            self._values = label_graphs.harmonic(graph, given.known, given.fixed)  # (5)
        self._balance = np.ones(given.k)
        if masses == "known":  # (9)
            sums = np.nan_to_num(self._values[~given.known]).sum(axis=0)
            self._balance = np.asarray(given.shares / np.where(sums > 0, sums, np.inf))
        # Rows that are not reached say nothing of the rows next to them.
        F = self._values * self._balance
        self._values = np.nan_to_num(self._values)
        return self._record_values(X, found, given, F)

    def _scores(self, X: Table) -> Matrix:
        return np.asarray(super()._scores(X) * self._balance)
