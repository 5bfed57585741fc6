"""Transductive support vector machine (TSVM): margins that avoid unlabeled rows too.

For each class against the rest, over planes (w, b) and y_i = 1 or -1 of the rows without a label,

    min 1/2 |w|^2 + C sum_known z_i + C' sum_unknown z_i,   z_i = max(0, 1 - y_i (w'X[i] + b)),  (1)

where a given share of the rows without a label has y_i = 1. The costs C' grow from C/100000 to C,
and at each level pairs of y_i switch until no switch lowers (1) (`numerics.margins`). The class of
a row without a label is that of the largest w'x + b.

Symbols     X (n, d) the rows of all tasks.
Units       C in squared units of 1/X; the default 1 / (mean squared length of rows) is SVM-light's.
Limits      with all labels known but one at most, the linear support vector machine.
Source      Joachims, ICML 1999, section 4; one against the rest: Gu, Zhou (2009), section V-D.
Departures  see `numerics.margins`: many pairs switch at once, and b has a small weight in (1).
"""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from kinfolk.arrays import MatrixLike, Seed, Vector
from kinfolk.errors import InputError
from kinfolk.estimators import checks, warn
from kinfolk.estimators.known_labels import Given
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.planes import PlanesEstimator
from kinfolk.numerics import margins, starts
from kinfolk.numerics.margins import Plane

SUM_ERROR = 1e-6
"""Largest difference of the sum of the given shares from 1."""


@parameterized
class TSVM(PlanesEstimator):
    """Classifies unlabeled rows by transductive linear SVMs, one class against the rest.

    Parameters
    ----------
    C : float > 0, the cost of a row inside the margin; None: 1 / (mean squared length of rows)
    class_shares : mapping class -> share in the rows without a label; None: as in the rows of
        known label. A single row without a label has none
    random_state : int, RandomState or None, for the order in which a training sees rows

    Attributes
    ----------
    classes_ : (k,), the known labels, sorted
    transduction_ : (n,), the class of each row: the known label, else the one found
    labels_ : (n,), the position of this class in `classes_`
    coef_, intercept_ : (k, d) and (k,), w and b of each class against the rest
    cost_ : float, C
    n_iter_ : trainings of all classes together
    converged_ : True if the last training of each class reached its tolerance, and leaves no pair
        to switch
    and all of `KnownLabelsEstimator`

    Raises
    ------
    InputError : a parameter is out of range, or no label is known

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 9.0], [0.2, 9.0], [4.2, 9.0], [4.0, 9.0]])
    >>> model = TSVM(random_state=0).fit(X, [7, 8, -1, -1, -1, -1], tasks=list("aabbbb"))
    >>> model.transduction_[2:]
    array([7, 7, 8, 8])
    """

    C: float | None = None
    class_shares: Mapping[Any, float] | None = None
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: Any = None, tasks: Any = None) -> Self:
        """Find the classes of the rows of X (n, d) whose label in y (n,) is -1.

        tasks (n,) names the task of each row; in a task any share of the labels may be known.
        """
        X, found, given = self._open_labelled(X, y, tasks)
        C = self._cost(X)
        seed = starts.seeds(checks.random(self.random_state), 1)[0]
        known = X[given.known]
        free = X[~given.known]
        positives = margins.counts(self._shares(given), free.shape[0])
        ends = []

        def plane(c: int, sign: Vector) -> Plane:
            ends.append(margins.transductive(known, sign, free, C, int(positives[c]), seed))
            return ends[-1].plane

        self._set_planes(given, plane)  # (1)
        self.n_iter_ = sum(end.n_trainings for end in ends)
        self.converged_ = all(end.converged for end in ends)
        warn.unless_converged(self)
        return self._record_classes(X, found, given, self._assign(X, 0))

    def _shares(self, given: Given) -> Vector:
        """Expected share (k,) of each class among the unlabeled rows."""
        if self.class_shares is None:
            return given.shares
        classes = self.classes_.tolist()
        if not isinstance(self.class_shares, Mapping) or set(self.class_shares) != set(classes):
            raise InputError(
                f"class_shares is {self.class_shares!r}; give a mapping of each of the classes "
                f"{', '.join(map(repr, classes))} to its share, or None."
            )
        shares = [checks.share(f"class_shares of {c!r}", self.class_shares[c]) for c in classes]
        if abs(sum(shares) - 1.0) > SUM_ERROR:
            raise InputError(f"class_shares sum to {sum(shares):g}; give shares that sum to 1.")
        return np.array(shares)
