"""Checks a stored preparation, and converts encodings of mixed columns to its form and back."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.disk import sealed
from kinfolk.errors import FileFormatError
from kinfolk.numerics.task_normals import Normals
from kinfolk.preparation import gap_filling, mixed
from kinfolk.preparation.mixed import Mixed
from kinfolk.preparation.recipes import Recipe
from kinfolk.tables import columns

_LAYOUT = sealed.Layout(
    kind="preparation",
    versions={
        1: {
            "reads": (str,),
            "text_weighting": (str,),
            "stop_words": (str, list, type(None)),
            "n_terms": (int, type(None)),
            "scale": (str,),
            "feature_names": (list,),
            "views": (list,),
            "columns": (dict, type(None)),
        }
    },
    advice="fit and save the model again",
    marker="version",
)
# Entries of tables are at most 1e75 (`estimators.checks`): 1e75 / 1e-200 is still finite.
_LARGEST, _SMALLEST = 1e76, 1e-200
# Learned covariances of n rows have no variance below about 1 / n^2.
_SMALLEST_ROOT = 1e-10
_OF_MIXED = ("centers", "spreads", "fills")
_OF_NORMALS = ("normal_means", "normal_covariances")
_OF_RECIPES = [[str, str, list, bool, bool] + [list] * more for more in range(3)]
_SOURCE = "The stored preparation"
VERSION = _LAYOUT.latest
"""Version of the settings; a change that older code would misread needs a new one."""


def settings(found: object) -> dict[str, Any]:
    """Return stored settings without their version; FileFormatError if invalid.

    Examples
    --------
    >>> settings({"version": 2})
    Traceback (most recent call last):
    kinfolk.errors.FileFormatError: The stored preparation has version 2 and this version of
    Kinfolk reads 1: fit and save the model again.
    """
    # Models with a single view, or of tables that are all numbers, are stored without these.
    complete = {"views": [], "columns": None, **found} if isinstance(found, dict) else found
    checked = _LAYOUT.check(complete, _SOURCE)
    names = checked["feature_names"]
    if (
        not names
        or not all(isinstance(name, str) for name in names)
        or len(set(names)) < len(names)
    ):
        raise unsound("feature_names", names)
    ends = checked["views"]
    if ends and (
        not all(type(end) is int for end in ends)
        or ends[-1] != len(names)
        or any(a >= b for a, b in pairwise([0, *ends]))
    ):
        raise unsound("views", ends)
    if checked["reads"] not in ("texts", "numbers", "columns"):
        raise unsound("reads", checked["reads"])
    if (checked["columns"] is None) != (checked["reads"] != "columns"):
        raise unsound("columns", checked["columns"])
    return {name: value for name, value in checked.items() if name != "version"}


def arrays(
    found: dict[str, NDArray[Any]], expected: tuple[str, ...], length: int
) -> dict[str, NDArray[np.float64]]:
    """Return stored arrays; FileFormatError unless finite, of expected names and length.

    Examples
    --------
    >>> arrays({"idf": np.ones(3)}, ("idf",), 3)
    {'idf': array([1., 1., 1.])}
    >>> arrays({"idf": np.ones(2)}, ("idf",), 3)
    Traceback (most recent call last):
    kinfolk.errors.FileFormatError: The stored preparation has idf=(2,): fit and save the model
    again.
    """
    if set(found) != set(expected):
        raise FileFormatError(
            f"{_SOURCE} has the arrays {sorted(found)} where {sorted(expected)} are meant: "
            f"{_LAYOUT.advice}."
        )
    for name, values in found.items():
        if not isinstance(values, np.ndarray) or values.dtype != np.float64:
            raise unsound(name, getattr(values, "dtype", type(values)))
        if values.shape != (length,):
            raise unsound(name, values.shape)
        # Means may have any sign; spreads and weights of terms may not.
        if not _usable(values, signed=name == "center"):
            raise unsound(name, values)
    return dict(found)


def _usable(values: NDArray[np.float64], *, signed: bool) -> bool:
    """True if subtracting these numbers from rows, or dividing by them, stays finite."""
    sizes = np.abs(values)
    divides = signed or ((values == 0) | (values >= _SMALLEST)).all()
    return bool((sizes <= _LARGEST).all() and divides)


def of_mixed(found: Mixed) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    """Convert a fitted encoding of mixed columns to JSON settings and arrays."""
    # Left out where there is none, so that older programs can read the state.
    recipes = []
    for r in found.recipes:
        more = [list(r.log)] * bool(r.log or r.gap_codes) + [list(r.gap_codes)] * bool(r.gap_codes)
        recipes.append([r.name, r.kind, list(r.levels), r.other, r.indicator, *more])
    learned = {name: np.asarray(getattr(found, name)) for name in _OF_MIXED}
    if found.normals is not None:
        parts = (found.normals.means, found.normals.covariances)
        learned |= dict(zip(_OF_NORMALS, parts, strict=True))
    return {"columns": {"tasks": list(found.tasks), "recipes": recipes}}, learned


def mixed_of(stored: dict[str, Any], arrays: dict[str, NDArray[Any]], names: list[str]) -> Mixed:
    """Restore a fitted encoding of mixed columns; FileFormatError if a part is invalid."""
    normals = {name: arrays[name] for name in _OF_NORMALS if name in arrays}
    scales = {name: values for name, values in arrays.items() if name not in normals}
    if set(stored) != {"tasks", "recipes"} or set(scales) != set(_OF_MIXED) or len(normals) == 1:
        raise unsound("columns", stored)
    tasks = stored["tasks"]
    if not _all_of(tasks, str) or not tasks or len(set(tasks)) < len(tasks):
        raise unsound("tasks", tasks)
    if type(stored["recipes"]) is not list:
        raise unsound("recipes", stored["recipes"])
    # Older versions took an ordered category for one number, with the name of the column.
    recipes = tuple(
        replace(recipe, ranked=recipe.kind == columns.ORDERED and recipe.name in names)
        for recipe in map(_recipe, stored["recipes"])
    )
    centers, spreads, fills = (scales[name] for name in _OF_MIXED)
    found = Mixed(recipes, tuple(tasks), centers, spreads, fills)
    if list(found.feature_names) != names or len({r.name for r in recipes}) < len(recipes):
        raise unsound("feature_names", names)
    for name, values in scales.items():
        if (
            values.dtype != np.float64
            or values.shape != (len(tasks) + 1, len(names))
            or not _usable(values, signed=name != "spreads")
        ):
            raise unsound(name, values)
    return replace(found, normals=_normals(recipes, len(tasks), normals)) if normals else found


def _normals(recipes: tuple[Recipe, ...], n_tasks: int, stored: dict[str, NDArray[Any]]) -> Normals:
    """Restore the normal distributions that fill gaps; FileFormatError if they cannot."""
    means, covariances = (stored[name] for name in _OF_NORMALS)
    d = len(gap_filling.predictors(recipes))
    count = 1 if covariances.shape[:1] == (1,) else n_tasks + 1
    shapes = (n_tasks + 1, d), (count, d, d)
    for (name, values), shape in zip(stored.items(), shapes, strict=True):
        if values.dtype != np.float64 or values.shape != shape:
            raise unsound(name, values.shape)
        if not _usable(values, signed=True):
            raise unsound(name, values)
    if not _invertible(covariances):
        raise unsound("normal_covariances", covariances)
    return Normals(means, covariances)


def _invertible(covariances: NDArray[np.float64]) -> bool:
    """True for symmetric matrices (m, d, d) that are positive definite beyond rounding."""
    if not np.allclose(covariances, covariances.transpose(0, 2, 1)):
        return False
    try:
        roots = np.linalg.cholesky(covariances)
    except np.linalg.LinAlgError:
        return False
    return bool((np.diagonal(roots, axis1=1, axis2=2) >= _SMALLEST_ROOT).all())


def _recipe(stored: object) -> Recipe:
    """Restore one column's encoding rule; FileFormatError if it is invalid."""
    if type(stored) is not list or [type(part) for part in stored] not in _OF_RECIPES:
        raise unsound("recipes", stored)
    name, kind, levels, other, indicator, *more = stored
    log, codes = [*more, [], []][:2]
    if kind not in mixed.USED or not _all_of(levels, str):
        raise unsound("recipes", stored)
    if (kind in columns.WITH_LEVELS) != bool(other or levels) and kind != columns.ORDERED:
        raise unsound("recipes", stored)
    # A category of one value tells no rows apart and has no column of the matrix.
    if kind == columns.CATEGORY and len(levels) + other < 2:
        raise unsound("recipes", stored)
    if log and (kind not in columns.NUMERIC or not _is_log(log)) or not _all_of(codes, float):
        raise unsound("recipes", stored)
    return Recipe(name, kind, tuple(levels), other, indicator, tuple(log), tuple(codes))


def _is_log(log: list[object]) -> bool:
    """True for a lowest value and an offset by which a logarithm can be taken."""
    if len(log) != 2 or any(type(part) is not float for part in log):
        return False
    values = np.array(log, dtype=np.float64)
    lowest, offset = values
    # Below 0 the offset divides; from 0 on it is added.
    positive = offset > 0 if lowest < 0 else lowest + offset > 0
    return _usable(values, signed=bool(lowest < 0)) and offset >= 0 and bool(positive)


def _all_of(values: object, sort: type) -> bool:
    return type(values) is list and all(type(value) is sort for value in values)


def unsound(name: str, value: object) -> FileFormatError:
    """Build the error for an invalid stored field or array."""
    return _LAYOUT.refusal(_SOURCE, name, value)
