"""Removes facts about single training rows from copies of fitted estimators.

A method that assigns new rows by centers, weights or projections keeps its rule, and loses labels
and memberships of its rows. A method that compares new rows with those of the fit gets the rule of
the nearest center in its place, which labels some rows otherwise; `docs/privacy-measured.md` says
how many.
"""

from collections.abc import Callable, Iterator
from copy import copy
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kinfolk.arguments import shown, spelled
from kinfolk.errors import InputError
from kinfolk.estimators import facets, kept_rows
from kinfolk.models import nearest_centers
from kinfolk.numerics import memberships

MINIMUM = kept_rows.FEW
"""Default of the fewest rows of a cluster whose center may be stored."""

_OF_ROWS = (
    *("labels_", "matched_labels_", "own_labels_", "first_labels_", "naive_bayes_", "known_"),
    *("transduction_", "memberships_", "concept_weights_", "_free", "sure_", "_row_order"),
    *("latent_", "hidden_"),
)
"""Attributes with an entry for each row, which no prediction needs."""

_FACTORS = ("_factor", "_factors")
"""Factors Y (n, k), which predictions need only as Y'Y."""

_NO_POSITIONS = dict.fromkeys(("changed_rows", "refused_rows"), np.empty(0, dtype=int))
"""Fields of the guard's records that hold positions of rows, and their empty values."""

_UNUSED_FACTORS = ("_scaled",)
"""Factors that multiply similarities to training rows, which the copy does not have."""


def of(estimator: Any, minimum_cluster_size: int = MINIMUM) -> Any:
    """Return a fitted estimator without its training rows: a copy, or its `NearestCenters`.

    Raises
    ------
    InputError : a cluster has fewer rows than the minimum; the method cannot do without rows

    Examples
    --------
    >>> from kinfolk import PerTask, JointSpectral
    >>> X = np.repeat([[0.0, 1.0], [9.0, 1.0]], 12, axis=0) + np.arange(24)[:, None] / 99
    >>> few = of(PerTask(n_clusters=2).fit(X))
    >>> few.labels_.size, few.predict(X[:3]), kept_rows.of(few)
    (0, array([1, 1, 1]), 'none')
    >>> of(JointSpectral(2, random_state=0).fit(X))
    NearestCenters()
    """
    check_is_fitted(estimator)
    _check_sizes(estimator, minimum_cluster_size)
    level = kept_rows.of(estimator)
    if level == kept_rows.NONE:
        return estimator
    # Runs of the default method have clusters of their own, which may be smaller than its answer's.
    inner_ok = all(_smallest(run) >= minimum_cluster_size for run in _inner(estimator))
    if level != kept_rows.ROWS and inner_ok and not _compares_with_rows(estimator):
        return _stripped(estimator)
    if isinstance(estimator, facets.HasKnownLabels):
        raise InputError(
            f"{type(estimator).__name__} finds the classes of new rows by comparing them with "
            "the rows of the fit: store it with the rows, or take a method with weights, such as "
            "linear-svm or lssttc."
        )
    if _given_similarities(estimator):
        raise InputError(
            "the model was fitted to similarities of rows, and new rows are given by their "
            "similarities to these: it cannot do without its rows."
        )
    return nearest_centers.of(estimator)


def _check_sizes(estimator: Any, minimum: int) -> None:
    """Raise InputError if a cluster is too small, so that its center reveals its rows."""
    if isinstance(minimum, bool) or not isinstance(minimum, Integral) or minimum < 1:
        raise InputError(f"minimum_cluster_size is {shown(minimum)}; give a whole number from 1.")
    sizes = np.asarray(estimator._cluster_sizes)
    small = np.flatnonzero((sizes > 0) & (sizes < minimum))
    if len(small):
        task, cluster = estimator.clusters_[small[0]]
        more = f" and {len(small) - 1} more" if len(small) > 1 else ""
        raise InputError(
            f"cluster {cluster} of {task} ({sizes[small[0]]:g} rows){more} has fewer than "
            f"{minimum} rows, so that its center would say much about each of them: ask for fewer "
            "clusters, store the model with the rows, or lower "
            f"{spelled('--minimum', 'minimum_cluster_size')}."
        )


def _inner(estimator: Any) -> Iterator[Any]:
    """Yield the estimators inside an estimator that it predicts with."""
    values = vars(estimator)
    yield from values.get("estimators_", ())
    if "estimator_" in values:
        yield values["estimator_"]
    for _, run in values.get("_kept_runs", ()):
        yield run
        yield from _inner(run)
    yield from values.get("added_tasks_", ())


def _smallest(estimator: Any) -> float:
    """Size of the smallest nonempty cluster; inf where sizes are unknown."""
    sizes = np.asarray(vars(estimator).get("_cluster_sizes", ()), dtype=float)
    return float(np.min(sizes, initial=np.inf, where=sizes > 0))


def _compares_with_rows(estimator: Any) -> bool:
    """True if predictions use hashes of, or similarities to, training rows."""
    every = [estimator, *_inner(estimator)]
    return any("embeddings_" in vars(one) or _given_similarities(one) for one in every)


def _given_similarities(estimator: Any) -> bool:
    every = [estimator, *_inner(estimator)]
    return any(vars(one).get("affinity_") == "precomputed" for one in every)


def _stripped(estimator: Any) -> Any:
    """Return a copy without per-row attributes, also in estimators inside it."""
    found = copy(estimator)
    values = vars(found)
    for name in values.keys() & _WITHOUT_ROWS.keys():
        values[name] = _WITHOUT_ROWS[name](values[name])
    if isinstance(found, facets.HasEvidence):
        values["guard_"] = [record | _NO_POSITIONS for record in found.guard_]
    return found


def _without_rows(value: Any) -> Any:
    """Return an array with 0 rows, or a list of such arrays."""
    return [part[:0] for part in value] if isinstance(value, list) else value[:0]


def _roots(Y: Any) -> Any:
    """Square factor R (k, k) with R'R = Y'Y for Y (n, k), or for each of a list; None for None."""
    if Y is None:
        return None
    if isinstance(Y, list):
        return [_roots(part) for part in Y]
    return memberships.gram_root(Y)


def _all_stripped(estimators: list[Any]) -> list[Any]:
    return [_stripped(one) for one in estimators]


_WITHOUT_ROWS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_OF_ROWS + _UNUSED_FACTORS, _without_rows),
    **dict.fromkeys(_FACTORS, _roots),
    "second_labels_": lambda _: {},
    "sampling_": lambda sampling: sampling | {"rows": np.empty(0, dtype=int)},
    "estimators_": _all_stripped,
    "estimator_": _stripped,
    "_kept_runs": lambda runs: [(name, _stripped(run)) for name, run in runs],
    "added_tasks_": _all_stripped,
}
"""Attribute -> function that removes facts about single rows from its value."""
