"""Arrays of other libraries than NumPy, and methods of the catalogue that are given such arrays.

The strict library has exactly the functions of the array API standard, and devices besides the
memory of the processor: what lies there cannot become an array of NumPy by accident, as on a GPU.
"""

from dataclasses import replace
from importlib.util import find_spec

import array_api_strict
import numpy as np
import pytest


def _strict(X):
    return array_api_strict.asarray(X)


def _strict_device(X):
    return array_api_strict.asarray(X, device=array_api_strict.Device("device1"))


def _torch(X):
    import torch

    return torch.asarray(np.array(X))


NO_TORCH = pytest.mark.skipif(
    find_spec("torch") is None, reason="PyTorch is not installed: its wheel is large"
)

LIBRARIES = [
    pytest.param(_strict, id="strict"),
    pytest.param(_strict_device, id="strict device"),
    pytest.param(_torch, id="torch", marks=NO_TORCH),
]
"""Functions that make an array of NumPy one of another library."""


def given_arrays(entry, convert):
    """The entry of a method whose estimators get tables of NumPy as those of another library."""

    class Elsewhere(entry.cls):
        def fit(self, X, *args, **named):
            return super().fit(_converted(X, convert), *args, **named)

        def predict(self, X, *args, **named):
            return super().predict(_converted(X, convert), *args, **named)

    Elsewhere.__module__ = entry.cls.__module__
    found = replace(entry)
    found.__dict__["cls"] = Elsewhere  # in the place of the class that is imported when needed
    return found


def _converted(X, convert):
    return convert(X) if isinstance(X, np.ndarray) and X.dtype in (float, np.float32) else X
