"""Fits an estimator; returns labels, seconds, warnings, or the error if it refused the data."""

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Table
from kinfolk.errors import InputError
from kinfolk.estimators import wrapped
from kinfolk.numerics import threads
from kinfolk.running import progress

# A refusal (`InputError`) says that a method does not apply to the rows; the others depend on the
# rows as well. Any other exception is a defect of the method and must not be taken for a refusal.
REFUSALS: tuple[type[Exception], ...] = (InputError, np.linalg.LinAlgError, MemoryError)


class FitOutcome(NamedTuple):
    """Labels, seconds, warnings and error of one fit.

    Attributes
    ----------
    labels : (n,), or None if the estimator refused
    seconds : of the fit
    error : why it refused, or None
    warnings : the distinct warnings of the fit, each as "category: message"
    """

    labels: Labels | None
    seconds: float
    error: Exception | None
    warnings: list[str]

    @property
    def reason(self) -> str:
        """Message of the error, or its class name if that is empty; "" without an error."""
        return "" if self.error is None else str(self.error) or type(self.error).__name__


def fit(
    estimator: Any,
    X: Table,
    tasks: NDArray[Any],
    refusals: tuple[type[Exception], ...] = REFUSALS,
) -> FitOutcome:
    """Fit an estimator to rows X (n, d) of tasks (n,); catch the exceptions `refusals`.

    Examples
    --------
    >>> from kinfolk.methods.multitask.baselines import Pooled
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> fit(Pooled(n_clusters=2), X, np.array(["a", "a", "b", "b"])).labels.tolist()
    [1, 1, 0, 0]
    >>> fit(Pooled(n_clusters={"a": 1, "b": 2}), X, np.array(["a", "a", "b", "b"])).reason[:34]
    'Pooled needs the same number of cl'
    """
    begin = time.perf_counter()
    labels: Labels | None = None
    error: Exception | None = None
    # The progress of a single fit would be confused with that of all fits.
    recorded = warnings.catch_warnings(record=True)
    with threads.suited(X), recorded as caught, progress.listening(lambda *_: None):
        warnings.simplefilter("always")
        try:
            labels = wrapped.labels_of(estimator.fit(X, tasks=tasks), len(tasks))
        except refusals as refusal:
            error = refusal
    seconds = time.perf_counter() - begin
    messages = [f"{warning.category.__name__}: {warning.message}" for warning in caught]
    return FitOutcome(labels, seconds, error, list(dict.fromkeys(messages)))


def given_refusals(estimator: Any) -> tuple[type[Exception], ...]:
    """Exception classes by which this estimator, or the one it wraps, refuses data.

    >>> from sklearn.cluster import KMeans
    >>> [error.__name__ for error in given_refusals(KMeans(2))]
    ['InputError', 'LinAlgError', 'MemoryError']
    """
    inner = getattr(estimator, "estimator", estimator)  # of PerTask and Pooled
    return getattr(inner, "refusals", REFUSALS)


def refusals_of(estimator: Any) -> tuple[type[Exception], ...]:
    """Exception classes to catch as a refusal of rows or parameters, for any package's estimator.

    >>> from sklearn.cluster import KMeans
    >>> ValueError in refusals_of(KMeans(2)), ValueError in REFUSALS
    (True, False)
    """
    inner = getattr(estimator, "estimator", estimator)  # of PerTask and Pooled
    # Other packages, scikit-learn among them, refuse by a plain ValueError; ours by InputError, so
    # that a plain ValueError from our own methods is a defect.
    own = type(inner).__module__.partition(".")[0] == "kinfolk"
    return REFUSALS if own else (*REFUSALS, ValueError)
