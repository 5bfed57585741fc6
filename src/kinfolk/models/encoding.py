"""Converts Python values to JSON and arrays and back, without pickle.

    number, string, True, None      as JSON has them; {"number": ["nan"]} where JSON has none
    array                           {"array": NAME}, put aside under a name made from its content;
                                    {"array": NAME, "as": TYPE} in a smaller type with equal values
    list, tuple, dict, slice, CSR   with their items encoded; dict as a list of pairs
    estimator of the catalogue      its class by name, and its attributes
    value class                     {CLASS: parts}, of the table `VALUE_CLASSES` and no other

`decode` accepts nothing but these: the names in a file are looked up in two tables, never
imported. It reads all values, then checks them against `kinfolk.models.schema`, then builds the
estimators. Of an estimator of scikit-learn only public attributes are kept.
"""

import hashlib
from collections.abc import Callable
from dataclasses import fields
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans

from kinfolk import catalogue
from kinfolk.arguments import shown
from kinfolk.blocks import is_dask
from kinfolk.choosing.mixtures import MixedMixture
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.separated_clusters import SeparatedClusters
from kinfolk.choosing.suggestions import Suggestion, Suggestions
from kinfolk.choosing.view_representations import ViewRepresentations
from kinfolk.errors import InputError
from kinfolk.estimators import renamed
from kinfolk.estimators.embedded import EmbeddedClusters
from kinfolk.knowledge import Knowledge
from kinfolk.methods.transfer.entropy_transfer import TransferProblem
from kinfolk.models import foreign, plain_values, schema
from kinfolk.models.nearest_centers import NearestCenters
from kinfolk.models.parameter_types import parameter_types
from kinfolk.models.schema import StoredObject
from kinfolk.numerics import denoising
from kinfolk.numerics.entropic import Moments
from kinfolk.numerics.naive_bayes import NaiveBayes
from kinfolk.numerics.shared_neighbors import Group
from kinfolk.profiles import ColumnProfile, Profiles
from kinfolk.tables import object_array

Arrays: TypeAlias = dict[str, NDArray[Any]]

ESTIMATORS: dict[str, type[BaseEstimator]] = {
    "KMeans": KMeans,
    "MixedMixture": MixedMixture,
    "NearestCenters": NearestCenters,
    "SeparatedClusters": SeparatedClusters,
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
    ViewRepresentations,
)
"""Named tuples and data classes that models may hold."""

_NOT_IN_JSON = ("nan", "inf", "-inf")

_SMALLER: dict[str, tuple[type[np.generic], ...]] = {
    "float64": (np.float32,),
    "int64": (np.int8, np.int16, np.int32),
    "int32": (np.int8, np.int16),
}
"""Type of an array -> smaller types of the same kind, smallest first."""


def encode(value: Any, arrays: Arrays) -> Any:
    """Convert a value to JSON form, and put its arrays into `arrays`, in place.

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
    if is_dask(value):
        value = np.asarray(value.compute())  # labels of a fit: one number for each row
    if isinstance(value, np.ndarray) or sp.issparse(value):
        return _encode_array(value, arrays)
    # By type and not isinstance: a subclass could not be restored from its parent's name.
    if type(value) in ESTIMATORS.values():
        attributes = _kept_attributes(value)
        return {
            "estimator": type(value).__name__,
            "attributes": {name: encode(item, arrays) for name, item in attributes.items()},
        }
    kind, parts = _parts(value)
    return {kind: [encode(part, arrays) for part in parts]}


def decode(value: Any, arrays: Arrays) -> Any:
    """Convert the result of `encode` back to the value, with all checks.

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
    found = _read(value, arrays)
    _check(found)
    return _built(found)


