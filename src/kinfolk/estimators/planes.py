"""Base class of methods that separate each class from all others by a plane."""

from collections.abc import Callable
from typing import Any

import numpy as np

from kinfolk.arrays import Labels, Table, Vector
from kinfolk.estimators import checks
from kinfolk.estimators.known_labels import Given, KnownLabelsEstimator
from kinfolk.numerics import margins, operators
from kinfolk.numerics.margins import Plane


class PlanesEstimator(KnownLabelsEstimator):
    """Classifies a row by the largest of k linear functions, one for each class.

    Attributes
    ----------
    coef_ : (k, d), w of the plane between each class and all others; for two classes the second
        is the first with the other sign
    intercept_ : (k,), b
    cost_ : float, the cost C that was used
    and all of `KnownLabelsEstimator`
    """

    C: float | None

    def _cost(self, X: Table) -> float:
        """Check C, or take the one that the lengths of rows X suggest."""
        # A cost that is 0 after a few divisions would be doubled for ever.
        least = 1e-75
        self.cost_ = (
            margins.default_cost(X)
            if self.C is None
            else checks.number("C", checks.above("C", self.C, 0), least, open_low=False)
        )
        return self.cost_

    def _set_planes(self, given: Given, plane: Callable[[int, Vector], Plane]) -> None:
        """Set the planes; plane(c, y) separates y (m,) of +1, class c, and -1 in known rows."""
        # Two classes have one plane, seen from either side.
        asked = [1] if given.k == 2 else range(given.k)
        found = [plane(c, np.where(given.classes == c, 1.0, -1.0)) for c in asked]
        w = np.array([one.w for one in found])
        b = np.array([one.b for one in found])
        self.coef_ = np.vstack([-w, w]) if given.k == 2 else w
        self.intercept_ = np.concatenate([-b, b]) if given.k == 2 else b

    def _assign(self, X: Table, t: int) -> Labels:
        scores: Any = operators.times(X, self.coef_.T) + self.intercept_
        labels: Labels = scores.argmax(axis=1)
        return labels
