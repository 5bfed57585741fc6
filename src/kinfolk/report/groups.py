"""Clusters as a report speaks of them: where they live, how large they are, what they match.

A cluster belongs to one task. Clusters of several tasks that match form a group, which has
one number and one colour on the whole page.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinfolk.report.study import Study


@dataclass(frozen=True)
class Cluster:
    """One cluster of one task.

    Attributes
    ----------
    task : the task's name
    number : its number within the task
    group : its number after matching; clusters of one kind share it
    strength : how well it matches its counterparts, from -1 to 1; nan without a counterpart
    rows : (size,) positions of its rows in the table
    """

    task: str
    number: int
    group: int
    strength: float
    rows: NDArray[np.integer]

    @property
    def size(self) -> int:
        """The number of its rows."""
        return len(self.rows)


def tasks(study: Study) -> list[str]:
    """Return the names of the tasks in the model's order."""
    return [str(task) for task in study.model.task_names_]


def rows(study: Study, task: str) -> NDArray[np.integer]:
    """Return the positions of a task's rows."""
    return np.flatnonzero(study.data.tasks.astype(str) == task)


def labelled(study: Study) -> NDArray[np.bool_]:
    """Return the rows (n,) whose class was given to the method: their memberships are 0 and 1."""
    if not hasattr(study.model, "transduction_"):
        return np.zeros(len(study.data), dtype=bool)
    Y = study.model.memberships_
    return np.asarray(np.isin(Y, (0.0, 1.0)).all(axis=1) & (Y.sum(axis=1) == 1.0))


def judged(study: Study) -> list[str]:
    """Return the tasks that a verdict can be about: those with rows whose class was not given."""
    given = labelled(study)
    return [task for task in tasks(study) if not given[rows(study, task)].all()] or tasks(study)


def clusters(study: Study) -> list[Cluster]:
    """Return all clusters in the order of the model's `cluster_links_`."""
    model = study.model
    labels = np.asarray(model.labels_)
    members = {task: rows(study, task) for task in tasks(study)}
    return [
        Cluster(
            task=str(task),
            number=int(number),
            group=int(group),
            strength=float(strength),
            rows=members[str(task)][labels[members[str(task)]] == number],
        )
        for (task, number), group, strength in zip(
            model.clusters_, model.matched_clusters_, model.match_strength_, strict=True
        )
    ]


def by_group(study: Study) -> dict[int, list[Cluster]]:
    """Return the clusters of each group, groups in ascending order."""
    found: dict[int, list[Cluster]] = {}
    for cluster in sorted(clusters(study), key=lambda c: c.group):
        found.setdefault(cluster.group, []).append(cluster)
    return found
