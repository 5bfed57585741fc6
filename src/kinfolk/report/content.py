"""Reads a fitted model once for the report: tasks, rows, clusters, matches, results.

A cluster belongs to one task. Clusters of several tasks that match form a group. A group has one
number and one color on the whole page, where it is called a kind.

>>> import kinfolk as kf
>>> data = kf.datasets.make_related_blobs(20, n_features=4, random_state=0)
>>> study = kf.compare(data, n_clusters=3, method="mec").study
>>> page = read(study)
>>> page.tasks, page.rows["task-1"][:3]
(['task-0', 'task-1'], array([20, 21, 22]))
>>> [(c.task, c.number, c.size) for c in page.groups[0]]
[('task-0', 0, 7), ('task-1', 0, 7)]
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Matrix
from kinfolk.estimators import facets
from kinfolk.report.study import Study


@dataclass(frozen=True)
class Cluster:
    """One cluster of one task: its rows, number and matched group.

    Attributes
    ----------
    task : the task's name
    number : its number within the task
    group : its number after matching; matched clusters share it
    strength : how well it matches its counterparts, from -1 to 1; nan without a counterpart
    rows : (size,) positions of its rows in the table

    >>> Cluster("texas", number=0, group=2, strength=0.8, rows=np.array([4, 7, 9])).size
    3
    """

    task: str
    number: int
    group: int
    strength: float
    rows: NDArray[np.integer]

    @property
    def size(self) -> int:
        """Number of rows of the cluster."""
        return len(self.rows)


@dataclass(frozen=True)
class Page:
    """Facts that the report's sections and figures use, computed once by `read`.

    Attributes
    ----------
    study : the input
    tasks : names of the tasks in the model's order
    rows : task -> positions of its rows in the table
    clusters : in the order of the model's `cluster_links_`
    groups : group -> its clusters, groups with rows in ascending order
    given : (n,) True for rows whose class was given to the method
    scored_tasks : tasks with rows whose class was not given: only these can be scored fairly
    relatedness : (T, T) what task t takes from task s at [t, s]; None if not learned, or where an
        answer is chosen among runs
    agreement : (T, T) how alike tasks divide rows by their own clusters; None if not computed
    cluster_relatedness : (task, task) -> shares of their pairs of clusters; {} if not learned
    counterparts : records of the model's `counterparts_`; None if it does not keep them
    replicability : records of the model's `replicability_`; [] without any
    copies : the fitted estimator of each task; [] for a model of all tasks
    traces, labels, evidence : the model as the facet of this name; None without the facet
    run_warnings : records of the model's `run_warnings_`; [] without any
    """

    study: Study
    tasks: list[str]
    rows: dict[str, NDArray[np.integer]]
    clusters: list[Cluster]
    groups: dict[int, list[Cluster]]
    given: NDArray[np.bool_]
    scored_tasks: list[str]
    relatedness: Matrix | None
    agreement: Matrix | None
    cluster_relatedness: dict[Any, Matrix]
    counterparts: list[dict[str, Any]] | None
    replicability: list[dict[str, Any]]
    copies: list[Any]
    traces: facets.HasTraces | None
    labels: facets.HasKnownLabels | None
    evidence: facets.HasEvidence | None
    run_warnings: list[dict[str, Any]]

    def clusters_of(self, task: str) -> list[Cluster]:
        """Return the clusters of one task, in the model's order."""
        return [cluster for cluster in self.clusters if cluster.task == task]


def read(study: Study) -> Page:
    """Compute all facts that the report shows about a study."""
    model = study.model
    names = [str(task) for task in model.task_names_]
    # Tasks that were added after the fit have no rows among those of the study.
    tasks = names[: len(names) - len(getattr(model, "added_tasks_", []))]
    rows = _rows(study, tasks)
    clusters = _clusters(study, rows)
    labels = model if isinstance(model, facets.HasKnownLabels) else None
    given = _given(labels, len(study.data))
    # Where an answer is chosen among runs, relatedness is of runs that may have no part in it.
    chosen = isinstance(model, facets.HasEvidence)
    related = isinstance(model, facets.HasRelatedness) and not chosen
    alike = isinstance(model, facets.HasTaskAgreement)
    paired = isinstance(model, facets.HasClusterRelatedness)
    replicated = isinstance(model, facets.HasReplicability)
    return Page(
        study=study,
        tasks=tasks,
        rows=rows,
        clusters=clusters,
        groups=_groups(clusters),
        given=given,
        # Where all classes were given there is nothing but given rows to score.
        scored_tasks=[task for task in tasks if not given[rows[task]].all()] or tasks,
        relatedness=np.asarray(model.task_relatedness_, dtype=float) if related else None,
        agreement=np.asarray(model.task_agreement_, dtype=float) if alike else None,
        cluster_relatedness=model.cluster_relatedness_ if paired else {},
        counterparts=_counterparts(model, tasks),
        replicability=model.replicability_ if replicated else [],
        copies=list(model.estimators_) if isinstance(model, facets.HasCopies) else [],
        traces=model if isinstance(model, facets.HasTraces) else None,
        labels=labels,
        evidence=model if chosen else None,
        run_warnings=model.run_warnings_ if isinstance(model, facets.HasRunWarnings) else [],
    )


def _rows(study: Study, tasks: list[str]) -> dict[str, NDArray[np.integer]]:
    owners = study.data.tasks.astype(str)  # tasks may be numbers; names on a page are text
    return {task: np.flatnonzero(owners == task) for task in tasks}


def _clusters(study: Study, rows: dict[str, NDArray[np.integer]]) -> list[Cluster]:
    model = study.model
    labels = np.asarray(model.labels_)
    described = zip(model.clusters_, model.matched_clusters_, model.match_strength_, strict=True)
    return [
        Cluster(
            task=str(task),
            number=int(number),
            group=int(group),
            strength=float(strength),
            rows=rows[str(task)][labels[rows[str(task)]] == number],
        )
        for (task, number), group, strength in described
        if str(task) in rows
    ]


def _counterparts(model: Any, tasks: list[str]) -> list[dict[str, Any]] | None:
    """Return the model's records of counterparts between tasks; None if it keeps none."""
    if not isinstance(model, facets.HasCorrespondence):
        return None
    return [r for r in model.counterparts_ if {str(r["task"]), str(r["other_task"])} <= set(tasks)]


def _groups(clusters: list[Cluster]) -> dict[int, list[Cluster]]:
    """Return {group: its clusters with rows}, without groups that have none."""
    found: dict[int, list[Cluster]] = {}
    for cluster in sorted(clusters, key=lambda c: c.group):
        if cluster.size:
            found.setdefault(cluster.group, []).append(cluster)
    return found


def _given(labels: facets.HasKnownLabels | None, n: int) -> NDArray[np.bool_]:
    """True (n,) for rows whose class was given to the model; all False if it takes no classes."""
    if labels is None:
        return np.zeros(n, dtype=bool)
    if hasattr(labels, "known_"):
        return np.asarray(labels.known_)
    # Models of older versions: memberships of a row of known class are 0 and 1, others between.
    Y: Matrix = vars(labels)["memberships_"]
    return np.asarray(np.isin(Y, (0.0, 1.0)).all(axis=1) & (Y.sum(axis=1) == 1.0))
