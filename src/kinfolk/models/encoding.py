"""Plain values as JSON and arrays, and back, without code and without import by name.

    number, string, True, None      as JSON has them; {"number": ["nan"]} where JSON has none
    array                           {"array": NAME}, put aside under a name made from its content
    list, tuple, dict, slice, CSR   with their items encoded; dict as a list of pairs
    estimator of the catalogue      its class by name, and its attributes
    value class                     {CLASS: parts}, of the table `VALUE_CLASSES` and no other

`decode` accepts nothing but these: the names in a file are looked up in two tables, never
imported, and no attribute of a file can replace a method.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans

from kinfolk import catalogue
from kinfolk.choosing.cluster_count import Suggestion, Suggestions
from kinfolk.choosing.representations import Representations
from kinfolk.errors import InputError
from kinfolk.estimators import renamed
from kinfolk.estimators.embedded import EmbeddedClusters
from kinfolk.knowledge import Knowledge
from kinfolk.methods.transfer.entropy_transfer import TransferProblem
from kinfolk.models.nearest_centers import NearestCenters
from kinfolk.numerics import denoising
from kinfolk.numerics.entropic import Moments
from kinfolk.numerics.naive_bayes import NaiveBayes
from kinfolk.numerics.shared_neighbors import Group
from kinfolk.profiles import ColumnProfile, Profiles
from kinfolk.tables import object_array

Arrays: TypeAlias = dict[str, NDArray[Any]]

ESTIMATORS: dict[str, type[BaseEstimator]] = {
    "KMeans": KMeans,
    "NearestCenters": NearestCenters,
} | {entry.cls.__name__: entry.cls for entry in catalogue.METHODS.values()}
VALUE_CLASSES: tuple[type, ...] = (
    ColumnProfile,
    denoising.Layer,
    EmbeddedClusters,
    Group,
    Knowledge,
    Moments,
    NaiveBayes,
    Profiles,
    Representations,
    Suggestion,
    TransferProblem,
)
"""Named tuples and data classes that models may hold."""

_NOT_IN_JSON = ("nan", "inf", "-inf")


def encode(value: Any, arrays: Arrays) -> Any:
    """Return a value as JSON has it and put its arrays into `arrays`.

    Raises
    ------
    InputError : the value, or one inside it, is of a class that cannot be stored

    Examples
    --------
    >>> encode({"k": (2, slice(0, 3)), "best": np.inf}, {})["pairs"]
    [['k', {'tuple': [2, {'slice': [0, 3, None]}]}], ['best', {'number': ['inf']}]]
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and str(value) in _NOT_IN_JSON:
        return {"number": [str(value)]}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.random.RandomState):
        return None  # a generator's state is not needed to assign new rows
    if isinstance(value, list):
        return [encode(item, arrays) for item in value]
    if isinstance(value, dict):
        return {"pairs": [[encode(part, arrays) for part in pair] for pair in value.items()]}
    if isinstance(value, np.ndarray) or sp.issparse(value):
        return _encode_array(value, arrays)
    # By type and not isinstance: a subclass could not be restored from its parent's name.
    if type(value) in ESTIMATORS.values():
        attributes = value.__getstate__().items()
        return {
            "estimator": type(value).__name__,
            "attributes": {name: encode(item, arrays) for name, item in attributes},
        }
    kind, parts = _parts(value)
    return {kind: [encode(part, arrays) for part in parts]}


def decode(value: Any, arrays: Arrays) -> Any:
    """Return the value that `encode` was given.

    Raises
    ------
    One of `sealed.MALFORMED` if `encode` cannot have written it

    Examples
    --------
    >>> decode({"pairs": [["k", {"tuple": [2, {"number": ["inf"]}]}]]}, {})
    {'k': (2, inf)}
    >>> decode({"Popen": ["ls"]}, {})
    Traceback (most recent call last):
    KeyError: 'Popen'
    """
    if isinstance(value, list):
        return [decode(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if "estimator" in value:
        return _decode_estimator(ESTIMATORS[value["estimator"]], value["attributes"], arrays)
    if "csr" in value:
        # SciPy would read beyond its arrays if a forged index were not checked.
        parts = tuple(decode(part, arrays) for part in value["csr"])
        table = sp.csr_array(parts, shape=tuple(value["shape"]))
        table.check_format(full_check=True)
        return table
    ((kind, content),) = value.items()
    if kind == "array":
        return arrays[content]
    return _KINDS[kind](decode(content, arrays))


def _encode_array(value: Any, arrays: Arrays) -> Any:
    if isinstance(value, sp.csr_array | sp.csr_matrix):
        parts = [value.data, value.indices, value.indptr]
        return {"csr": [encode(part, arrays) for part in parts], "shape": list(value.shape)}
    if value.dtype.kind not in "biuf":
        return {"objects": encode(value.tolist(), arrays)}
    # Named by content, so that an array which several runs share is stored once.
    value = np.ascontiguousarray(value)
    digest = hashlib.sha256(f"{value.dtype} {value.shape} ".encode())
    digest.update(value.data)
    arrays[digest.hexdigest()] = value
    return {"array": digest.hexdigest()}


def _parts(value: Any) -> tuple[str, list[Any]]:
    """Return the kind of a compound value and its parts."""
    if isinstance(value, slice):
        return "slice", [value.start, value.stop, value.step]
    if isinstance(value, Suggestions):
        return "Suggestions", list(value)
    name = type(value).__name__
    if isinstance(value, tuple):
        return (name if type(value) in VALUE_CLASSES else "tuple"), list(value)
    if type(value) in VALUE_CLASSES:
        return name, [getattr(value, part.name) for part in fields(value)]
    raise InputError(
        f"a model with a {name} inside cannot be stored; tasks must be named by strings or "
        f"numbers, and estimators be one of {', '.join(ESTIMATORS)}."
    )


def _decode_estimator(
    cls: type[BaseEstimator], attributes: Mapping[str, Any], arrays: Arrays
) -> Any:
    """Return an estimator with plain attributes; ValueError if one would hide a method."""
    estimator = cls()
    decoded = {name: decode(item, arrays) for name, item in attributes.items()}
    # Without this check a file could replace `predict` or `__class__` by a value of its own.
    for name, item in renamed.current_names(cls, decoded).items():
        if not name.isidentifier() or name.startswith("__") or hasattr(cls, name):
            raise ValueError(f"{cls.__name__} has no attribute {name!r:.40}")
        setattr(estimator, name, item)
    return estimator


def _slice(parts: list[Any]) -> slice:
    if len(parts) != 3 or not all(part is None or type(part) is int for part in parts):
        raise ValueError("a slice is not made of three whole numbers")
    return slice(*parts)


def _number(parts: list[Any]) -> float:
    (text,) = parts
    if text not in _NOT_IN_JSON:
        raise ValueError(f"{text!r:.20} is no number that JSON lacks")
    return float(text)


def _maker(cls: type) -> Callable[[list[Any]], Any]:
    return lambda parts: cls(*parts)


_KINDS: dict[str, Callable[[list[Any]], Any]] = {
    "objects": object_array,
    "pairs": dict,
    "tuple": tuple,
    "slice": _slice,
    "number": _number,
    "Suggestions": Suggestions,
    **{cls.__name__: _maker(cls) for cls in VALUE_CLASSES},
}