def _read(value: Any, arrays: Arrays) -> Any:
    """Parse a stored value; estimators become `StoredObject`s, still unchecked."""
    if isinstance(value, list):
        return value if plain_values.are_single(value) else [_read(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if "estimator" in value:
        cls = ESTIMATORS[value["estimator"]]
        attributes = {name: _read(item, arrays) for name, item in value["attributes"].items()}
        return StoredObject(cls, renamed.current_names(cls, foreign.public(cls, attributes)))
    if "csr" in value:
        # SciPy would read beyond its arrays if a forged index were not checked.
        parts = tuple(_read(part, arrays) for part in value["csr"])
        table = sp.csr_array(parts, shape=tuple(value["shape"]))
        table.check_format(full_check=True)
        return table
    if value.keys() == {"array", "as"}:
        return _widened(arrays, value["array"], value["as"])
    ((kind, content),) = value.items()
    if kind == "array":
        return arrays[content]
    if (
        kind == "pairs"
        and _lists(content)
        and plain_values.are_single(chain.from_iterable(content))
    ):
        return dict(content)
    return _KINDS[kind](_read(content, arrays))


def _check(value: Any) -> None:
    """Check all stored objects in a value, recursively."""
    if isinstance(value, StoredObject):
        schema.check(value)
    elif type(value) in VALUE_CLASSES:
        schema.check_value(value)
    elif isinstance(value, dict):
        for part in value.values():
            _check(part)
    elif isinstance(value, list | tuple):
        for part in value:
            _check(part)


def _lists(value: Any) -> bool:
    """True for a list of lists."""
    return type(value) is list and {list}.issuperset(map(type, value))


def _built(value: Any) -> Any:
    """Build every `StoredObject` of a checked value."""
    if isinstance(value, StoredObject):
        attributes = {name: _built(item) for name, item in value.attributes.items()}
        if value.cls is KMeans:
            return foreign.kmeans(attributes)
        estimator = value.cls()
        vars(estimator).update(attributes)
        return estimator
    if isinstance(value, list):
        return value if plain_values.are_single(value) else [_built(item) for item in value]
    if type(value) is tuple:
        return tuple(_built(item) for item in value)
    if isinstance(value, dict):
        if plain_values.are_single(value.values()):
            return value
        return {name: _built(item) for name, item in value.items()}
    return value


def _kept_attributes(estimator: BaseEstimator) -> dict[str, Any]:
    """Attributes of an estimator to save; InputError for ones that the user added."""
    cls: type = type(estimator)
    attributes = foreign.public(cls, estimator.__getstate__())
    known = schema.forms(cls).keys() | parameter_types(cls).keys()
    for name in attributes.keys() - known:
        raise InputError(
            f"a {cls.__name__} with the attribute {name!r} cannot be stored, which is none of its "
            "own: delete it before you save the model."
        )
    return attributes


def _encode_array(value: Any, arrays: Arrays) -> Any:
    """Put an array into `arrays` under a name made from its content; return its JSON form."""
    if isinstance(value, sp.csr_array | sp.csr_matrix):
        parts = [value.data, value.indices, value.indptr]
        return {"csr": [encode(part, arrays) for part in parts], "shape": list(value.shape)}
    if value.dtype.kind not in "biuf":
        return {"objects": encode(value.tolist(), arrays)}
    # Named by content, so that an array which several runs share is stored once.
    stored = np.asarray(_narrowed(value), order="C")
    digest = hashlib.sha256(f"{stored.dtype} {stored.shape} ".encode())
    digest.update(stored.data)
    arrays[digest.hexdigest()] = stored
    told = {"array": digest.hexdigest()}
    return told if stored.dtype == value.dtype else {**told, "as": value.dtype.name}


def _narrowed(value: NDArray[Any]) -> NDArray[Any]:
    """Convert an array to the smallest type that holds its values exactly.

    >>> _narrowed(np.array([3, -7])).dtype, _narrowed(np.array([0.5])).dtype
    (dtype('int8'), dtype('float32'))
    >>> _narrowed(np.array([0.1])).dtype
    dtype('float64')
    """
    for smaller in _SMALLER.get(value.dtype.name, ()):
        with np.errstate(over="ignore", invalid="ignore"):
            narrow = value.astype(smaller)
        if np.array_equal(narrow, value, equal_nan=value.dtype.kind == "f"):
            return narrow
    return value


def _widened(arrays: Arrays, stored: str, name: str) -> NDArray[Any]:
    """Convert a stored array back to its original type; ValueError if impossible."""
    array = arrays[stored]
    if array.dtype.type not in _SMALLER.get(name, ()):
        raise ValueError(f"an array of {array.dtype} is meant as {shown(name)}")
    # Put aside as well, so that runs which share the stored array share this one.
    wide = f"{stored} as {name}"
    if wide not in arrays:
        arrays[wide] = array.astype(name)
    return arrays[wide]


def _parts(value: Any) -> tuple[str, list[Any]]:
    """Return the type tag of a compound value and its parts."""
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
        f"a model with a {name} inside cannot be stored: tasks must be named by strings or "
        "numbers, and estimators be those of Kinfolk or KMeans. Save a comparison without its "
        "model (model=False), or name other tasks or families."
    )


def _slice(parts: list[Any]) -> slice:
    if len(parts) != 3 or not all(part is None or type(part) is int for part in parts):
        raise ValueError("a slice is not made of three whole numbers")
    return slice(*parts)


def _number(parts: list[Any]) -> float:
    (text,) = parts
    if text not in _NOT_IN_JSON:
        raise ValueError(f"{shown(text)} is no number that JSON lacks")
    return float(text)


def _representations(parts: list[Any]) -> Representations:
    # Older programs stored an array of three dimensions before `logs` came.
    return Representations(*parts[:4], *(part for part in parts[4:] if np.ndim(part) == 2))


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
    "Representations": _representations,
}
