"""`AddedTask`: the result of adding a task to a fitted model."""

from dataclasses import dataclass
from typing import Any

from kinfolk.arrays import Labels, Vector


@dataclass(frozen=True)
class AddedTask:
    """Clusters of a task that was added to a fitted model, matched to the model's clusters.

    Attributes
    ----------
    task : its name
    labels : (m,) the cluster of each row, from 0
    matched_labels : (m,) the same in numbers that mean the same in every task
    strength : (m,) of the match; nan where the cluster has no counterpart
    counterparts : records of its clusters, see `kinfolk.estimators.correspondence.counterparts`
    estimator : fitted to this task alone
    """

    task: Any
    labels: Labels
    matched_labels: Labels
    strength: Vector
    counterparts: list[dict[str, Any]]
    estimator: Any
