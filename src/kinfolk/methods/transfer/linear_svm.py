"""Linear support vector machine (SVM) on the labeled rows, one class against the rest.

For each class, y_i = 1 in its known rows and -1 in those of all others,

    min 1/2 |w|^2 + C sum_i max(0, 1 - y_i (w'X[i] + b)),                                  (1)

and the class of any other row is that of the largest w'x + b.

Symbols     X (n, d) the rows of all tasks, sums over those of known label.
Units       C in squared units of 1/X: the default 1 / (mean squared length of known rows) does
            not see the unit of X.
Limits      rows without a label change nothing: it is the method without transfer, that methods
            with it must beat.
Source      Vapnik (1995); LIBSVM by Chang, Lin (2011), through scikit-learn. As a row of tables:
            Gu, Zhou (2009), section V-D.
Departures  LIBSVM's own default is C = 1, which is meant for columns scaled to [-1, 1].
"""

from typing import Any, Self

from kinfolk.arrays import MatrixLike
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.planes import PlanesEstimator
from kinfolk.numerics import margins


@parameterized
class LinearSVM(PlanesEstimator):
    """Classifies unlabeled rows by linear SVMs trained on the labeled rows.

    Parameters
    ----------
    C : float > 0, the cost of a row inside the margin; None: 1 / (mean squared length of the
        rows of known label)

    Attributes
    ----------
    classes_ : (k,), the known labels, sorted
    transduction_ : (n,), the class of each row: the known label, else the one found
    labels_ : (n,), the position of this class in `classes_`
    coef_, intercept_ : (k, d) and (k,), w and b of each class against the rest
    cost_ : float, C
    and all of `KnownLabelsEstimator`

    Raises
    ------
    InputError : C is not above 0, or no label is known

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0], [1.0, 9.0], [5.0, 9.0]]
    >>> model = LinearSVM().fit(X, [7, 7, 8, 8, -1, -1], tasks=list("aaaabb"))
    >>> model.transduction_[4:], model.coef_[1].round(2)
    (array([7, 8]), array([0.5, 0. ]))
    """

    C: float | None = None

    def fit(self, X: MatrixLike, y: Any = None, tasks: Any = None) -> Self:
        """Find the classes of the rows of X (n, d) whose label in y (n,) is -1.

        tasks (n,) names the task of each row; in a task any share of the labels may be known.
        """
        X, found, given = self._open_labelled(X, y, tasks)
        rows = X[given.known]
        C = self._cost(rows)
        self._set_planes(given, lambda _, sign: margins.inductive(rows, sign, C))  # (1)
        return self._record_classes(X, found, given, self._assign(X, 0))
