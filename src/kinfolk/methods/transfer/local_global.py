"""Local and global consistency (LLGC): propagates labels along a graph, known ones soft.

On the graph of the nearest rows of all tasks, with Gaussian weights

    w_ij = exp(-|X[i] - X[j]|^2 / (2 sigma^2)),   w_ii = 0,                               (1)

and degrees d_i, minimize over F

    Q(F) = 1/2 sum_i<j w_ij |F[i]/sqrt d_i - F[j]/sqrt d_j|^2 + mu/2 sum_i |F[i] - Y[i]|^2  (4)

with Y the 0/1 classes of the known rows and 0 elsewhere. The solution is, up to a factor,

    F = (I - a S)^-1 Y,   S = D^-1/2 W D^-1/2,   a = 1/(1 + mu).                           (3)

The class of a row without a label is its largest value.

Symbols     X (n, d) the rows of all tasks, W and S (n, n), F and Y (n, k).
Units       sigma is in units of X: `width` is sigma^2 over the squared mean distance of two rows.
Exact       (3) is solved to rounding, see `numerics.label_graphs`; W is sparse but for
            n_neighbors="all".
Limits      mu -> infinity: F is Y. Classes of equal size on a connected graph, mu -> 0: all rows
            get one class, up to the order of 1/mu.
Source      Zhou, Bousquet, Lal, Weston, Schoelkopf, NIPS 16 (2004), with the equations' numbers
            there. Widths, neighbors and mu: Gu, Zhou (2009), section V-D.
Departures  (4) is printed with the sum over all i and j; its solution has mu/2 for mu in (3), so
            that (3), which is what all use, is that of a sum over pairs. The published rule may
            change known labels; here they stay, as in all methods of this relation.
Beyond      a new row gets sum_j w_j F[j]/sqrt d_j of its nearest rows, the value that (3) gives a
            row of the fit without a label, up to a factor.
"""

from typing import Any, Self

import numpy as np

from kinfolk.arrays import MatrixLike
from kinfolk.estimators import checks
from kinfolk.estimators.label_graph import GaussianGraphEstimator
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import label_graphs


@parameterized
class LLGC(GaussianGraphEstimator):
    """Classifies unlabeled rows by local and global consistency on a nearest-neighbor graph.

    Parameters
    ----------
    n_neighbors : int >= 1, links of a row to its nearest rows of all tasks, or "all" (published:
        5, 10, 50, 80, all)
    width : float > 0, sigma^2 as a share of the squared mean distance of two rows (published: 1/8
        to 8)
    label_weight : float > 0, mu, the weight of the known labels (published: 0.1, 1, 10, 100)

    Attributes
    ----------
    classes_ : (k,), the known labels, sorted
    transduction_ : (n,), the class of each row: the known label, else the one found
    labels_ : (n,), the position of this class in `classes_`
    memberships_ : (n, k), F with rows scaled to sum 1; 0/1 where the label is known
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
    >>> model = LLGC(n_neighbors=2).fit(X, np.array(y, dtype=object), tasks=list("abbbabb"))
    >>> model.transduction_.tolist()
    ['low', 'low', 'low', 'low', 'high', 'high', 'high']
    """

    _factor = 2.0

    n_neighbors: Any = 10
    width: float = 1.0
    label_weight: float = 1.0

    def fit(self, X: MatrixLike, y: Any = None, tasks: Any = None) -> Self:
        """Find the classes of the rows of X (n, d) whose label in y (n,) is -1.

        tasks (n,) names the task of each row; in a task any share of the labels may be known.
        """
        X, found, given = self._open_labelled(X, y, tasks)
        mu = checks.above("label_weight", self.label_weight, 0)
        self._set_bandwidth(X)
        Y = np.zeros((len(given.known), given.k))
        Y[given.known] = given.fixed
        if X.shape[0] == 1:  # a graph needs two rows
            self._values = Y
            return self._record_values(X, found, given, Y)
        graph = self._links(X)  # (1)
        F = label_graphs.consistent(graph.S, 1.0 / (1.0 + mu), Y)  # (3)
        F[~label_graphs.reached(graph.S, given.known)] = 0.0
        # F/sqrt d, each d over the largest, so that a far row does not overflow.
        low = graph.log_degrees.max() - graph.log_degrees
        self._values = F * np.exp(np.minimum(low, LARGEST_LOG) / 2)[:, None]
        return self._record_values(X, found, given, F)


LARGEST_LOG = 600.0
"""Degrees below exp(-600) of the largest count as that much, so that 1/sqrt d stays finite."""
