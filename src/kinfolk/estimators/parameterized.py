"""Makes the constructor of an estimator from its annotated attributes."""

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(eq_default=False)
def parameterized(cls: type[T]) -> type[T]:
    """Class decorator: annotated attributes become the constructor's parameters, in order.

    >>> @parameterized
    ... class Example:
    ...     n_clusters: int = 2
    ...     tol: float = 1e-4
    >>> vars(Example(3))
    {'n_clusters': 3, 'tol': 0.0001}
    """
    # Estimators are compared by identity, and scikit-learn prints them.
    return dataclass(eq=False, repr=False)(cls)
