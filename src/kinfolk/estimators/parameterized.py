"""Makes the constructor of an estimator from its annotated attributes, and reads its defaults."""

import functools
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@functools.cache
def defaults(cls: type) -> Mapping[str, Any]:
    """Return the parameters of a class's constructor, with their defaults.

    >>> from kinfolk import MEC
    >>> defaults(MEC)["n_clusters"]
    2
    """
    found = inspect.signature(cls.__init__).parameters  # type: ignore[misc]
    return {name: parameter.default for name, parameter in found.items()}


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
