"""Base class of linear classifiers with one hyperplane per class against the rest."""

from collections.abc import Callable
from typing import Any

import numpy as np

from kinfolk.arrays import Labels, Table, Vector
from kinfolk.estimators import checks
from kinfolk.estimators.known_labels import Given, KnownLabelsEstimator
from kinfolk.numerics import margins, operators
from kinfolk.numerics.margins import Plane


class PlanesEstimator(KnownLabelsEstimator):
    """Base of methods that classify rows by the largest of k linear functions.

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
        """Check C, None being 1 / (mean squared row length); set it as `cost_` and return it."""
        # A cost that is 0 after a few divisions would be doubled for ever.
        least = 1e-75
        self.cost_ = (
            margins.default_cost(X)
            if self.C is None
            else checks.number("C", checks.above("C", self.C, 0), least, open_low=False)
        )
        return self.cost_

    def _set_planes(self, given: Given, plane: Callable[[int, Vector], Plane]) -> None:
        """Train one hyperplane per class by plane(c, y), y of +1 and -1; store them."""
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
