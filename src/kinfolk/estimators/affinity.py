"""Chooses the affinity (cosine, Gaussian, ...) of a fit, by name or by the kind of table."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Table, Vector
from kinfolk.blocks import Blocks
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.numerics import affinities, associations, kinds
from kinfolk.numerics.features import Features


def chosen(name: Any, X: Table, allowed: Iterable[str] = affinities.NAMES) -> str:
    """Return the affinity's name as given, or for "auto" the one that suits X (n, d).

    "measurements", which every method takes, is the kernel with local scales whatever X is, between
    near rows only if "local-neighbors" is allowed.
    InputError if the name is unknown or the table does not suit it.

    >>> chosen("auto", np.array([[0.0, 1.0], [1.0, 0.0]])), chosen("gaussian", np.eye(2))
    ('cosine', 'gaussian')
    """
    names = (*allowed, kinds.MEASUREMENTS)
    near_only = affinities.LOCAL_NEIGHBORS in names
    measured = affinities.LOCAL_NEIGHBORS if near_only else "local-gaussian"
    name = kinds.affinity(checks.choice("affinity", name, names), X, measured)
    if name == "centered-cosine" and sp.issparse(X):
        raise InputError(
            "affinity is 'centered-cosine' and X is sparse, which it would not be less its mean: "
            "give a dense table, or choose affinity='cosine'."
        )
    return name


def of_fit(model: Any) -> str:
    """Return the name of the affinity that a fitted model uses.

    Files of models that were written before there was a choice do not name it: cosines.
    """
    name: str = vars(model).get("affinity_", model.affinity)
    return "cosine" if name == kinds.AUTO else name


def bandwidth(
    model: Any,
    rows: Sequence[Features],
    random: np.random.RandomState,
    weight: Vector | None = None,
) -> float:
    """Return the parameter `bandwidth`, checked; None: the median distance of the rows.

    Weights (n,) are those of the rows of all tables.
    """
    if model.bandwidth is None:
        return associations.median_distance(rows, random, weight=weight)
    return checks.above("bandwidth", model.bandwidth, 0)


def of_blocks(model: Any, rows: Blocks, names: Sequence[str]) -> str:
    """Return "cosine", the only affinity for rows in blocks; InputError for others.

    `model` has the affinity that is asked for.
    """
    named = isinstance(model.affinity, str)
    if named and chosen(model.affinity, rows.sample().x, names) == "cosine":
        return "cosine"
    given = repr(model.affinity) if named else "no name"
    raise InputError(
        f"X is in blocks and affinity is {given}, which compares all pairs of rows; give "
        "affinity='cosine', or the table itself if it fits in memory."
    )
